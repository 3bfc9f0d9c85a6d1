package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/regular"
)

// initName is a file in the user's configuration folder. Each start of the prompt and
// of a one-shot query runs the file first.
const initName = "init.sql"

// promptOptions are the flags of the prompt, one-shot statements and saved queries.
type promptOptions struct {
	commandLine
	noInit bool
}

func (o *promptOptions) addFlags(flags *pflag.FlagSet) {
	o.logs.confine.addFlags(flags)
	flags.BoolVar(&o.noInit, "no-init", false, "leave out init.sql of hindsql's configuration folder, which each start runs")
}

// openPrompt runs the prompt until the user leaves.
func openPrompt(ctx context.Context, env *environment, o promptOptions, v *term.View) error {
	defer env.interrupts.handleWith(func() {})() // between statements Ctrl-C does nothing
	if err := printGreeting(ctx, env, o.logs, v); err != nil {
		return err
	}
	c := promptConfig(env, o.commandLine, v)
	if c.Editor == nil {
		terminal := prompt.NewTerminal(ctx)
		defer terminal.Close()
		c.Editor = terminal
	}
	other := &opener{env: env, from: o.logs, view: v}
	defer other.close()
	c.Open = other.openFunc()
	p := prompt.New(c)
	readInit(ctx, env, o, p)
	if o.out.file != "" {
		if err := p.OutputTo(o.out.file); err != nil {
			return err
		}
	}
	return p.Run(ctx)
}

// printGreeting sums up the loaded rows, and says how to get help.
func printGreeting(ctx context.Context, env *environment, from *logFlags, v *term.View) error {
	loaded, err := v.Loaded(ctx)
	if err != nil {
		return err
	}
	what := "hindsql"
	if from.sample == sampleAlways {
		what = "hindsql, on the sample"
	}
	_, err = fmt.Fprintf(env.stdout, "%s: %s\nSQL up to a semicolon; .help lists commands, Tab completes, Ctrl-D leaves\n",
		what, loaded)
	return err
}

// executeScript runs SQL and prompt commands that were given on the command line, as opposed
// to typed at the prompt. If the text has commands, executeScript uses no pager, because
// commands may ask, wait, or run programs.
func executeScript(ctx context.Context, env *environment, o promptOptions, v *term.View, source, text string) error {
	run := func(to *term.Output) error {
		c := promptConfig(env, o.commandLine, v)
		c.Editor, c.Interruptible, c.Results, c.History = nil, nil, to, ""
		c.Color, c.ASCII, c.Width = to.Color, to.ASCII, to.Width
		c.Settings.MaxRows, c.Settings.Timer = to.MaxRows, to.Timed
		other := &opener{env: env, from: o.logs, view: v}
		defer other.close()
		c.Open = other.openFunc()
		p := prompt.New(c)
		readInit(ctx, env, o, p)
		return p.Script(ctx, source, text)
	}
	if o.out.file == "" && prompt.HasCommands(text) {
		return run(toStdout(env, o.out, env.stdout))
	}
	return deliver(env, o.out, run)
}

func promptConfig(env *environment, s commandLine, v *term.View) prompt.Config {
	c := prompt.Config{
		Safe: s.logs.confine.safe,
		View: v, Synced: !s.logs.noSync,
		Editor: env.editor, Out: env.stdout, Err: env.stderr, Color: env.hasColor(), ASCII: env.isASCII(), Width: env.width,
		Settings: prompt.Settings{Format: s.out.asked(), MaxRows: s.out.rows, Timer: true, Headers: true, Bail: true, Auto: true},
		InitFile: env.short(env.configured(initName)),
		History:  historyPath(env), Own: ownQueries(env, s), Tools: toolsOf(env, s.out),
		Interruptible: env.interrupts.interruptible,
	}
	if !s.logs.confine.safe {
		c.Export = func(ctx context.Context, to io.Writer, args []string) error {
			return exportFromPrompt(ctx, env, v, to, args)
		}
	}
	return c
}

// toolsOf returns the user's programs for the prompt.
func toolsOf(env *environment, out *outputFlags) prompt.Tools {
	tools := prompt.ToolsOf(env.os, env.lookup)
	tools.Pager = pager(env, out)
	return tools
}

// readInit runs the user's init.sql if it exists. SQL of other people, with --safe,
// runs without init.sql, because the file is the user's own SQL.
func readInit(ctx context.Context, env *environment, o promptOptions, p *prompt.Prompt) {
	path := env.configured(initName)
	if o.noInit || o.logs.confine.safe || path == "" {
		return
	}
	text, err := regular.Read(path, regular.Own)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		env.notice("%v; it is left out", err)
	default:
		p.Init(ctx, env.short(path), string(text))
	}
}

// initSaved runs init.sql before a saved query, because the query may use its views.
func initSaved(ctx context.Context, env *environment, o promptOptions, v *term.View) {
	c := promptConfig(env, o.commandLine, v)
	c.Editor, c.Interruptible, c.History = nil, nil, ""
	readInit(ctx, env, o, prompt.New(c))
}

// historyPath returns the file of the prompt's history; empty if no home is known.
func historyPath(env *environment) string { return env.state("history") }

// opener is the prompt's command .open, which switches to another store.
type opener struct {
	env   *environment
	from  *logFlags
	view  *term.View
	first *term.View // a copy of the View at the start of the prompt; nil if no other store is open
}

// openFunc returns the function of the prompt. It is nil with --safe, and on the sample,
// because the sample's logs must not get into the user's store.
func (o *opener) openFunc() func(ctx context.Context, path string) error {
	if o.from.sample == sampleAlways || o.from.confine.safe {
		return nil
	}
	return o.open
}

// open switches to the store at a path and syncs it, as a start with --store does.
func (o *opener) open(ctx context.Context, path string) error {
	config, err := ownConfig(o.env, o.from)
	if err != nil {
		return err
	}
	if config, err = withMachine(o.env, config); err != nil {
		return err
	}
	config.Store = path
	source, err := ask.Open(ctx, config, queriesFunc(o.env))
	if err != nil {
		return err
	}
	next := *o.view
	next.Store = path
	if next.Session, err = source.Session(ctx); err != nil {
		return cmp.Or(err, source.Close())
	}
	if !o.from.noSync {
		_, err = next.Sync(ctx, false)
	}
	if err != nil {
		return cmp.Or(err, next.Session.Close(), source.Close())
	}
	o.close()
	before := *o.view
	o.first = &before
	*o.view = next
	return nil
}

// close closes the store that open opened, and restores the View of the prompt's start.
// The first store stays open for the code that opened the store.
func (o *opener) close() {
	if o.first == nil {
		return
	}
	_ = cmp.Or(o.view.Session.Close(), o.view.Session.Source().Close())
	*o.view = *o.first
	o.first = nil
}
