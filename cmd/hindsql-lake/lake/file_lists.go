package lake

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// committed is a folder in the landing with one file for each table: the list of the
// table's landed files at the last commit. Once another engine has compacted a table,
// the snapshot no longer names those files. The table's property filesKey, set in the
// same commit as the rows, names the valid list. So a kill between list and commit
// leaves the old list valid. A line holds the path below the landing's root, rows and
// bytes, separated by tabs.
const committed = "committed"

const filesKey = "hindsql.files"

// hashOf returns a hash of a list of files. The hash includes sizes: a machine that
// lost its state may write the same rows as different bytes under the same name.
func hashOf(files map[string]file) string {
	h := sha256.New()
	for _, u := range sorted(files) {
		fmt.Fprintf(h, "%s\t%d\t%d\n", u, files[u].rows, files[u].bytes)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// listName returns the path of a table's list. The path has the table's UUID, because
// two lakes may share one landing.
func listName(t *table.Table, hash string) string {
	return path.Join(landing.Root, committed, t.Metadata().TableUUID().String()+"."+hash+".gz")
}

// writeList writes a table's list before the commit.
func (l *Lake) writeList(ctx context.Context, t *table.Table, files map[string]file) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, u := range sorted(files) {
		fmt.Fprintf(z, "%s\t%d\t%d\n", strings.TrimPrefix(u, l.place(landing.Root)+"/"), files[u].rows, files[u].bytes)
	}
	if err := z.Close(); err != nil {
		return err
	}
	return l.target.Put(ctx, listName(t, hashOf(files)), &b, int64(b.Len()))
}

// readList reads the table's last committed list. The error is fs.ErrNotExist if the
// list is deleted.
func (l *Lake) readList(ctx context.Context, t *table.Table) (map[string]file, error) {
	r, err := l.target.Get(ctx, listName(t, t.Properties()[filesKey]))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	list := map[string]file{}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		var name string
		var f file
		if _, err := fmt.Sscanf(lines.Text(), "%s\t%d\t%d", &name, &f.rows, &f.bytes); err != nil {
			return nil, fmt.Errorf("line %q: %w", lines.Text(), err)
		}
		url := l.place(landing.Root + "/" + name)
		f.machine, f.day, _ = l.origin(url)
		list[url] = f
	}
	return list, lines.Err()
}

// absorbed returns the landed files whose rows now lie in files that another engine
// wrote. It needs the list of the last commit. Without the list, rows could be added
// twice, so it returns an error.
func (l *Lake) absorbed(ctx context.Context, t *table.Table, h *tableFiles) (map[string]file, error) {
	if len(h.foreign) == 0 {
		return nil, nil
	}
	list, err := l.readList(ctx, t)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("it has %d files that another program wrote, and %s, which told whose rows they hold, is gone; drop the table, and the next commit makes it anew", len(h.foreign), listName(t, t.Properties()[filesKey]))
	}
	if err != nil {
		return nil, err
	}
	for url := range h.files {
		delete(list, url)
	}
	return list, nil
}

// tidyLists deletes a table's outdated lists, except lists of the last hour: a
// committer may be about to commit one of those.
func (l *Lake) tidyLists(ctx context.Context, t *table.Table) error {
	keep := listName(t, t.Properties()[filesKey])
	prefix := path.Join(landing.Root, committed, t.Metadata().TableUUID().String()+".")
	var old []string
	err := l.target.List(ctx, landing.Root+"/"+committed, func(e landing.Entry) error {
		if strings.HasPrefix(e.Name, prefix) && e.Name != keep && e.ModifiedAt.Before(l.Now().Add(-time.Hour)) {
			old = append(old, e.Name)
		}
		return nil
	})
	for _, name := range old {
		err = errors.Join(err, l.target.Remove(ctx, name))
	}
	return err
}
