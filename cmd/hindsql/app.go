package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/queries"
)

// app is one run of the program, for what is not parted yet.
type app struct {
	*world
	*where
	out *output

	commands, file string // of the root command
	versionAsked   bool
	noInit         bool // without the user's init.sql

	root *cobra.Command
	aim  aim
}

func newApp(w *world) *app { return &app{world: w, where: &where{}, out: &output{}} }

func (a *app) shared() shared { return shared{where: a.where, out: a.out} }

func (a *app) config() (engine.Config, error) { return ownConfig(a.world, a.where) }
func (a *app) sampleConfig(c engine.Config) (engine.Config, error) {
	return sampleConfig(a.world, c)
}
func (a *app) identified(c engine.Config) (engine.Config, error) { return identified(a.world, c) }
func (a *app) tellScope(ctx context.Context, v *show.View) error {
	return tellScope(ctx, a.world, a.where, v)
}
func (a *app) alert(ctx context.Context, v *show.View, q ask.Statement) error {
	return deliverAlert(ctx, a.world, a.out, v, q)
}
func (a *app) deliver(write func(*render.Output) error) error { return deliver(a.world, a.out, write) }
func (a *app) pager() show.Pager                              { return pager(a.world, a.out) }
func (a *app) toStdout(to io.Writer) *render.Output           { return toStdout(a.world, a.out, to) }
func (a *app) queriesFolder() string                          { return queriesFolder(a.world) }

func withSession(ctx context.Context, w *world, from *where, use func(context.Context, *show.View) error) error {
	return (&app{world: w, where: from}).withSession(ctx, use)
}

func withOpen(ctx context.Context, w *world, from *where, use func(context.Context, *show.View) error) error {
	return (&app{world: w, where: from}).withOpen(ctx, use)
}

func withConfig(ctx context.Context, w *world, config engine.Config, use func(context.Context, *show.View) error) error {
	return (&app{world: w}).withConfig(ctx, config, use)
}

func chosenConfig(ctx context.Context, w *world, from *where) (engine.Config, error) {
	return (&app{world: w, where: from}).chosenConfig(ctx)
}

func synced(w *world, from *where, use func(context.Context, *show.View) error) func(context.Context, *show.View) error {
	return (&app{world: w, where: from}).synced(use)
}

func savedQuery(w *world, name string) (*queries.Query, error) {
	return (&app{world: w}).savedQuery(name)
}
func saved(w *world) ([]*queries.Query, error)        { return (&app{world: w}).saved() }
func queryNamed(w *world, name string) *queries.Query { return (&app{world: w}).named(name) }
func reportNames(w *world) []string                   { return (&app{world: w}).reportNames() }

var _ prompt.Exporter = typedExport{}
