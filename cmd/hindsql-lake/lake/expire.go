package lake

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"strings"
	"time"

	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// Keep is the default age up to which old snapshots stay. A query can look back as far.
// Rows that machines have dropped stay readable in the lake for this time and no
// longer.
const Keep = 7 * 24 * time.Hour

// grace is the least age at which an unnamed file is deleted. Running pushes, pulls,
// queries and commits are younger.
const grace = 24 * time.Hour

// Expired counts dropped snapshots and deleted files.
type Expired struct {
	Snapshots int
	Files     int   // of tables and of the landing
	Bytes     int64 // size of the deleted files
}

// reach holds all files that belong to a set of snapshots, by URL.
type reach struct {
	data map[string]bool // data files and delete files
	meta map[string]bool // manifests, manifest lists, metadata, statistics
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
				continue // snapshots share manifests
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
	for f := range t.Metadata().Statistics() { // other engines read statistics to plan queries
		r.meta[f.StatisticsPath] = true
	}
	for f := range t.Metadata().PartitionStatistics() {
		r.meta[f.StatisticsPath] = true
	}
	return r, nil
}

// drop drops the snapshots older than the given age, except the current one. The files
// stay, because iceberg-go would also delete landed files that manifests still name.
func drop(ctx context.Context, t *table.Table, older time.Duration) (*table.Table, error) {
	tx := t.NewTransaction()
	if err := tx.ExpireSnapshots(table.WithOlderThan(older), table.WithRetainLast(1), table.WithPostCommit(false)); err != nil {
		return nil, err
	}
	return tx.Commit(ctx)
}

// Expire drops snapshots older than keep, and deletes files older than a day if no
// snapshot contains them and no manifest names them.
func (l *Lake) Expire(ctx context.Context, keep time.Duration) (*Expired, error) {
	if err := l.acquireLease(ctx); err != nil {
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

// expireTable drops a table's old snapshots, and adds the files of the others to data.
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
	maps.Copy(data, r.data)
	// Committed files whose rows now lie in joined files return to the table when a
	// joined file is split again. This includes files of kept machines.
	list, err := l.readList(ctx, t)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return err
	}
	for url := range list {
		data[url] = true
	}
	return errors.Join(l.sweep(files, t, r, e), l.tidyLists(ctx, t))
}

// sweep deletes files in a table's own folder that are older than a day and belong to
// no snapshot: files of dropped snapshots and of failed commits.
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
		return err // if the listing lacks the table's own metadata, delete nothing
	}
	for _, url := range sorted(old) {
		err = errors.Join(err, remove(files, url))
		e.Files, e.Bytes = e.Files+1, e.Bytes+old[url]
	}
	return err
}

// pathOf returns a URL without its scheme. A listing may use another scheme for the
// same file.
func pathOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		return rest
	}
	return strings.TrimPrefix(url, "file:")
}

// expireMachine deletes landed files that a machine has replaced and no snapshot needs.
// It deletes nothing if the machine's manifest is missing or unreadable.
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
