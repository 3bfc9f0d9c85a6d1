package main

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/regular"
)

// initName is a file in the user's configuration folder. Each start of the prompt and
// of a one-shot query runs the file first.
const initName = "init.sql"

// promptOptions are the flags of the prompt, one-shot statements and saved queries.
type promptOptions struct {
	shared
	noInit bool
}

func (o *promptOptions) addFlags(flags *pflag.FlagSet) {
	o.where.confine.addFlags(flags)
	flags.BoolVar(&o.noInit, "no-init", false, "leave out init.sql of hindsql's configuration folder, which each start runs")
}

// readInit runs the user's init.sql if it exists. SQL of other people, with --safe,
// runs without init.sql, because the file is the user's own SQL.
func readInit(ctx context.Context, w *world, o promptOptions, p *prompt.Prompt) {
	path := w.configured(initName)
	if o.noInit || o.where.confine.safe || path == "" {
		return
	}
	text, err := regular.Read(path, regular.Own)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		w.notice("%v; it is left out", err)
	default:
		p.Init(ctx, w.short(path), string(text))
	}
}

// initSaved runs init.sql before a saved query, because the query may use its views.
func initSaved(ctx context.Context, w *world, o promptOptions, v *term.View) {
	c := promptConfig(w, o.shared, v)
	c.Editor, c.Interrupts, c.History = nil, nil, ""
	readInit(ctx, w, o, prompt.New(c))
}
