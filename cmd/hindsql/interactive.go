package main

import (
	"context"
	"fmt"
	"io"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
)

// openPrompt runs the prompt until the user leaves it.
func (a *app) openPrompt(ctx context.Context, v *show.View) error {
	defer a.interrupts.take(func() {})() // between statements a Ctrl-C does nothing
	if err := a.greet(ctx, v); err != nil {
		return err
	}
	c := a.promptConfig(v)
	if c.Editor == nil {
		terminal := prompt.NewTerminal(ctx)
		defer terminal.Close()
		c.Editor = terminal
	}
	o := &opener{app: a, view: v}
	defer o.close()
	c.Opener = a.opens(o)
	p := prompt.New(c)
	a.runInit(ctx, p)
	if a.out.file != "" {
		if err := p.OutputTo(a.out.file); err != nil {
			return err
		}
	}
	return p.Run(ctx)
}

// greet says what is loaded, and how to get help.
func (a *app) greet(ctx context.Context, v *show.View) error {
	loaded, err := v.Loaded(ctx)
	if err != nil {
		return err
	}
	what := "hindsql"
	if a.sample == sampleAlways {
		what = "hindsql, on the sample"
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s from %s\nSQL up to a semicolon; .help lists commands, Tab completes, Ctrl-D leaves\n",
		what, render.Quantity(loaded.Messages, "message"), render.Quantity(loaded.Files, "log"))
	return err
}

// script runs SQL and commands as one-shot commands do. No pager holds back what
// commands write: they may ask, wait, or run other programs.
func (a *app) script(ctx context.Context, v *show.View, source, text string) error {
	run := func(to *render.Output) error {
		c := a.promptConfig(v)
		c.Editor, c.Interrupts, c.Results, c.History = nil, nil, to, ""
		c.Color, c.ASCII, c.Width = to.Color, to.ASCII, to.Width
		c.Settings.MaxRows, c.Settings.Timer = to.MaxRows, to.Timed
		o := &opener{app: a, view: v}
		defer o.close()
		c.Opener = a.opens(o)
		p := prompt.New(c)
		a.runInit(ctx, p)
		return p.Script(ctx, source, text)
	}
	if a.out.file == "" && prompt.HasCommands(text) {
		return run(a.toStdout(a.stdout))
	}
	return a.deliver(run)
}

// source is what errors call the file that one-shot SQL is of; empty for an
// argument.
func (a *app) source(args []string) string {
	switch {
	case len(args) > 0 || a.commands != "":
		return ""
	case a.file == "" || a.file == "-":
		return "stdin"
	}
	return a.file
}

func (a *app) promptConfig(v *show.View) prompt.Config {
	var exporter prompt.Exporter
	if !a.confine.safe {
		exporter = typedExport{a, v}
	}
	return prompt.Config{
		Safe: a.confine.safe,
		View: v, Synced: !a.noSync,
		Editor: a.editor, Out: a.stdout, Err: a.stderr, Color: a.color(), ASCII: a.ascii(), Width: a.width,
		Settings: prompt.Settings{Format: a.out.asked(), MaxRows: a.out.rows, Timer: true, Headers: true, Bail: true, Auto: true},
		InitFile: a.short(a.configured(initName)),
		History:  historyPath(a.world), Folder: a.queriesFolder(), Tools: a.tools(),
		Interrupts: a.interrupts,
		Exporter:   exporter,
	}
}

// tools are the user's programs for the prompt.
func (a *app) tools() prompt.Tools {
	tools := prompt.ToolsOf(a.os, a.lookup)
	tools.Pager = a.pager()
	return tools
}

// typedExport is the prompt's .export.
type typedExport struct {
	app  *app
	view *show.View
}

// Export takes the arguments of hindsql export.
func (e typedExport) Export(ctx context.Context, to io.Writer, args []string) error {
	return exportTyped(ctx, e.app.world, e.view, to, args)
}
