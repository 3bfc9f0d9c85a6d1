package lake

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	parquetfile "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"

	"hindsql/engine/fleet/landing"
)

func (w *world) tombstone(machine, consent string) {
	text, err := json.Marshal(landing.Tombstone{Machine: machine, ForgottenAt: time.Now(), Consent: consent})
	w.must(err)
	w.put(machine+"/"+landing.TombstoneName, text)
}

// findText lists the files below the landing and the warehouse that contain a text, in
// plain bytes or compressed inside Parquet.
func (w *world) findText(text string) (found []string) {
	w.t.Helper()
	for _, root := range []string{w.dir, strings.TrimPrefix(w.rest.Warehouse, "file://")} {
		w.must(filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			content, err := os.ReadFile(p)
			w.must(err)
			if bytes.Contains(content, []byte(text)) || strings.HasSuffix(p, ".parquet") && strings.Contains(w.opened(content), text) {
				found = append(found, p)
			}
			return nil
		}))
	}
	return found
}

// opened returns a Parquet file's content as text.
func (w *world) opened(content []byte) string {
	f, err := parquetfile.NewParquetReader(bytes.NewReader(content))
	w.must(err)
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	w.must(err)
	table, err := r.ReadTable(context.Background())
	w.must(err)
	return table.String()
}

const planted = "a sentence that nobody else has written"

// TestForget checks that a tombstone removes every byte of a machine's rows, and that
// the machine's manifests are refused until the machine consents again.
func TestForget(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", planted, "first"))
	w.land("m2", one("2026-11-20", "other"))
	w.commit()
	w.land("m1", one("2026-11-20", planted, "second"))
	w.commit()
	if len(w.findText(planted)) != 2 {
		t.Fatalf("planted in %v", w.findText(planted))
	}
	w.tombstone("m1", "")
	if r := w.commit(); len(r.Forgotten) != 1 {
		t.Errorf("%+v", r)
	}
	w.want("messages", text, "other")
	if found := w.findText(planted); len(found) != 0 || w.snapshots("messages") != 1 {
		t.Errorf("still in %v; %d snapshots", found, w.snapshots("messages"))
	}
	w.land("m1", one("2026-11-20", "refused"))
	w.commit()
	w.want("messages", text, "other")
	w.land("m1", one("2026-11-20", "again"), func(m *landing.Manifest) { m.Consent = "new" })
	w.commit()
	w.want("messages", text, "other", "again")
}

// TestForgetCompacted checks that the machine's days in joined files are split again,
// without lost or doubled rows of other machines.
func TestForgetCompacted(t *testing.T) {
	w := newWorld(t)
	both := func(texts ...string) days {
		d := one("2026-11-20", texts[0])
		d["messages"]["2026-11-21"] = one("2026-11-21", texts[1])["messages"]["2026-11-21"]
		return d
	}
	w.land("m1", both("one", "two"))
	w.land("m2", both("three", "four"))
	w.land("m3", one("2026-11-21", planted))
	w.commit()
	w.compact("messages")
	w.want("messages", text, "one", "two", "three", "four", planted)
	if r := w.commit(); len(r.Changes) != 0 {
		t.Errorf("nothing changed, and %+v", r)
	}
	w.land("m1", both("one", "changed"))
	w.land("m4", one("2026-11-22", "new"))
	r := w.commit()
	w.want("messages", text, "one", "changed", "three", "four", "new", planted)
	if len(r.Changes) != 1 || r.Changes[0].Days != 1 || r.Changes[0].Added != 4 {
		t.Errorf("%+v", r)
	}
	w.compact("messages")
	w.tombstone("m3", "")
	w.commit()
	w.noBounds("messages")
	w.want("messages", text, "one", "changed", "three", "four", "new")
	if found := w.findText(planted); len(found) != 0 {
		t.Errorf("still in %v", found)
	}
	w.noDropped("messages")
}

