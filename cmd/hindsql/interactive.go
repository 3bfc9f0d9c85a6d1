package main

import (
	"context"
	"fmt"
	"io"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/term"
)

// openPrompt runs the prompt until the user leaves.
func openPrompt(ctx context.Context, w *world, o rootOptions, v *term.View) error {
	defer w.interrupts.take(func() {})() // between statements Ctrl-C does nothing
	if err := greet(ctx, w, o.where, v); err != nil {
		return err
	}
	c := promptConfig(w, o.shared, v)
	if c.Editor == nil {
		terminal := prompt.NewTerminal(ctx)
		defer terminal.Close()
		c.Editor = terminal
	}
	other := &opener{world: w, from: o.where, view: v}
	defer other.close()
	c.Opener = other.opens()
	p := prompt.New(c)
	readInit(ctx, w, o.promptOptions, p)
	if o.out.file != "" {
		if err := p.OutputTo(o.out.file); err != nil {
			return err
		}
	}
	return p.Run(ctx)
}

// greet sums up the loaded rows, and says how to get help.
func greet(ctx context.Context, w *world, from *where, v *term.View) error {
	loaded, err := v.Loaded(ctx)
	if err != nil {
		return err
	}
	what := "hindsql"
	if from.sample == sampleAlways {
		what = "hindsql, on the sample"
	}
	_, err = fmt.Fprintf(w.stdout, "%s: %s\nSQL up to a semicolon; .help lists commands, Tab completes, Ctrl-D leaves\n",
		what, loaded)
	return err
}

// doScript runs SQL and prompt commands that were given on the command line, as opposed
// to typed at the prompt. If the text has commands, doScript uses no pager, because
// commands may ask, wait, or run programs.
func doScript(ctx context.Context, w *world, o rootOptions, v *term.View, text string) error {
	run := func(to *term.Output) error {
		c := promptConfig(w, o.shared, v)
		c.Editor, c.Interrupts, c.Results, c.History = nil, nil, to, ""
		c.Color, c.ASCII, c.Width = to.Color, to.ASCII, to.Width
		c.Settings.MaxRows, c.Settings.Timer = to.MaxRows, to.Timed
		other := &opener{world: w, from: o.where, view: v}
		defer other.close()
		c.Opener = other.opens()
		p := prompt.New(c)
		readInit(ctx, w, o.promptOptions, p)
		return p.Script(ctx, o.source(), text)
	}
	if o.out.file == "" && prompt.HasCommands(text) {
		return run(toStdout(w, o.out, w.stdout))
	}
	return deliver(w, o.out, run)
}

// source returns the name that errors use for the file with the SQL; empty if the SQL
// is an argument.
func (o *rootOptions) source() string {
	switch {
	case len(o.sql) > 0 || o.commands != "":
		return ""
	case o.file == "" || o.file == "-":
		return "stdin"
	}
	return o.file
}

func promptConfig(w *world, s shared, v *term.View) prompt.Config {
	var exporter prompt.Exporter
	if !s.where.confine.safe {
		exporter = typedExport{w, v}
	}
	return prompt.Config{
		Safe: s.where.confine.safe,
		View: v, Synced: !s.where.noSync,
		Editor: w.editor, Out: w.stdout, Err: w.stderr, Color: w.color(), ASCII: w.ascii(), Width: w.width,
		Settings: prompt.Settings{Format: s.out.asked(), MaxRows: s.out.rows, Timer: true, Headers: true, Bail: true, Auto: true},
		InitFile: w.short(w.configured(initName)),
		History:  historyPath(w), Own: ownQueries(w), Tools: toolsOf(w, s.out),
		Interrupts: w.interrupts,
		Exporter:   exporter,
	}
}

// toolsOf returns the user's programs for the prompt.
func toolsOf(w *world, out *output) prompt.Tools {
	tools := prompt.ToolsOf(w.os, w.lookup)
	tools.Pager = pager(w, out)
	return tools
}

// typedExport is the prompt's .export.
type typedExport struct {
	world *world
	view  *term.View
}

// Export takes the arguments of hindsql export.
func (e typedExport) Export(ctx context.Context, to io.Writer, args []string) error {
	return exportTyped(ctx, e.world, e.view, to, args)
}
