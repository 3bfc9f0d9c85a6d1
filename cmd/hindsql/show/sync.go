package show

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
)

// Sync loads what changed, with progress on a terminal.
func (v *View) Sync(ctx context.Context, full bool) (engine.SyncReport, error) {
	return v.sync(ctx, engine.SyncOptions{Full: full})
}

func (v *View) sync(ctx context.Context, options engine.SyncOptions) (engine.SyncReport, error) {
	options.Progress = v.Report
	if v.Progress != nil {
		options.Progress = v.Progress.Report
		options.Waits = func() {
			Notice(v.Err, "another process loads the logs, and there is nothing to answer from before; waiting for it")
		}
	}
	v.Progress.begin()
	report, err := v.Session.Sync(ctx, options)
	v.Progress.end()
	for _, w := range report.Warnings {
		v.warn(w)
	}
	v.tellSalvage(report.Salvage)
	v.tellHealed(report.Healed)
	if err == nil {
		v.tellIfStale(&report)
	}
	return report, err
}

// warn writes a notice, once.
func (v *View) warn(w error) {
	text := w.Error()
	if !slices.Contains(v.warned, text) {
		v.warned = append(v.warned, text)
		Notice(v.Err, "%s", text)
	}
}

// tellIfStale says once that answers are old, since when, and which program
// prevents a sync.
func (v *View) tellIfStale(r *engine.SyncReport) {
	why := ""
	switch {
	case r.Held != nil:
		why = r.Held.Error()
	case r.Busy:
		why = "another process is loading"
	case r.Unwritable != nil:
		why = r.Unwritable.Error()
	}
	if why != "" && why != v.told {
		Notice(v.Err, "%s; answering from what was loaded%s", why, v.since())
	}
	v.told = why
}

// since is when the store was last up to date, if it ever was.
func (v *View) since() string {
	at := v.Session.Store().SyncedAt()
	if at.IsZero() {
		return " before"
	}
	return " at " + at.Format(time.DateTime)
}

// Places gives the folders that are searched. It writes a notice when some could
// not be read.
func (v *View) Places() []engine.PlaceReport {
	places, err := v.Session.Store().Places()
	if err != nil {
		Notice(v.Err, "%v", err)
	}
	for _, p := range places {
		if p.Silent != nil {
			v.warn(p.Silent)
		}
	}
	return places
}

// Refresh syncs, also from disks that gave no answer a moment ago, and writes a line
// about what that did. Its error is the disk's
// where that took no more rows: a sync has nothing else to do.
func (v *View) Refresh(ctx context.Context, w io.Writer, full bool) error {
	report, err := v.sync(ctx, engine.SyncOptions{Full: full, Retry: true})
	if err != nil || !report.Whole() && report.Loaded == 0 {
		if err == nil && report.Unwritable != nil {
			return errors.New("nothing was loaded")
		}
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
		parts = append(parts, fmt.Sprintf("%d gone, rows kept until %s", r.Gone, v.Words.Prune))
	}
	if r.Problems > 0 {
		parts = append(parts, render.Quantity(r.Problems, "problem")+" ("+v.Words.Problems+")")
	}
	return strings.Join(parts, "; ") + "; " + r.Elapsed.Round(time.Millisecond).String()
}

// TellIfEmpty says where logs were looked for when none was ever loaded.
func (v *View) TellIfEmpty(ctx context.Context) error {
	empty, err := v.IsEmpty(ctx)
	if err != nil || !empty {
		return err
	}
	Notice(v.Err, "no logs found; looked in %s; try %s", v.lookedIn(), v.Words.Sample)
	return nil
}

// lookedIn names the first folder of each agent, and those that the user did: an
// agent may have a dozen by default.
func (v *View) lookedIn() string {
	var named []string
	first, more := map[string]bool{}, 0
	for _, place := range v.Places() {
		if first[place.Agent] && place.From == "default" {
			more++
			continue
		}
		first[place.Agent] = true
		named = append(named, v.short(place.Path))
	}
	list := strings.Join(named, ", ")
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// IsEmpty says that no log was ever loaded into the store.
func (v *View) IsEmpty(ctx context.Context) (empty bool, err error) {
	set, err := v.Collect(ctx, "SELECT 1 FROM sources LIMIT 1", nil)
	return len(set.Rows) == 0, err
}
