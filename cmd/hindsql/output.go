package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
	"hindsql/internal/result"
)

// output holds the flags for the form and the target of results.
type output struct {
	format string
	chart  bool
	file   string
	rows   int
	direct bool // no pager
}

func (o *output) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "", "`FORMAT` of results: "+strings.Join(term.Names(), ", "))
	flags.BoolVar(&o.chart, "chart", false, "draw results: a saved query's as it declares, else bars of a text and a number, a line of a time and a number")
	flags.StringVarP(&o.file, "output", "o", "", "write results to `FILE`, whole or not at all; its name gives the format, such as x.csv, x.parquet or x.xlsx")
	flags.IntVar(&o.rows, "rows", 1000, "show `N` rows of a table at most on a terminal; 0 for all")
	flags.BoolVar(&o.direct, "no-pager", false, "don't show in $PAGER what is longer than the terminal")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(term.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// check returns an error for contradictory flags, or an unknown format. folder is set
// if -o may name a folder, or if the command has its own formats; the file's name is
// then not checked.
func (o *output) check(folder bool) error {
	if o.rows < 0 {
		return usagef("--rows %d: a number of rows, or 0 for all", o.rows)
	}
	if o.chart && o.format != "" && o.format != "chart" {
		return usagef("--chart and --format %s: give one of them", o.format)
	}
	var err error
	switch asked := o.asked(); {
	case asked != "":
		_, err = term.ByName(asked)
	case o.file != "" && !folder:
		_, err = term.ByPath(o.file)
	}
	if err != nil {
		return usageError{err}
	}
	return nil
}

// refuse returns an error for a form or a target of results, if a flag of the command
// writes a text instead of results.
func (o *output) refuse(flag string) error {
	switch {
	case o.file != "":
		return usagef("%s: has no results to write; leave out -o %s", flag, o.file)
	case o.asked() != "":
		return usagef("%s: has no results; leave out --format %s", flag, o.asked())
	}
	return nil
}

// asked returns the format given by flags; empty for none.
func (o *output) asked() string {
	if o.chart {
		return "chart"
	}
	return o.format
}

// deliver calls write with an output for the file of -o, or for standard output. A file
// appears only if write succeeds. Output longer than the terminal's screen goes through
// the pager.
func deliver(w *world, out *output, write func(*term.Output) error) error {
	if out.file == "" {
		return pager(w, out).Page(w.stdout, w.height, nil, func(page io.Writer) error { return write(toStdout(w, out, page)) })
	}
	f, err := atomicfile.Create(out.file)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if err := write(&term.Output{Writer: f, File: out.file, Format: out.asked()}); err != nil {
		return err
	}
	return f.Commit()
}

// pager returns the user's pager; none if standard output isn't a terminal.
func pager(w *world, out *output) term.Pager {
	if !w.stdoutTerminal || out.direct {
		return term.Pager{}
	}
	return term.PagerOf(w.lookup)
}

// toStdout returns an output for standard output or the pager.
func toStdout(w *world, out *output, to io.Writer) *term.Output {
	return &term.Output{Writer: to, Format: out.asked(), Timed: w.stdoutTerminal, Options: renderOptions(w, out)}
}

// listRows writes rows as a listing for people, or as a result in other formats.
func listRows(w *world, out *output, columns []result.Column, rows [][]any) error {
	return deliver(w, out, func(to *term.Output) error { return to.List(result.Set{Columns: columns, Rows: rows}) })
}

func renderOptions(w *world, out *output) term.Options {
	if !w.stdoutTerminal {
		return term.Options{}
	}
	o := term.Options{Width: w.width, Now: w.clock(), MaxRows: out.rows, Color: w.color(), ASCII: w.ascii(), Auto: out.asked() == ""}
	pager(w, out).Tell(&o, w.height)
	return o
}
