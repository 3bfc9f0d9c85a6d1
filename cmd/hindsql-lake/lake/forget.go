package lake

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// forget deletes what is left of machines that asked for it by a tombstone, after the
// current snapshots no longer have their rows. It drops older snapshots, then deletes
// the machines' landed files. Landed files go last: while some exist, a later commit
// knows that the work isn't finished.
func (l *Lake) forget(ctx context.Context, tables map[string]*table.Table, machines []string) error {
	gone := map[string][]string{}
	for _, m := range machines {
		names, at, err := l.landedFiles(ctx, m)
		if err != nil {
			return fmt.Errorf("machine %s: %w", m, err)
		}
		// The landed files may be deleted already, by the machine or another lake,
		// while joined files still have the machine's rows.
		if len(names) > 0 || hasOlder(tables, at) {
			gone[m] = names
		}
	}
	if len(gone) == 0 {
		return nil
	}
	for _, name := range sorted(tables) {
		if err := l.purge(ctx, tables[name], gone); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	for _, m := range sorted(gone) {
		if !landing.Find(ctx, l.target, m).Refused() {
			continue // the machine has consented again meanwhile
		}
		for _, name := range gone[m] {
			if err := l.target.Remove(ctx, name); err != nil {
				return fmt.Errorf("machine %s: %w", m, err)
			}
		}
		if len(gone[m]) > 0 {
			l.printf("machine %s: forgotten; %d files are deleted", m, len(gone[m]))
		}
	}
	return nil
}

// hasOlder reports whether a non-current snapshot is older than the given time.
func hasOlder(tables map[string]*table.Table, at time.Time) bool {
	for _, t := range tables {
		now := t.CurrentSnapshot()
		for _, s := range t.Metadata().Snapshots() {
			if now != nil && s.SnapshotID != now.SnapshotID && time.UnixMilli(s.TimestampMs).Before(at) {
				return true
			}
		}
	}
	return false
}

// landedFiles lists the landed files of a machine with a tombstone, the manifest last, and
// returns the tombstone's time. It leaves out younger files for a day. The machine may
// have consented again, and its new manifest may not have arrived yet.
func (l *Lake) landedFiles(ctx context.Context, machine string) (names []string, until time.Time, err error) {
	prefix := landing.Root + "/" + machine
	var all []landing.Entry
	err = l.target.List(ctx, prefix, func(e landing.Entry) error {
		if e.Name == prefix+"/"+landing.TombstoneName {
			until = e.ModifiedAt
		} else {
			all = append(all, e)
		}
		return nil
	})
	last := ""
	for _, e := range all {
		switch {
		case e.ModifiedAt.After(until) && e.ModifiedAt.After(l.Now().Add(-grace)):
		case path.Base(e.Name) == landing.ManifestName:
			last = e.Name
		default:
			names = append(names, e.Name)
		}
	}
	if last != "" {
		names = append(names, last)
	}
	return names, until, err
}

// purge drops a table's older snapshots if any may have rows of the machines, and
// deletes files that only those snapshots need.
func (l *Lake) purge(ctx context.Context, t *table.Table, gone map[string][]string) error {
	files, err := t.FS(ctx)
	if err != nil {
		return err
	}
	before, err := reached(ctx, files, t, t.Metadata().Snapshots())
	if err != nil {
		return err
	}
	now, err := reached(ctx, files, t, current(t))
	if err != nil || !l.mayHold(before, now, gone) {
		return err
	}
	if t, err = forgetEntries(ctx, t); err != nil {
		return err
	}
	if now, err = reached(ctx, files, t, current(t)); err != nil {
		return err
	}
	if err := dropAll(ctx, t); err != nil {
		return err
	}
	return l.deleteUnreached(files, before, now)
}

// dropAll drops all snapshots except the current one. A snapshot of the current
// millisecond doesn't count as older, so dropAll tries again.
func dropAll(ctx context.Context, t *table.Table) (err error) {
	for try := 0; len(t.Metadata().Snapshots()) > 1; try++ {
		if try > 0 && pinned(t) || try == 100 {
			return errors.New("a branch, a tag or a clock that is ahead keeps older snapshots, which have rows of a machine that is to be forgotten; drop it, and commit again")
		}
		time.Sleep(2 * time.Millisecond)
		if t, err = drop(ctx, t, 0); err != nil {
			return err
		}
	}
	return nil
}

// forgetEntries rewrites the current snapshot's manifests without the entries of
// dropped files. The entries of files by other engines hold bounds: the first letters
// of texts.
func forgetEntries(ctx context.Context, t *table.Table) (*table.Table, error) {
	tx := t.NewTransaction()
	r, err := tx.RewriteManifests(ctx,
		table.WithRewriteManifestPredicate(func(m iceberg.ManifestFile) bool { return m.DeletedDataFiles() > 0 }),
		table.WithRewriteManifestClusterBy(func(iceberg.DataFile) any { return 0 }))
	if err != nil || r.IsNoOp() {
		return t, err
	}
	return tx.Commit(ctx)
}

// pinned reports whether a branch or tag other than main keeps a snapshot.
func pinned(t *table.Table) bool {
	for name := range t.Metadata().Refs() {
		if name != table.MainBranch {
			return true
		}
	}
	return false
}

// mayHold reports whether an older snapshot may have rows of the machines: it has a
// file of one of the machines, or a file written by another engine.
func (l *Lake) mayHold(before, now reach, gone map[string][]string) bool {
	for url := range before.data {
		machine, _, own := l.origin(url)
		_, isGone := gone[machine]
		if !now.data[url] && (!own || isGone) {
			return true
		}
	}
	return false
}

// deleteUnreached deletes files that are no longer reached: Iceberg's metadata and
// other engines' files. Landed files are deleted by forget and expireMachine.
func (l *Lake) deleteUnreached(files io.IO, before, now reach) (err error) {
	for url := range before.meta {
		if !now.meta[url] {
			err = errors.Join(err, remove(files, url))
		}
	}
	for url := range before.data {
		if _, _, own := l.origin(url); !own && !now.data[url] {
			err = errors.Join(err, remove(files, url))
		}
	}
	return err
}

// current returns the current snapshot; empty for a new table.
func current(t *table.Table) []table.Snapshot {
	if s := t.CurrentSnapshot(); s != nil {
		return []table.Snapshot{*s}
	}
	return nil
}
