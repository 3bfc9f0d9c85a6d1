package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/words"
)

// Sync loads changes in the logs, with progress on a terminal.
func (v *View) Sync(ctx context.Context, full bool) (engine.SyncReport, error) {
	return v.sync(ctx, engine.SyncOptions{Full: full})
}

func (v *View) sync(ctx context.Context, options engine.SyncOptions) (engine.SyncReport, error) {
	if v.Progress != nil {
		options.Progress = v.Progress.Report
		options.Waits = func() {
			Notice(v.Err, "another process loads the logs, and there is nothing to answer from before; waiting for it")
		}
	}
	v.Progress.begin()
	synced, err := v.Session.Sync(ctx, options)
	v.Progress.end()
	tellSalvage(v, synced.Salvage)
	tellHealed(v, synced.Healed)
	v.Tell(synced.Notices...)
	if err == nil && synced.Behind == "" {
		v.told = ""
	}
	return synced.SyncReport, err
}

// Tell writes notices. It writes a warning only once. It leaves out the reason for old
// answers if it was also the last reason written.
func (v *View) Tell(list ...ask.Notice) {
	for _, n := range list {
		text := v.Words.Text(n)
		switch n.Kind {
		case ask.Empty:
			v.toldEmpty = true
		case ask.Stale:
			if n.Subject == v.told {
				continue
			}
			v.told = n.Subject
		case ask.Warning:
			if slices.Contains(v.warned, text) {
				continue
			}
			v.warned = append(v.warned, text)
		}
		Notice(v.Err, "%s", text)
	}
}

// Places returns the folders searched for logs. It writes a notice for an unreadable
// folder.
func (v *View) Places() []engine.PlaceReport {
	places, err := v.Session.Store().Places()
	if err != nil {
		Notice(v.Err, "%v", err)
	}
	for _, p := range places {
		if p.Silent != nil {
			v.Tell(ask.Notice{Kind: ask.Warning, Subject: p.Silent.Error()})
		}
	}
	return places
}

// Refresh syncs, and writes a line about the result. It also tries disks again that
// recently gave no answer. If the store's disk accepted no rows, it returns an error,
// because the user asked only for the sync.
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
	parts := []string{fmt.Sprintf("%s found: %d loaded (%s), %d unchanged", words.Quantity(r.Found, "log"), r.Loaded, words.Size(r.Bytes), r.Unchanged)}
	if r.Gone > 0 {
		parts = append(parts, fmt.Sprintf("%d gone, rows kept until %s", r.Gone, v.Words[ask.Prune]))
	}
	if r.Problems > 0 {
		parts = append(parts, words.Quantity(r.Problems, "problem")+" ("+v.Words[ask.SeeProblems]+")")
	}
	return strings.Join(parts, "; ") + "; " + words.Duration(r.Elapsed)
}

// TellIfEmpty writes a notice with the searched folders if the store has no logs.
func (v *View) TellIfEmpty(ctx context.Context) error {
	empty, err := v.Session.IsEmpty(ctx)
	if err != nil || !empty {
		return err
	}
	v.Tell(ask.Notice{Kind: ask.Empty, Subject: "no logs found; looked in " + v.lookedIn(), Next: ask.TrySample})
	return nil
}

// lookedIn returns the searched folders in words: the first default folder of each
// agent, and all folders named by the user. It only counts the other default folders,
// because an agent may have a dozen.
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