// noBounds checks that all Avro files belong to the current snapshot, and that no
// entry's bounds reveal the beginning of the planted text.
func (w *world) noBounds(name string) {
	w.t.Helper()
	ctx := context.Background()
	t, err := w.open().load(ctx, name)
	w.must(err)
	files, err := t.FS(ctx)
	w.must(err)
	own, err := reached(ctx, files, t, current(t))
	w.must(err)
	w.must(filepath.WalkDir(strings.TrimPrefix(t.Location(), "file://"), func(p string, e fs.DirEntry, err error) error {
		if url := "file://" + p; err == nil && strings.HasSuffix(p, ".avro") && !own.meta[url] {
			w.t.Errorf("%s is of no snapshot", p)
		}
		return err
	}))
	list, err := t.CurrentSnapshot().Manifests(files)
	w.must(err)
	for _, m := range list {
		for e, err := range m.Entries(files, false) {
			w.must(err)
			for _, bounds := range []map[int][]byte{e.DataFile().LowerBoundValues(), e.DataFile().UpperBoundValues()} {
				for _, b := range bounds {
					if len(b) > 7 && strings.HasPrefix(planted, string(b[:8])) {
						w.t.Errorf("%s tells that a text of %s begins with %q", m.FilePath(), e.DataFile().FilePath(), b)
					}
				}
			}
		}
	}
}

// noDropped checks that no manifest has entries of dropped files.
func (w *world) noDropped(name string) {
	w.t.Helper()
	messages, err := w.open().load(context.Background(), name)
	w.must(err)
	files, err := messages.FS(context.Background())
	w.must(err)
	list, err := messages.CurrentSnapshot().Manifests(files)
	w.must(err)
	for _, m := range list {
		for e, err := range m.Entries(files, false) {
			if w.must(err); e.Status() == iceberg.EntryStatusDELETED {
				w.t.Errorf("%s tells of %s", m.FilePath(), e.DataFile().FilePath())
			}
		}
	}
}

// compact rewrites all of a table's files, a day at a time, as query engines do.
func (w *world) compact(name string) {
	w.t.Helper()
	ctx := context.Background()
	l := w.open()
	t, err := l.load(ctx, name)
	w.must(err)
	h, err := l.tableFiles(ctx, t)
	w.must(err)
	rows, err := t.Scan().ToArrowTable(ctx)
	w.must(err)
	tx := t.NewTransaction()
	w.must(tx.OverwriteTable(ctx, rows, 100, nil))
	t, err = tx.Commit(ctx)
	w.must(err)
	if now, err := l.tableFiles(ctx, t); err != nil || len(now.files) != 0 || len(now.foreign) == 0 || len(h.files) == 0 {
		w.t.Fatalf("not compacted: %v %v", now, err)
	}
}

// TestExpire: superseded files stay for a day and for the life of any snapshot with
// them. Files named by manifests stay forever. All files of a machine with an
// unreadable manifest stay.
func TestExpire(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "before"))
	w.land("m2", one("2026-11-20", "torn"))
	w.commit()
	w.land("m1", one("2026-11-20", planted))
	w.land("m2", one("2026-11-20", "torn too"))
	w.commit()
	w.land("m1", one("2026-11-20", "after"))
	w.put("m2/"+landing.ManifestName, []byte("{"))
	w.commit()
	files := func() int {
		found, err := filepath.Glob(filepath.Join(w.dir, landing.Root, "m*", "messages", "*.parquet"))
		w.must(err)
		return len(found)
	}
	expire := func(keep, later time.Duration) *Expired {
		w.now = w.now.Add(later)
		e, err := w.open().Expire(context.Background(), keep)
		w.must(err)
		return e
	}
	if e := expire(Keep, 0); e.Files != 0 || e.Snapshots != 0 || files() != 5 {
		t.Errorf("%+v, %d files", e, files())
	}
	if e := expire(0, 2*grace); e.Snapshots < 2 || files() != 3 || len(w.findText(planted)) != 0 {
		t.Errorf("%+v, %d files, planted in %v", e, files(), w.findText(planted))
	}
	w.want("messages", text, "after", "torn too")
	if r := w.commit(); len(r.Changes) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestForgetEmptied covers a machine whose landed files were deleted before the commit,
// by the machine or another lake, while joined files still have its rows.
func TestForgetEmptied(t *testing.T) {
	w := newWorld(t)
	w.land("m2", one("2026-11-20", "other"))
	w.land("m3", one("2026-11-20", planted))
	w.commit()
	w.compact("messages")
	w.must(os.RemoveAll(filepath.Join(w.dir, "landing", "v1", "m3")))
	time.Sleep(2 * time.Millisecond) // snapshots' times are in milliseconds
	w.tombstone("m3", "")
	for range 2 {
		w.commit()
		w.want("messages", text, "other")
		if found := w.findText(planted); w.snapshots("messages") != 1 || len(found) > 0 {
			t.Errorf("%d snapshots, and it stands in %v", w.snapshots("messages"), found)
		}
	}
}
