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

// committed is a folder of the landing with what was committed last, a file for
// each table: the URLs of the files whose rows the table has. Once another engine
// has compacted a table, its snapshot doesn't tell that any more. The table's
// property filesKey, set in the same commit as the rows, names the list that
// counts, so that a kill between the two leaves the one of before. A line has the
// path below the landing's root, rows and bytes, by tabs.
const committed = "committed"

const filesKey = "hindsql.files"

// hashOf names a list of files. Their size is in it, because a machine that lost
// its memory may write the same rows as other bytes, under the same name.
func hashOf(files map[string]file) string {
	h := sha256.New()
	for _, u := range sorted(files) {
		fmt.Fprintf(h, "%s\t%d\t%d\n", u, files[u].rows, files[u].bytes)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// listName is the path of a list. It has the table's own id, because two lakes
// may be made of one landing.
func listName(t *table.Table, hash string) string {
	return path.Join(landing.Root, committed, t.Metadata().TableUUID().String()+"."+hash+".gz")
}

// writeList writes the list of a table that is about to be committed.
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

// readList reads what was committed last. The error of a list that is gone is
// fs.ErrNotExist.
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

// absorbed are the files whose rows lie in those that another engine wrote.
// Without the list that can't be known, and no row may be added twice.
func (l *Lake) absorbed(ctx context.Context, t *table.Table, h *holding) (map[string]file, error) {
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

// tidyLists removes lists of a table that no longer count. Those of the last hour
// may be of a committer that is about to commit.
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
