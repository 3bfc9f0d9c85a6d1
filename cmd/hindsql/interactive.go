package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
	"hindsql/queries"
	"hindsql/readers/files"
)

// openPrompt runs the prompt until the user leaves it.
func (a *app) openPrompt(ctx context.Context, s *engine.Session) error {
	defer a.interrupts.take(func() {})() // between statements a Ctrl-C is nobody's
	a.inPrompt = true
	if err := a.greet(ctx, s); err != nil {
		return err
	}
	c := a.promptConfig(s)
	if c.Editor != nil {
		return a.runPrompt(ctx, prompt.New(c))
	}
	terminal := prompt.NewTerminal(ctx)
	defer terminal.Close()
	c.Editor, c.Lend, c.Screen = terminal, terminal.Lend, a.screen
	p := prompt.New(c)
	terminal.CompleteWith(p.Complete)
	return a.runPrompt(ctx, p)
}

func (a *app) runPrompt(ctx context.Context, p *prompt.Prompt) error {
	if a.out.file != "" {
		if err := p.OutputTo(a.out.file); err != nil {
			return err
		}
	}
	return p.Run(ctx)
}

// greet says what is loaded, and how to get help.
func (a *app) greet(ctx context.Context, s *engine.Session) error {
	n, err := countSources(ctx, s)
	if err != nil {
		return err
	}
	what := "hindsql"
	if a.sample == sampleAlways {
		what = "hindsql, on the sample"
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s from %s\nSQL up to a semicolon; .help lists commands, Tab completes, Ctrl-D leaves\n",
		what, render.Quantity(n[3], "message"), render.Quantity(n[0], "log"))
	return err
}

// screen is the size of the terminal now.
func (a *app) screen() (columns, lines int) {
	columns, lines, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return a.width, 24
	}
	return columns, lines
}

func (a *app) promptConfig(s *engine.Session) prompt.Config {
	settings := &prompt.Settings{Format: a.formatFlag(), MaxRows: a.out.rows, Timer: true}
	at := func(to prompt.Target) *app { return a.at(to, settings) }
	c := prompt.Config{
		Session: s, Editor: a.editor, Out: a.stdout, Err: a.stderr, Settings: settings,
		History: a.historyPath(), Folder: a.queriesFolder(), Short: a.short, Long: a.long, Getenv: a.getenv,
		Interruptible: a.interrupts.interruptible,
		Complain:      func(err error) { fmt.Fprintln(a.stderr, inDots(err.Error()+hint(err))) },
		Query: func(ctx context.Context, to prompt.Target, sql string) error {
			return at(to).query(ctx, s, statement{sql: sql})
		},
		RunSaved: func(ctx context.Context, to prompt.Target, name string, values []string) error {
			q, given, err := a.chooseSaved(name, values)
			if err != nil {
				return err
			}
			return at(to).runChosen(ctx, s, q, given)
		},
		Describe:  func(_ context.Context, to prompt.Target, table string) error { return at(to).showTable(table) },
		Tables:    func(ctx context.Context, to prompt.Target) error { return at(to).listTables(ctx, s) },
		Sources:   func(ctx context.Context, to prompt.Target) error { return at(to).showSources(ctx, s) },
		Listing:   func(to prompt.Target, rows [][]string) error { return render.Listing(to, at(to).width, rows) },
		ListSaved: func(to prompt.Target) error { return at(to).listQueries() },
		Refresh: func(ctx context.Context, to prompt.Target) error {
			defer s.Detach(ctx)
			return at(to).showSync(ctx, s, false)
		},
		Saved: func() []*queries.Query {
			all, _ := queries.All(a.queriesFolder()) // what is wrong with files is told when they are listed
			return all
		},
		Create: createWhole,
		Export: func(ctx context.Context, to prompt.Target, args []string) error {
			return at(to).exportTyped(ctx, s, args)
		},
		Chart: func(ctx context.Context, to prompt.Target, sql string) error {
			b := at(to)
			b.out.format = "chart"
			return b.query(ctx, s, statement{sql: sql})
		},
	}
	if !a.noSync {
		c.Sync = func(ctx context.Context) error {
			_, err := a.sync(ctx, s, false)
			s.Detach(ctx) // the next statement may be long in coming
			return err
		}
	}
	return c
}

// formatFlag is the format that flags ask for; empty for none.
func (a *app) formatFlag() string {
	if a.out.chart {
		return "chart"
	}
	return a.out.format
}

// at is the app that writes where the prompt's results go, as it is set there.
func (a *app) at(to prompt.Target, set *prompt.Settings) *app {
	b := *a
	b.stdout, b.stdoutTerminal = to, to.File == ""
	b.out = output{format: set.Format, rows: set.MaxRows, name: to.File, null: set.Null, untimed: !set.Timer}
	b.width = 0
	if b.stdoutTerminal {
		b.width = cmp.Or(set.Width, a.columns())
	}
	return &b
}

// columns is the terminal's width; that of the start for a test.
func (a *app) columns() int {
	if a.editor != nil {
		return a.width
	}
	columns, _ := a.screen()
	return columns
}

func createWhole(path string) (prompt.File, error) {
	f, err := files.Create(path)
	if err != nil {
		return prompt.File{}, err
	}
	return prompt.File{Writer: f, Commit: f.Commit, Abandon: f.Abandon}, nil
}

// inDots puts the prompt's own commands in place of the command line's.
func inDots(message string) string {
	return strings.NewReplacer("`hindsql tables NAME`", "`.describe NAME`", "`hindsql tables`", "`.tables`", "hindsql queries lists", ".queries lists").Replace(message)
}
