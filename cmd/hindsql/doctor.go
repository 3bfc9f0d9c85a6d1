package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/engine/result"
	"hindsql/internal/words"
)

// state says how what was looked at is.
type state string

const (
	stateOK     state = "ok"
	stateLook   state = "look"   // it works, and there is something to know or to do
	stateBroken state = "broken" // something doesn't work until somebody mends it
)

// finding is what doctor found about one thing.
type finding struct {
	state state
	about string
	what  string
	do    string // empty: nothing is to be done
}

// errBroken ends doctor when something is broken. All is said by then.
var errBroken = errors.New("something is broken")

func newDoctorCommand(w *world, s shared) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look whether all is well: logs, store, settings",
		Long: `Looks at what hindsql works with, and says what to do about what it finds: the
store, the folders that logs are looked for in, how long agents keep their logs,
versions, records and fields that this build doesn't know, damage, which agents
start hindsql mcp, prices, your own queries and reports, and the process that
others' SQL runs in.

The exit code is 1 when something is broken, else 0: what is worth a look, or
missing, breaks nothing.`,
		Example:           "  hindsql doctor\n  hindsql doctor --format json",
		Args:              between(0, 0, "hindsql doctor"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), w, s) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func runDoctor(ctx context.Context, w *world, s shared) error {
	found := []finding{{stateOK, "hindsql", buildVersion() + ", DuckDB " + engine.DuckDBVersion(), ""}}
	err := withOpen(ctx, w, s.where, func(ctx context.Context, v *show.View) error {
		more, err := lookAt(ctx, w, s.where, v)
		found = append(found, more...)
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		what, next, _ := strings.Cut(commandWords.Explain(err), "; ")
		found = append(found, finding{stateBroken, "store", what, next})
	}
	found = append(found, lookAtServers(w, s.where)...)
	found = append(found, lookAtOwnFiles(w, s.where)...)
	found = append(found, lookAtSkills(w)...)
	found = append(found, lookAtWorker(ctx))
	if err := deliver(w, s.out, func(to *render.Output) error { return tellFindings(to, found) }); err != nil {
		return err
	}
	for _, f := range found {
		if f.state == stateBroken {
			return errBroken
		}
	}
	return nil
}

// lookAt looks at the store and at what was loaded into it.
func lookAt(ctx context.Context, w *world, from *where, v *show.View) (found []finding, err error) {
	var report engine.SyncReport
	if !from.noSync {
		if report, err = v.Sync(ctx, false); err != nil {
			return nil, err
		}
	}
	found = append(found, lookAtStore(w, v, &report))
	places := v.Places()
	found = append(found, lookAtPlaces(w, places)...)
	for _, check := range []func(context.Context, *show.View) ([]finding, error){
		func(ctx context.Context, v *show.View) ([]finding, error) { return lookAtRetention(ctx, w, v, places) },
		lookAtLogs, lookAtUnknown, lookAtRuns,
	} {
		more, err := check(ctx, v)
		if err != nil {
			return found, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// lookAtStore tells the store's size and age, who holds it, and whether others
// can read it.
func lookAtStore(w *world, v *show.View, report *engine.SyncReport) finding {
	f := finding{stateOK, "store", w.short(v.Store), ""}
	info, err := os.Stat(v.Store)
	if err != nil {
		return finding{stateLook, "store", f.what + ": not there yet", "hindsql sync loads the logs"}
	}
	f.what += ", " + words.Size(info.Size())
	if at := v.Session.Store().SyncedAt(); !at.IsZero() {
		f.what += ", brought up to date at " + words.Moment(at)
	}
	switch {
	case report.Held != nil:
		f = finding{stateLook, "store", f.what + "; " + report.Held.Error(), "close it there; until then answers are of that time"}
	case report.Unwritable != nil:
		f = finding{stateBroken, "store", f.what + "; " + report.Unwritable.Error(), "make room or a folder that can be written to, or name another store with --store"}
	case report.Busy:
		f = finding{stateLook, "store", f.what + "; another process is loading", "ask again when it is done"}
	case w.os != "windows" && info.Mode().Perm()&0o077 != 0:
		f = finding{stateLook, "store", f.what + "; others on this machine can read it", "chmod 600 " + w.short(v.Store)}
	}
	return f
}

// lookAtPlaces tells which folders there are, by agent; of those that aren't
// there, one an agent that has none.
func lookAtPlaces(w *world, places []engine.PlaceReport) (found []finding) {
	var missing []string
	for _, r := range w.readers {
		var there []string
		var files int
		first, silent := "", false
		for _, p := range places {
			switch {
			case p.Agent != r.Agent:
			case p.Silent != nil:
				what, do, _ := strings.Cut(p.Silent.Error(), "; look ")
				found = append(found, finding{stateLook, r.Agent, w.short(what), "look " + do})
				silent = true
			case p.Exists:
				files += p.Files
				there = append(there, fmt.Sprintf("%s (%s, %s)", w.short(p.Path), words.Quantity(int64(p.Files), "log"), words.Size(p.Bytes)))
			case first == "":
				first = w.short(p.Path)
			}
		}
		switch {
		case there == nil && silent:
		case there == nil:
			missing = append(missing, r.Agent+" ("+first+")")
		case files == 0:
			found = append(found, finding{stateLook, r.Agent, "no logs in " + strings.Join(there, ", "), "--root " + r.Agent + "=FOLDER names another folder"})
		default:
			found = append(found, finding{stateOK, r.Agent, strings.Join(there, ", "), ""})
		}
	}
	if missing != nil {
		f := finding{stateOK, "not here", strings.Join(missing, ", "), ""}
		if len(missing) == len(w.readers) {
			f = finding{stateLook, "no logs", "none of these folders is there: " + strings.Join(missing, ", "), "--root AGENT=FOLDER names one; hindsql --sample shows made-up logs"}
		}
		found = append(found, f)
	}
	return found
}

// tellFindings writes a line a finding, and below it what to do; in any other
// format than people's rows.
func tellFindings(to *render.Output, found []finding) error {
	if !to.ForPeople() {
		set := result.Set{Columns: result.Columns("state VARCHAR", "about VARCHAR", "what VARCHAR", "do VARCHAR")}
		for _, f := range found {
			row := []any{string(f.state), f.about, f.what, nil}
			if f.do != "" {
				row[3] = f.do
			}
			set.Rows = append(set.Rows, row)
		}
		return to.Set(set)
	}
	return render.Through(to.Writer, "table", func(door io.Writer) error { // with its colours
		for _, f := range found {
			if _, err := fmt.Fprintln(door, f.text(to.Options, widest(found))); err != nil {
				return err
			}
		}
		return nil
	})
}

func widest(found []finding) (wide int) {
	for _, f := range found {
		wide = max(wide, len(f.about))
	}
	return wide
}

// text is a finding for people: its mark, what it is about in so many columns,
// and below what is to be done.
func (f *finding) text(o render.Options, wide int) string {
	mark := markOf(f.state, o)
	lead := len([]rune(mark.plain)) + 1
	text := fmt.Sprintf("%-*s  ", wide, f.about) + render.Wrap(f.what, o.Width-lead, wide+2)
	if f.do != "" {
		text += "\n" + strings.Repeat(" ", wide+2) + "→ " + render.Wrap(f.do, o.Width-lead, wide+4)
	}
	return mark.shown + " " + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", lead))
}

// mark stands before a finding.
type mark struct{ plain, shown string }

func markOf(s state, o render.Options) mark {
	if o.Width == 0 { // no terminal
		return mark{"broken", fmt.Sprintf("%-6s", s)}
	}
	sign, color := "✓", "\x1b[32m"
	switch s {
	case stateLook:
		sign, color = "!", "\x1b[1m"
	case stateBroken:
		sign, color = "✗", "\x1b[31m"
	}
	if !o.Color {
		return mark{sign, sign}
	}
	return mark{sign, color + sign + "\x1b[0m"}
}

// onDay is a day for people.
func onDay(t time.Time) string { return t.Format(time.DateOnly) }
