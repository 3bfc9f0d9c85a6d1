package lake

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"strings"
	"time"

	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// Keep is how long snapshots stay if nobody says otherwise: so long may a query
// look back, and no longer does a lake have what machines have dropped.
const Keep = 7 * 24 * time.Hour

// grace is how old a file has to be that nobody names: a push, a pull, a query
// and a commit that are at work are younger.
const grace = 24 * time.Hour

// Expired counts what was dropped and deleted.
type Expired struct {
	Snapshots int
	Files     int   // of tables, and of the landing
	Bytes     int64 // of these files
}

// reach is what snapshots are made of, by URL.
type reach struct {
	data map[string]bool // files with rows, or of rows deleted
	meta map[string]bool // manifests, lists of them, statistics
}

func reached(ctx context.Context, files io.IO, t *table.Table, snapshots []table.Snapshot) (reach, error) {
	r := reach{map[string]bool{}, map[string]bool{}}
	for _, s := range snapshots {
		list, err := s.Manifests(files)
		if err != nil {
			return r, err
		}
		r.meta[s.ManifestList] = true
		for _, m := range list {
			if r.meta[m.FilePath()] {
				continue // snapshots share them
			}
			r.meta[m.FilePath()] = true
			for e, err := range m.Entries(files, true) {
				if err = errors.Join(err, ctx.Err()); err != nil {
					return r, fmt.Errorf("%s: %w", m.FilePath(), err)
				}
				r.data[e.DataFile().FilePath()] = true
			}
		}
	}
	for f := range t.Metadata().PreviousFiles() {
		r.meta[f.MetadataFile] = true
	}
	r.meta[t.MetadataLocation()] = true
	for f := range t.Metadata().Statistics() { // of other engines, which look for them before they plan a query
		r.meta[f.StatisticsPath] = true
	}
	for f := range t.Metadata().PartitionStatistics() {
		r.meta[f.StatisticsPath] = true
	}
	return r, nil
}

// drop drops the snapshots that are older, but for the current one. Their files
// stay: iceberg-go would delete those that manifests still name.
func drop(ctx context.Context, t *table.Table, older time.Duration) (*table.Table, error) {
	tx := t.NewTransaction()
	if err := tx.ExpireSnapshots(table.WithOlderThan(older), table.WithRetainLast(1), table.WithPostCommit(false)); err != nil {
		return nil, err
	}
	return tx.Commit(ctx)
}

// Expire drops snapshots older than keep, and deletes the files that no snapshot
// is made of and no manifest names, a day after.
func (l *Lake) Expire(ctx context.Context, keep time.Duration) (*Expired, error) {
	if err := l.take(ctx); err != nil {
		return nil, err
	}
	e := &Expired{}
	err := l.expire(ctx, keep, e)
	return e, errors.Join(err, l.release(ctx))
}

func (l *Lake) expire(ctx context.Context, keep time.Duration, e *Expired) error {
	names, err := l.names(ctx)
	if err != nil {
		return err
	}
	data := map[string]bool{}
	for _, name := range names {
		if err := l.expireTable(ctx, name, keep, e, data); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		if err := l.renew(ctx); err != nil {
			return err
		}
	}
	return l.machines(ctx, func(f *landing.Found) error {
		if err := l.expireMachine(ctx, f, e, data); err != nil {
			return fmt.Errorf("machine %s: %w", f.Machine, err)
		}
		return l.renew(ctx)
	})
}

// expireTable drops snapshots, and notes in data what others are made of.
func (l *Lake) expireTable(ctx context.Context, name string, keep time.Duration, e *Expired, data map[string]bool) error {
	t, err := l.load(ctx, name)
	if err != nil || t == nil {
		return err
	}
	was := len(t.Metadata().Snapshots())
	if t, err = drop(ctx, t, keep); err != nil {
		return err
	}
	e.Snapshots += was - len(t.Metadata().Snapshots())
	files, err := t.FS(ctx)
	if err != nil {
		return err
	}
	r, err := reached(ctx, files, t, t.Metadata().Snapshots())
	if err != nil {
		return err
	}
	for url := range r.data {
		data[url] = true
	}
	// What was committed, and lies in joined files by now, comes back into the table
	// when one of them is taken apart: also of a machine that is kept as it was.
	list, err := l.readList(ctx, t)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return err
	}
	for url := range list {
		data[url] = true
	}
	return errors.Join(l.sweep(files, t, r, e), l.tidyLists(ctx, t))
}

// sweep deletes what lies in a table's own folder, is no part of it, and is older
// than a day: snapshots that were dropped, and those of commits that were lost.
func (l *Lake) sweep(files io.IO, t *table.Table, r reach, e *Expired) error {
	walker, ok := files.(io.ListableIO)
	if !ok {
		return nil
	}
	own := map[string]bool{}
	for _, urls := range []map[string]bool{r.meta, r.data} {
		for url := range urls {
			own[pathOf(url)] = true
		}
	}
	old := map[string]int64{}
	seen := false
	err := walker.WalkDir(t.Location(), func(url string, entry iofs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || own[pathOf(url)] {
			seen = seen || err == nil && pathOf(url) == pathOf(t.MetadataLocation())
			return err
		}
		info, err := entry.Info()
		if err == nil && info.ModTime().Before(l.Now().Add(-grace)) {
			old[url] = info.Size()
		}
		return err
	})
	if !seen || err != nil {
		return err // where a table's own metadata isn't found, nothing is known to be nobody's
	}
	for _, url := range sorted(old) {
		err = errors.Join(err, remove(files, url))
		e.Files, e.Bytes = e.Files+1, e.Bytes+old[url]
	}
	return err
}

// pathOf is a URL without its scheme: a listing may name the same file by another.
func pathOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		return rest
	}
	return strings.TrimPrefix(url, "file:")
}

// expireMachine deletes a machine's superseded files. Of a machine without a
// manifest that can be read nothing is known, and nothing is deleted.
func (l *Lake) expireMachine(ctx context.Context, f *landing.Found, e *Expired, data map[string]bool) error {
	if f.Manifest == nil {
		return nil
	}
	prefix := landing.Root + "/" + f.Machine + "/"
	live, since := map[string]bool{}, map[string]time.Time{}
	for _, file := range f.Manifest.Files {
		live[file.Path] = true
	}
	for _, s := range f.Manifest.Superseded {
		since[s.Path] = s.Since
	}
	var old []string
	err := l.target.List(ctx, strings.TrimSuffix(prefix, "/"), func(entry landing.Entry) error {
		name := strings.TrimPrefix(entry.Name, prefix)
		if !landing.IsFile(name) || live[name] || data[l.place(entry.Name)] {
			return nil
		}
		last := entry.ModifiedAt
		if s, ok := since[name]; ok && s.After(last) {
			last = s
		}
		if last.Before(l.Now().Add(-grace)) {
			old = append(old, entry.Name)
			e.Files, e.Bytes = e.Files+1, e.Bytes+entry.Bytes
		}
		return nil
	})
	for _, name := range old {
		err = errors.Join(err, l.target.Remove(ctx, name))
	}
	return err
}
