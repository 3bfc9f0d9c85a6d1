package main

import (
	"cmp"
	"context"
	"slices"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/engine/lake"
)

// commandWords are what messages propose on the command line.
var commandWords = ask.Words{
	ask.SeeTables: "hindsql tables", ask.SeeColumns: "hindsql tables NAME", ask.SeeQueries: "hindsql queries", ask.SeeSessions: "hindsql sessions",
	ask.SeeProblems: `hindsql "FROM problems"`, ask.SeeQuality: "hindsql run data-quality",
	ask.Refresh: "hindsql sync", ask.TrySample: "hindsql --sample", ask.Prune: "hindsql prune", ask.OtherStore: "--store", ask.WholeExport: "--update",
}

// withSession opens a session, syncs it unless --no-sync says otherwise, and
// calls use.
func (a *app) withSession(ctx context.Context, use func(context.Context, *show.View) error) error {
	return a.withOpen(ctx, a.synced(use))
}

// synced is use, behind a sync.
func (a *app) synced(use func(context.Context, *show.View) error) func(context.Context, *show.View) error {
	if a.lake != "" {
		return use // there are no logs
	}
	return func(ctx context.Context, v *show.View) error {
		var report engine.SyncReport
		if !a.noSync {
			var err error
			if report, err = v.Sync(ctx, false); err != nil {
				return err
			}
		}
		if report.Found == 0 {
			if err := a.tellIfEmpty(ctx, v); err != nil {
				return err
			}
		} else if err := a.tellScope(ctx, v); err != nil {
			return err
		}
		return use(ctx, v)
	}
}

// withOpen opens a session, without a sync, on the user's logs or the sample.
func (a *app) withOpen(ctx context.Context, use func(context.Context, *show.View) error) error {
	config, err := a.chosenConfig(ctx)
	if err != nil {
		return err
	}
	return a.withConfig(ctx, config, use)
}

// chosenConfig is that of the user's logs, or of the sample.
func (a *app) chosenConfig(ctx context.Context) (engine.Config, error) {
	config, err := a.config()
	if err == nil && a.sample == sampleAuto {
		err = a.decideSample(ctx, config)
	}
	switch {
	case err != nil:
	case a.sample == sampleAlways:
		config, err = a.sampleConfig(config)
	default:
		config, err = a.identified(config)
	}
	if err == nil && a.lake != "" {
		config.Lake, err = a.openLake(ctx)
	}
	return config, err
}

// openLake finds the rows of --lake, and says what of them is left out.
func (a *app) openLake(ctx context.Context) (*engine.Lake, error) {
	l, warnings, err := lake.Open(ctx, a.lake, lake.Options{Getenv: a.getenv, Home: a.home})
	for _, w := range warnings {
		a.notice("%v", w)
	}
	return l, err
}

// decideSample turns --sample=auto into always when nothing else can be shown.
func (a *app) decideSample(ctx context.Context, config engine.Config) error {
	empty, err := a.wouldBeEmpty(ctx, config)
	if err == nil && empty {
		a.notice("no logs found; this is the sample")
		a.sample = sampleAlways
	}
	return err
}

func (a *app) withConfig(ctx context.Context, config engine.Config, use func(context.Context, *show.View) error) error {
	v := &show.View{Store: config.Store, Home: a.home, Agents: a.agents(), Words: commandWords, Err: a.stderr}
	if a.stderrTerminal {
		v.Progress = show.NewProgress(a.stderr)
	}
	source, err := ask.Open(ctx, config, a.saved)
	if err != nil {
		return err
	}
	if v.Session, err = source.Session(ctx); err != nil {
		return cmp.Or(err, source.Close())
	}
	return cmp.Or(use(ctx, v), v.Session.Close(), source.Close())
}

// tellIfEmpty says what to do when nothing is loaded.
func (a *app) tellIfEmpty(ctx context.Context, v *show.View) error {
	if !a.noSync {
		return v.TellIfEmpty(ctx)
	}
	empty, err := v.Session.IsEmpty(ctx)
	if err == nil && empty {
		a.notice("nothing is loaded yet; leave out --no-sync")
	}
	return err
}

// wouldBeEmpty says that there are neither logs nor rows of earlier ones.
func (a *app) wouldBeEmpty(ctx context.Context, config engine.Config) (empty bool, err error) {
	err = a.withConfig(ctx, config, func(ctx context.Context, v *show.View) error {
		if slices.ContainsFunc(v.Places(), func(p engine.PlaceReport) bool { return p.Files > 0 }) {
			return nil
		}
		empty, err = v.Session.IsEmpty(ctx)
		return err
	})
	return empty, err
}
