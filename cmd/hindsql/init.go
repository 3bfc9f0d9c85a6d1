package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/term"
)

// initName is the file, in the folder of the user's configuration, that each start
// of the prompt and of a one-shot query runs first.
const initName = "init.sql"

// promptOptions are what the prompt, one-shot statements and saved queries are
// asked for.
type promptOptions struct {
	shared
	noInit bool
}

func (o *promptOptions) addFlags(flags *pflag.FlagSet) {
	o.where.confine.addFlags(flags)
	flags.BoolVar(&o.noInit, "no-init", false, "leave out init.sql of hindsql's configuration folder, which each start runs")
}

// readInit runs the user's init.sql where there is one. It is the user's own word:
// SQL of other people's, with --safe, runs without.
func readInit(ctx context.Context, w *world, o promptOptions, p *prompt.Prompt) {
	path := w.configured(initName)
	if o.noInit || o.where.confine.safe || path == "" {
		return
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		w.notice("%v; it is left out", err)
	default:
		p.Init(ctx, w.short(path), string(text))
	}
}

// initSaved runs init.sql before a saved query, which may name views of it.
func initSaved(ctx context.Context, w *world, o promptOptions, v *term.View) {
	c := promptConfig(w, o.shared, v)
	c.Editor, c.Interrupts, c.History = nil, nil, ""
	readInit(ctx, w, o, prompt.New(c))
}
