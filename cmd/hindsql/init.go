package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/show"
)

// initName is the file, in the folder of the user's configuration, that each start
// of the prompt and of a one-shot query runs first.
const initName = "init.sql"

func (a *app) addInitFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.noInit, "no-init", false, "leave out init.sql of hindsql's configuration folder, which each start runs")
}

// runInit runs the user's init.sql where there is one. It is the user's own word:
// SQL of other people's, with --safe, runs without.
func (a *app) runInit(ctx context.Context, p *prompt.Prompt) {
	path := a.configured(initName)
	if a.noInit || a.confine.safe || path == "" {
		return
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		a.notice("%v; it is left out", err)
	default:
		p.Init(ctx, a.short(path), string(text))
	}
}

// initSaved runs init.sql before a saved query, which may name views of it.
func (a *app) initSaved(ctx context.Context, v *show.View) {
	c := a.promptConfig(v)
	c.Editor, c.Interrupts, c.History = nil, nil, ""
	a.runInit(ctx, prompt.New(c))
}
