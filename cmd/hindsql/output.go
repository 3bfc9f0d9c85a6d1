package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
	"hindsql/engine/result"
	"hindsql/readers/files"
)

// output holds the flags that say how and where results are written.
type output struct {
	format string
	chart  bool
	file   string
	rows   int

	// Set by the prompt only.
	name    string // of the file behind stdout
	null    *string
	untimed bool
}

func (o *output) addFlags(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&o.format, "format", "", "`FORMAT` of results: "+strings.Join(render.Names(), ", "))
	flags.BoolVar(&o.chart, "chart", false, "draw results: bars of a text and a number, a line of a time and a number, a histogram of one number")
	flags.StringVarP(&o.file, "output", "o", "", "write results to `FILE`, whole or not at all; its name may give the format")
	flags.IntVar(&o.rows, "rows", 1000, "show `N` rows of a table at most on a terminal; 0 for all")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(render.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// statement is SQL to run, with what its messages and result are told by.
type statement struct {
	sql    string
	args   map[string]any
	from   string // file or query that it comes from; empty when it was typed
	format string // the format it reads best in; empty: the default
}

// query runs a statement and writes its results.
func (a *app) query(ctx context.Context, s *engine.Session, q statement) error {
	return a.write(q.format, func(write func(*result.Rows) error) error {
		err := s.Query(ctx, q.sql, q.args, write)
		if err != nil && q.from != "" {
			return fmt.Errorf("%s: %w", q.from, err)
		}
		return err
	})
}

// writeSet writes a result of our own.
func (a *app) writeSet(set result.Set) error {
	return a.write("", func(write func(*result.Rows) error) error { return write(set.Read()) })
}

// write gives results to the format and file that flags ask for. prefer names
// the format to use when they ask for none.
func (a *app) write(prefer string, produce func(write func(*result.Rows) error) error) error {
	format, err := a.out.choose(prefer)
	if err != nil {
		return err
	}
	w, options := a.stdout, a.renderOptions()
	if a.out.file != "" {
		f, err := files.Create(a.out.file)
		if err != nil {
			return err
		}
		defer f.Abandon()
		err = produce(writer(f, format, render.Options{}))
		if err != nil {
			return err
		}
		return f.Commit()
	}
	return produce(writer(w, format, options))
}

// writer writes results one after the other, tables with a line between them.
func writer(w io.Writer, format render.Format, options render.Options) func(*result.Rows) error {
	start, first := time.Now(), true
	timed := options.Elapsed != nil
	return func(r *result.Rows) error {
		if !first && len(r.Columns) > 0 && (format.Name == "table" || format.Name == "line" || format.Name == "markdown" || format.Name == "chart") {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if timed {
			options.Elapsed = func() time.Duration { return time.Since(start) }
		}
		err := format.Write(w, r, options)
		start, first = time.Now(), first && len(r.Columns) == 0
		return err
	}
}

func (o *output) choose(prefer string) (render.Format, error) {
	switch {
	case o.chart && o.format != "" && o.format != "chart":
		return render.Format{}, usagef("--chart and --format %s: give one of them", o.format)
	case o.chart:
		return render.ByName("chart")
	case o.format != "":
		f, err := render.ByName(o.format)
		if err != nil {
			return f, usageError{err}
		}
		return f, nil
	case render.ByPath(o.path()).Name != "table":
		return render.ByPath(o.path()), nil
	case prefer != "":
		return render.ByName(prefer)
	}
	return render.ByPath(o.path()), nil
}

// isTable says that results are for people, so that a command may add to them
// what is no result.
func (o *output) isTable() bool {
	f, err := o.choose("")
	return err == nil && f.Name == "table" && o.path() == ""
}

// path is the file that results go to; empty for stdout.
func (o *output) path() string { return cmp.Or(o.file, o.name) }

func (a *app) renderOptions() render.Options {
	if !a.stdoutTerminal {
		return render.Options{}
	}
	options := render.Options{
		Width:   a.width,
		MaxRows: a.out.rows,
		Color:   a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb",
		Null:    a.out.null,
		Elapsed: func() time.Duration { return 0 },
	}
	if a.out.untimed {
		options.Elapsed = nil
	}
	if a.inPrompt {
		options.MoreRows, options.MoreColumns = ".maxrows 0", ".line"
	}
	return options
}
