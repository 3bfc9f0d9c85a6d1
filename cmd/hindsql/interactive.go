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
	p := prompt.New(c)
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

func (a *app) promptConfig(v *show.View) prompt.Config {
	var exporter prompt.Exporter
	if !a.confine.safe {
		exporter = typedExport{a, v}
	}
	return prompt.Config{
		Safe: a.confine.safe,
		View: v, Synced: !a.noSync,
		Editor: a.editor, Out: a.stdout, Err: a.stderr, Color: a.color(), ASCII: a.ascii(), Width: a.width,
		Settings: prompt.Settings{Format: a.out.asked(), MaxRows: a.out.rows, Timer: true},
		History:  a.historyPath(), Folder: a.queriesFolder(), Tools: a.tools(),
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
	return e.app.exportTyped(ctx, e.view, to, args)
}
