package engine

import (
	"context"
	"time"

	"hindsql/engine/store"
)

// rebuildDamaged makes the store anew from the logs and from the readable rows of the
// damaged store. It sets the damaged file aside.
func (f *file) rebuildDamaged(ctx context.Context, p plan, tell func(Progress), now time.Time) (done loads, report *Salvage, err error) {
	report = &Salvage{Aside: f.in.at.DamagedName(now)}
	saved := f.in.at.Saved()
	defer func() { _ = store.Remove(saved) }()
	if err := store.Remove(saved); err != nil {
		return done, report, err
	}
	if err := f.salvage(ctx, p, saved, report); err != nil {
		return done, report, f.in.at.Explain(err)
	}
	old := saved
	if report.Err != nil {
		old = ""
	}
	done, err = f.rebuild(ctx, p, tell, old, func() error { return f.in.at.SetAside(report.Aside) })
	return done, report, err
}
