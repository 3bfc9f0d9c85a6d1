package main

import (
	"cmp"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine/result"
	"hindsql/readers/files"
)

// output holds the flags that say how and where results are written.
type output struct {
	format string
	chart  bool
	file   string
	rows   int
	direct bool // nothing goes through the pager
}

func (o *output) addFlags(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&o.format, "format", "", "`FORMAT` of results: "+strings.Join(render.Names(), ", "))
	flags.BoolVar(&o.chart, "chart", false, "draw results: a saved query's as it declares, else bars of a text and a number, a line of a time and a number, a histogram of one number")
	flags.StringVarP(&o.file, "output", "o", "", "write results to `FILE`, whole or not at all; its name gives the format, such as x.csv, x.parquet or x.xlsx")
	flags.IntVar(&o.rows, "rows", 1000, "show `N` rows of a table at most on a terminal; 0 for all")
	flags.BoolVar(&o.direct, "no-pager", false, "don't show in $PAGER what is longer than the terminal")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(render.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// check refuses flags that contradict each other. folder says that the command
// takes a folder for a file, or has formats of its own.
func (o *output) check(folder bool) error {
	if o.chart && o.format != "" && o.format != "chart" {
		return usagef("--chart and --format %s: give one of them", o.format)
	}
	var err error
	switch asked := o.asked(); {
	case asked != "":
		_, err = render.ByName(asked)
	case o.file != "" && !folder:
		_, err = render.ByPath(o.file)
	}
	if err != nil {
		return usageError{err}
	}
	return nil
}

// asked is the format that flags ask for; empty for none.
func (o *output) asked() string {
	if o.chart {
		return "chart"
	}
	return o.format
}

// deliver calls write with the file of -o or with standard output. The file
// appears only when write succeeds. What is longer than a terminal goes through
// the pager.
func (a *app) deliver(write func(*render.Output) error) error {
	if a.out.file == "" {
		return a.pager().Page(a.stdout, a.height, nil, func(w io.Writer) error { return write(a.toStdout(w)) })
	}
	f, err := files.Create(a.out.file)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if err := write(&render.Output{Writer: f, File: a.out.file, Format: a.out.asked()}); err != nil {
		return err
	}
	return f.Commit()
}

// pager is the user's; none where standard output is no terminal.
func (a *app) pager() show.Pager {
	if !a.stdoutTerminal || a.out.direct {
		return show.Pager{}
	}
	return show.PagerOf(a.lookup)
}

// toStdout gives an output on standard output, or the pager before it.
func (a *app) toStdout(w io.Writer) *render.Output {
	return &render.Output{Writer: w, Format: a.out.asked(), Timed: a.stdoutTerminal, Options: a.renderOptions()}
}

// list writes rows for people as a listing, and in any other format as a result.
func (a *app) list(columns []result.Column, rows [][]any) error {
	return a.deliver(func(to *render.Output) error { return to.List(result.Set{Columns: columns, Rows: rows}) })
}

func (a *app) renderOptions() render.Options {
	if !a.stdoutTerminal {
		return render.Options{}
	}
	o := render.Options{Width: a.width, MaxRows: a.out.rows, Color: a.color(), ASCII: a.ascii(), Auto: a.out.asked() == ""}
	a.pager().Tell(&o, a.height)
	return o
}

// ascii says that the locale names letters other than UTF-8, as en_US.ISO-8859-1
// does. One that names none is taken for UTF-8, which terminals are.
func (a *app) ascii() bool {
	locale := cmp.Or(a.getenv("LC_ALL"), a.getenv("LC_CTYPE"), a.getenv("LANG"))
	_, letters, named := strings.Cut(strings.ToLower(locale), ".")
	return named && !strings.HasPrefix(letters, "utf-8") && !strings.HasPrefix(letters, "utf8")
}

func (a *app) color() bool { return a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb" }
