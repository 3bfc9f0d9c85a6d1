package show

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
)

// Sync loads what changed, with progress on a terminal.
func (v *View) Sync(ctx context.Context, full bool) (engine.SyncReport, error) {
	v.Progress.begin()
	report, err := v.Session.Sync(ctx, full)
	v.Progress.end()
	if err == nil && report.Busy && !v.told {
		v.told = true
		Notice(v.Err, "another process is loading; answering from what was loaded before")
	}
	return report, err
}

// Refresh syncs, and writes a line about what that did.
func (v *View) Refresh(ctx context.Context, w io.Writer, full bool) error {
	report, err := v.Sync(ctx, full)
	if err != nil || report.Busy {
		return err
	}
	if _, err := fmt.Fprintln(w, v.syncLine(report)); err != nil || report.Found > 0 {
		return err
	}
	return v.TellIfEmpty(ctx)
}

func (v *View) syncLine(r engine.SyncReport) string {
	parts := []string{fmt.Sprintf("%s found: %d loaded (%s), %d unchanged", render.Quantity(int64(r.Found), "log"), r.Loaded, render.Size(r.Bytes), r.Unchanged)}
	if r.Gone > 0 {
		parts = append(parts, fmt.Sprintf("%d gone, rows kept until hindsql prune", r.Gone))
	}
	if r.Problems > 0 {
		parts = append(parts, render.Quantity(int64(r.Problems), "problem")+" ("+v.Words.Problems+")")
	}
	return strings.Join(parts, "; ") + "; " + r.Elapsed.Round(time.Millisecond).String()
}

// TellIfEmpty says where logs were looked for when none was ever loaded.
func (v *View) TellIfEmpty(ctx context.Context) error {
	empty, err := v.IsEmpty(ctx)
	if err != nil || !empty {
		return err
	}
	var places []string
	for _, place := range v.Session.Places() {
		places = append(places, v.short(place.Path))
	}
	Notice(v.Err, "no logs found; looked in %s; try %s", strings.Join(places, ", "), v.Words.Sample)
	return nil
}

// IsEmpty says that no log was ever loaded into the store.
func (v *View) IsEmpty(ctx context.Context) (empty bool, err error) {
	set, err := v.Collect(ctx, "SELECT 1 FROM sources LIMIT 1", nil)
	return len(set.Rows) == 0, err
}
