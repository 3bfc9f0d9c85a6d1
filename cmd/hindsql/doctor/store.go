package doctor

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
	"hindsql/readers"
)

// Loaded checks the store and its rows. It syncs first unless noSync is set.
func Loaded(ctx context.Context, v *term.View, list []*readers.Reader, noSync bool) (found []Finding, err error) {
	var report engine.SyncReport
	if !noSync {
		if report, err = v.Sync(ctx, false); err != nil {
			return nil, err
		}
	}
	found = append(found, lookAtStore(v, &report))
	places := v.Places()
	found = append(found, lookAtPlaces(v, list, places)...)
	for _, check := range []func(context.Context, *term.View) ([]Finding, error){
		func(ctx context.Context, v *term.View) ([]Finding, error) {
			return lookAtRetention(ctx, v, list, places)
		},
		lookAtLogs,
		func(ctx context.Context, v *term.View) ([]Finding, error) { return lookAtChanges(ctx, v, list) },
		lookAtRuns,
	} {
		more, err := check(ctx, v)
		if err != nil {
			return found, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// lookAtStore reports the store's size and age, a process with the store open, and
// whether other users can read the file.
func lookAtStore(v *term.View, report *engine.SyncReport) Finding {
	f := Finding{OK, "store", atomicfile.Short(v.Home, v.Store), ""}
	info, err := os.Stat(v.Store)
	if err != nil {
		return Finding{Look, "store", f.What + ": not there yet", "hindsql sync loads the logs"}
	}
	f.What += ", " + words.Size(info.Size())
	if at := v.Session.Store().SyncedAt(); !at.IsZero() {
		f.What += ", brought up to date at " + words.Moment(at)
	}
	switch {
	case report.Held != nil:
		f = Finding{Look, "store", f.What + "; " + report.Held.Error(), "close it there; until then answers are of that time"}
	case report.Unwritable != nil:
		f = Finding{Broken, "store", f.What + "; " + report.Unwritable.Error(), "make room or a folder that can be written to, or name another store with --store"}
	case report.Busy:
		f = Finding{Look, "store", f.What + "; another process is loading", "ask again when it is done"}
	case engine.IsOpenToOthers(v.Store):
		f = Finding{Look, "store", f.What + "; other users may change the files of its folder", "name another with --store, or change the folder's rights"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		f = Finding{Look, "store", f.What + "; others on this machine can read it", "chmod 600 " + atomicfile.Short(v.Home, v.Store)}
	}
	return f
}

// lookAtPlaces lists the log folders of each agent. For an agent without folders it
// lists the first possible folder.
func lookAtPlaces(v *term.View, list []*readers.Reader, places []engine.PlaceReport) (found []Finding) {
	var missing []string
	for _, r := range list {
		var there []string
		var logs int
		first, silent := "", false
		for _, p := range places {
			switch {
			case p.Agent != r.Agent:
			case p.Silent != nil:
				what, do, _ := strings.Cut(p.Silent.Error(), "; look ")
				found = append(found, Finding{Look, r.Agent, atomicfile.Short(v.Home, what), "look " + do})
				silent = true
			case p.Exists:
				logs += p.Files
				there = append(there, fmt.Sprintf("%s (%s, %s)", atomicfile.Short(v.Home, p.Path), words.Quantity(int64(p.Files), "log"), words.Size(p.Bytes)))
			case first == "":
				first = atomicfile.Short(v.Home, p.Path)
			}
		}
		switch {
		case there == nil && silent:
		case there == nil:
			missing = append(missing, r.Agent+" ("+first+")")
		case logs == 0:
			found = append(found, Finding{Look, r.Agent, "no logs in " + strings.Join(there, ", "), "--root " + r.Agent + "=FOLDER names another folder"})
		default:
			found = append(found, Finding{OK, r.Agent, strings.Join(there, ", "), ""})
		}
	}
	if missing != nil {
		f := Finding{OK, "not here", strings.Join(missing, ", "), ""}
		if len(missing) == len(list) {
			f = Finding{Look, "no logs", "none of these folders is there: " + strings.Join(missing, ", "), "--root AGENT=FOLDER names one; hindsql --sample shows made-up logs"}
		}
		found = append(found, f)
	}
	return found
}
