package main

import (
	"cmp"
	"context"
	"slices"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/engine/fleet/lake"
)

// commandWords are the commands that messages on the command line propose.
var commandWords = ask.Words{
	ask.SeeTables: "hindsql tables", ask.SeeColumns: "hindsql tables NAME", ask.SeeQueries: "hindsql queries", ask.SeeSessions: "hindsql sessions",
	ask.SeeProblems: `hindsql "FROM problems"`, ask.SeeQuality: "hindsql run data-quality",
	ask.Refresh: "hindsql sync", ask.TrySample: "hindsql --sample", ask.Prune: "hindsql prune", ask.OtherStore: "--store", ask.WholeExport: "--update",
}

// withSession opens a session, syncs unless --no-sync is set, and calls use.
func withSession(ctx context.Context, w *world, from *where, use func(context.Context, *term.View) error) error {
	return withOpen(ctx, w, from, synced(w, from, use))
}

// synced returns a function that syncs, unless --no-sync is set, and then calls use.
func synced(w *world, from *where, use func(context.Context, *term.View) error) func(context.Context, *term.View) error {
	if from.lake != "" {
		return use // a lake has no logs
	}
	return func(ctx context.Context, v *term.View) error {
		var report engine.SyncReport
		if !from.noSync {
			var err error
			if report, err = v.Sync(ctx, false); err != nil {
				return err
			}
		}
		if from.quiet {
			return use(ctx, v)
		}
		if report.Found == 0 {
			if err := tellIfEmpty(ctx, w, from, v); err != nil {
				return err
			}
		} else if err := tellScope(ctx, w, from, v); err != nil {
			return err
		}
		return use(ctx, v)
	}
}

// withOpen opens a session without a sync, on the user's logs or the sample.
func withOpen(ctx context.Context, w *world, from *where, use func(context.Context, *term.View) error) error {
	config, err := chosenConfig(ctx, w, from)
	if err != nil {
		return err
	}
	return withConfig(ctx, w, config, use)
}

// chosenConfig returns the configuration for the user's logs, or for the sample.
func chosenConfig(ctx context.Context, w *world, from *where) (engine.Config, error) {
	config, err := ownConfig(w, from)
	if err == nil && from.sample == sampleAuto {
		err = decideSample(ctx, w, from, config)
	}
	switch {
	case err != nil:
	case from.sample == sampleAlways:
		config, err = sampleConfig(w, config)
	default:
		config, err = identified(w, config)
	}
	if err == nil && from.lake != "" {
		config.Lake, err = openLake(ctx, w, from)
	}
	return config, err
}

// openLake opens the rows of --lake. It warns about rows that it leaves out.
func openLake(ctx context.Context, w *world, from *where) (*engine.Lake, error) {
	l, warnings, err := lake.Open(ctx, from.lake, lake.Options{Getenv: w.getenv, Home: w.home})
	for _, warning := range warnings {
		w.notice("%v", warning)
	}
	return l, err
}

// decideSample changes --sample=auto to always if the machine has no logs and the store
// no rows.
func decideSample(ctx context.Context, w *world, from *where, config engine.Config) error {
	empty, err := wouldBeEmpty(ctx, w, config)
	if err == nil && empty {
		w.notice("no logs found; this is the sample")
		from.sample = sampleAlways
	}
	return err
}

func withConfig(ctx context.Context, w *world, config engine.Config, use func(context.Context, *term.View) error) error {
	v := &term.View{Store: config.Store, Home: w.home, Agents: w.agents(), Words: commandWords, Err: w.stderr}
	if w.stderrTerminal {
		v.Progress = term.NewProgress(w.stderr)
	}
	source, err := ask.Open(ctx, config, savedOf(w))
	if err != nil {
		return err
	}
	if v.Session, err = source.Session(ctx); err != nil {
		return cmp.Or(err, source.Close())
	}
	return cmp.Or(use(ctx, v), v.Session.Close(), source.Close())
}

// tellIfEmpty tells the user what to do if no log is loaded.
func tellIfEmpty(ctx context.Context, w *world, from *where, v *term.View) error {
	if !from.noSync {
		return v.TellIfEmpty(ctx)
	}
	empty, err := v.Session.IsEmpty(ctx)
	if err == nil && empty {
		v.Tell(ask.Notice{Kind: ask.Empty, Subject: "nothing is loaded yet; leave out --no-sync"})
	}
	return err
}

// wouldBeEmpty reports whether the machine has no logs and the store no rows.
func wouldBeEmpty(ctx context.Context, w *world, config engine.Config) (empty bool, err error) {
	err = withConfig(ctx, w, config, func(ctx context.Context, v *term.View) error {
		if slices.ContainsFunc(v.Places(), func(p engine.PlaceReport) bool { return p.Files > 0 }) {
			return nil
		}
		empty, err = v.Session.IsEmpty(ctx)
		return err
	})
	return empty, err
}
