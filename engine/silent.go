package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"hindsql/engine/store"
	"hindsql/internal/regular"
	"hindsql/readers"
	"hindsql/tables"
)

// A sync waits for a disk that gives no answer, up to a time limit. It then notes the
// disk in a file beside the store, and later syncs leave the disk alone for a while.

// silentFor is how long later syncs leave a silent disk alone.
const silentFor = 5 * time.Minute

// disks looks at logs and remembers the silent devices.
type disks struct {
	at       store.File
	settings *settings

	mutex      sync.Mutex
	lines      *readers.Watchdog // see linesDog
	linesSince time.Time
}

// watchdog returns a watchdog for logs. The watchdog knows the devices that were silent
// a moment ago, unless retry is set.
func (d *disks) watchdog(c Config, retry bool) *readers.Watchdog {
	var known []readers.Silence
	if !retry {
		known = d.silences(time.Now())
	}
	return readers.NewWatchdog(c.Answers, known)
}

// linesDog returns the watchdog for single lines of logs. The same watchdog is used for
// silentFor, the time after which a silent device is tried again.
func (d *disks) linesDog() *readers.Watchdog {
	c := d.settings.get()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if now := time.Now(); d.lines == nil || now.Sub(d.linesSince) >= silentFor {
		d.lines, d.linesSince = d.watchdog(c, false), now
	}
	return d.lines
}

func (d *disks) openLine(path string) (*readers.File, error) {
	return d.linesDog().Watched(path, readers.OpenFile)
}

// silences returns the noted silent devices that are still to be left alone. An entry
// with a time in the future was written before the clock was set back, and is dropped.
// If the file can't be read, the list is empty.
func (d *disks) silences(now time.Time) (list []readers.Silence) {
	text, err := regular.Read(d.at.SilentPath(), regular.Own)
	if err != nil || json.Unmarshal(text, &list) != nil {
		return nil
	}
	return slices.DeleteFunc(list, func(s readers.Silence) bool { return s.At.After(now) || now.Sub(s.At) >= silentFor })
}

// rememberSilent notes the devices that gave no answer, and returns a warning for each.
func (d *disks) rememberSilent(dog *readers.Watchdog) (warnings []error) {
	list := dog.Silences()
	fresh := false
	for _, s := range list {
		fresh = fresh || s.Fresh
		warnings = append(warnings, &readers.NoAnswer{Silence: s})
	}
	switch {
	case len(list) == 0:
		_ = os.Remove(d.at.SilentPath())
	case fresh:
		// If the write fails, the next sync waits for the disk again.
		if text, err := json.Marshal(list); err == nil {
			_ = os.WriteFile(d.at.SilentPath(), text, 0o600)
		}
	}
	return warnings
}

// takeSilent adds a log that gave no answer to the unit, and reports whether it did.
func (u *unit) takeSilent(f found, err error) bool {
	is := f.log.Err == nil && errors.As(err, new(*readers.NoAnswer))
	if is {
		u.silent = append(u.silent, f)
	}
	return is
}

// fellSilent reports whether a device fell silent during this sync.
func (p *plan) fellSilent() bool {
	return slices.ContainsFunc(p.dog.Silences(), func(s readers.Silence) bool { return s.Fresh })
}

// leaveSilenced notes in the store the logs on devices that fell silent after the
// search. It also notes one problem for each root of these logs, in place of a problem
// for each log.
func (q *quarantine) leaveSilenced(ctx context.Context, p *plan) error {
	var ids []int64
	var roots []aside
	told := map[partsOf]bool{}
	for _, f := range p.all {
		if f.log.Err != nil {
			told[partsOf{f.source.Agent, f.log.Path}] = true // the search noted this path
		}
	}
	for i := range p.all {
		f := &p.all[i]
		err := p.dog.At(f.log.Root, f.log.Path)
		if f.log.Err != nil || err == nil {
			continue
		}
		ids = append(ids, f.id)
		if root := (partsOf{f.source.Agent, f.log.Root}); !told[root] {
			told[root] = true
			roots = append(roots, f.ofRoot(err))
		}
	}
	return cmp.Or(q.leaveAll(ctx, left{asides: roots}), q.markSilent(ctx, ids))
}

// ofRoot returns an aside for the root of a log, because the root can't be read.
func (f *found) ofRoot(why error) aside {
	of := *f
	of.log = readers.Log{Root: f.log.Root, Rel: ".", Path: f.log.Root, Err: why}
	of.source.Path, of.source.Part, of.source.Stamp, of.source.Size, of.source.ModifiedAt = f.log.Root, "", "", 0, time.Time{}
	of.source.ReaderVersion = versionOfNone
	of.id = of.source.ID()
	return newAside(of, tables.NewFile(of.source), why)
}

// leaveSilent notes in the store that logs were not read. Known logs keep their rows;
// new logs get a source without rows.
func (q *quarantine) leaveSilent(ctx context.Context, list []found) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	had, err := q.l.ids(ctx, fmt.Sprintf("SELECT source_id FROM sources WHERE source_id IN (%s)", strings.Join(each(ids, "%d"), ", ")))
	if err != nil {
		return err
	}
	known := map[int64]bool{}
	for _, id := range had {
		known[id] = true
	}
	b := tables.NewBatch(nil)
	defer b.Release()
	for i := range list {
		if src := list[i].source; !known[list[i].id] {
			src.ReaderVersion = versionOfSilent
			tables.NewFile(src).AppendTo(b)
		}
	}
	if err := q.l.insert(ctx, b); err != nil {
		return err
	}
	return q.markSilent(ctx, ids)
}

func (q *quarantine) markSilent(ctx context.Context, ids []int64) error {
	return q.markUnread(ctx, ids, "coalesce(unread_since, "+timestamp(time.Now())+")")
}

func (q *quarantine) markUnread(ctx context.Context, ids []int64, since string) error {
	if len(ids) == 0 {
		return nil
	}
	err := q.l.exec(ctx, fmt.Sprintf("UPDATE sources SET unread_since = %s WHERE source_id IN (%s)", since, strings.Join(each(ids, "%d"), ", ")))
	if err != nil {
		return err
	}
	return q.l.forgetFiles(ctx)
}
