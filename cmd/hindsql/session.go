package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hindsql/engine"
)

// withSession opens a session, syncs it unless --no-sync says otherwise, and
// calls use.
func (a *app) withSession(ctx context.Context, use func(context.Context, *engine.Session) error) error {
	return a.withOpen(ctx, func(ctx context.Context, s *engine.Session) error {
		var report engine.SyncReport
		if !a.noSync {
			var err error
			if report, err = a.sync(ctx, s, false); err != nil {
				return err
			}
		}
		if report.Found == 0 {
			if err := a.tellIfEmpty(ctx, s); err != nil {
				return err
			}
		}
		return use(ctx, s)
	})
}

// withOpen opens a session, without a sync, on the user's logs or the sample.
func (a *app) withOpen(ctx context.Context, use func(context.Context, *engine.Session) error) error {
	config, err := a.config()
	if err != nil {
		return err
	}
	if a.sample == sampleAuto {
		if err := a.decideSample(ctx, config); err != nil {
			return err
		}
	}
	if a.sample == sampleAlways {
		if config, err = a.sampleConfig(config); err != nil {
			return err
		}
	}
	return a.withConfig(ctx, config, use)
}

// decideSample turns "auto" to "always" when there is nothing else to show.
func (a *app) decideSample(ctx context.Context, config engine.Config) error {
	empty, err := a.wouldBeEmpty(ctx, config)
	if err == nil && empty {
		a.notice("no logs found; this is the sample")
		a.sample = sampleAlways
	}
	return err
}

func (a *app) withConfig(ctx context.Context, config engine.Config, use func(context.Context, *engine.Session) error) error {
	bar := &progress{out: a.stderr}
	if a.stderrTerminal {
		config.Progress = bar.report
	}
	a.bar, a.bound = bar, config
	s, err := engine.Open(ctx, config)
	if err != nil {
		return err
	}
	return cmp.Or(use(ctx, s), s.Close())
}

// sync loads what changed, with progress on a terminal.
func (a *app) sync(ctx context.Context, s *engine.Session, full bool) (engine.SyncReport, error) {
	a.bar.begin()
	report, err := s.Sync(ctx, full)
	a.bar.end()
	if err == nil && report.Busy && !a.busyTold {
		a.busyTold = true
		a.notice("another process is loading; answering from what was loaded before")
	}
	return report, err
}

// tellIfEmpty says on stderr where logs were looked for when there are none.
func (a *app) tellIfEmpty(ctx context.Context, s *engine.Session) error {
	empty, err := isEmpty(ctx, s)
	if err != nil || !empty {
		return err
	}
	if a.noSync {
		a.notice("nothing is loaded yet; leave out --no-sync")
		return nil
	}
	a.notice("no logs found; looked in %s; try hindsql --sample", strings.Join(a.lookedIn(s), ", "))
	return nil
}

func (a *app) lookedIn(s *engine.Session) []string {
	var paths []string
	for _, place := range s.Places() {
		paths = append(paths, a.short(place.Path))
	}
	return paths
}

// wouldBeEmpty says that there are neither logs nor rows of earlier ones.
func (a *app) wouldBeEmpty(ctx context.Context, config engine.Config) (empty bool, err error) {
	err = a.withConfig(ctx, config, func(ctx context.Context, s *engine.Session) error {
		if slices.ContainsFunc(s.Places(), func(p engine.PlaceReport) bool { return p.Files > 0 }) {
			return nil
		}
		empty, err = isEmpty(ctx, s)
		return err
	})
	return empty, err
}

// isEmpty says that no file was ever loaded into the store.
func isEmpty(ctx context.Context, s *engine.Session) (bool, error) {
	empty := true
	err := s.Query(ctx, "SELECT 1 FROM sources LIMIT 1", nil, func(rows *engine.Rows) error {
		for rows.Next() {
			empty = false
		}
		return rows.Err()
	})
	return empty, err
}
