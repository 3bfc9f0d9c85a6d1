package lake

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// TestMissing: if a machine's manifest names a missing or shortened file, the machine's
// old rows stay. In the table such a file would make all rows unreadable for every
// user.
func TestMissing(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "before"))
	w.commit()
	for name, damage := range map[string]func(string) error{
		"gone": os.Remove,
		"torn": func(p string) error { return os.Truncate(p, 100) },
	} {
		d := one("2026-11-20", name)
		d["record_kinds"] = map[string][][]any{landing.Undated: {{"toy", name, int64(3)}}}
		w.land("m1", d, func(m *landing.Manifest) {
			w.must(damage(filepath.Join(w.dir, landing.Root, "m1", m.Files[0].Path)))
		})
		w.land("m2", one("2026-11-20", "other"))
		if r := w.commit(); r.Kept != 1 || r.Machines != 1 {
			t.Errorf("%s: %+v", name, r)
		}
		w.want("messages", text, "before", "other")
		w.want("record_kinds", []string{"kind"})
		if said := strings.Join(w.said, "\n"); !strings.Contains(said, "machine m1: messages/2026-11-20.") {
			t.Error(said)
		}
	}
	w.land("m1", one("2026-11-20", "mended"))
	w.commit()
	w.want("messages", text, "mended", "other")
}

// TestElsewhere checks that an unmounted folder or another folder empties no table.
func TestElsewhere(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "one"))
	w.commit()
	root := filepath.Join(w.dir, landing.Root)
	w.must(os.Rename(root, root+".away"))
	for _, source := range []string{w.dir, t.TempDir()} {
		w.config.Source = source
		if _, err := w.open().Commit(context.Background()); err == nil || !strings.Contains(err.Error(), source+": no machine has landed anything there, and the tables have rows") {
			t.Error(err)
		}
	}
	w.want("record_kinds", []string{"kind"})
	messages, err := w.open().load(context.Background(), "messages")
	w.must(err)
	if rows := messages.CurrentSnapshot().Summary.Properties.Get("total-records", ""); rows != "1" {
		t.Errorf("%s rows", rows)
	}
}

// TestOtherBytes covers a machine that lost its state and pushed the same rows again:
// under the same file name, but with other bytes. The table must have the new size,
// because engines find a file's rows by the recorded size.
func TestOtherBytes(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "one"))
	w.land("m2", one("2026-11-20", "other"))
	w.commit()
	var bytes int64
	w.land("m1", one("2026-11-20", "one"), func(m *landing.Manifest) {
		p := filepath.Join(w.dir, landing.Root, "m1", m.Files[0].Path)
		text := w.parquet(w.columns["messages"], one("2026-11-20", "one, in more bytes than before")["messages"]["2026-11-20"])
		w.must(os.WriteFile(p, text, 0o600))
		bytes = int64(len(text))
		m.Files[0].Bytes = bytes
	})
	w.commit()
	w.want("messages", text, "one, in more bytes than before", "other")
	messages, err := w.open().load(context.Background(), "messages")
	w.must(err)
	tasks, err := messages.Scan().PlanFiles(context.Background())
	w.must(err)
	if len(tasks) != 2 || tasks[0].File.FileSizeBytes() != bytes && tasks[1].File.FileSizeBytes() != bytes {
		t.Errorf("%d files, none of %d bytes", len(tasks), bytes)
	}
	if r := w.commit(); len(r.Changes) != 0 {
		t.Errorf("nothing changed, and %+v", r)
	}
}

// TestUnknown covers a catalog that applies a commit but reports failure or an unknown
// state. No row may be lost or doubled.
func TestUnknown(t *testing.T) {
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusConflict} {
		w := newWorld(t)
		w.land("m1", one("2026-11-20", "one"))
		w.commit()
		w.land("m1", one("2026-11-20", "one", "two"))
		w.land("m2", one("2026-11-21", "three"))
		faults := 1
		w.rest.Fault = func(r *http.Request) (int, bool) {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/tables/messages") && faults > 0 {
				faults--
				return status, true
			}
			return 0, false
		}
		_, err := w.open().Commit(context.Background())
		if faults != 0 || (err == nil) != (status == http.StatusConflict) {
			t.Errorf("%d: %v", status, err)
		}
		w.want("messages", text, "one", "two", "three")
		w.commit()
		w.want("messages", text, "one", "two", "three")
		if n := w.snapshots("messages"); n != 2 {
			t.Errorf("%d: %d snapshots", status, n)
		}
	}
}

// TestForgetWithoutViews: a tombstone works even if the catalog refuses views.
func TestForgetWithoutViews(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", planted))
	w.rest.Fault = func(r *http.Request) (int, bool) {
		if strings.Contains(r.URL.Path, "/views") {
			return http.StatusForbidden, false
		}
		return 0, false
	}
	if _, err := w.open().Commit(context.Background()); err == nil {
		t.Error("no error")
	}
	w.tombstone("m1", "")
	if _, err := w.open().Commit(context.Background()); err == nil {
		t.Error("no error")
	}
	if found := w.findText(planted); len(found) != 0 {
		t.Errorf("still in %v", found)
	}
}

// TestExpireKeepsStatistics: statistics written by query engines stay, because the
// engines read them.
func TestExpireKeepsStatistics(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "one"))
	w.commit()
	l, ctx := w.open(), context.Background()
	messages, err := l.load(ctx, "messages")
	w.must(err)
	at := messages.Location() + "/metadata/measured.stats"
	file := strings.TrimPrefix(at, "file://")
	w.must(os.WriteFile(file, []byte("stats"), 0o600))
	_, _, err = l.catalog.CommitTable(ctx, l.ident("messages"), nil, []table.Update{table.NewSetStatisticsUpdate(
		table.StatisticsFile{SnapshotID: messages.CurrentSnapshot().SnapshotID, StatisticsPath: at, FileSizeInBytes: 5, FileFooterSizeInBytes: 1, BlobMetadata: []table.BlobMetadata{}})})
	w.must(err)
	w.now = w.now.Add(2 * grace)
	_, err = w.open().Expire(ctx, 0)
	w.must(err)
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// TestExpireKeepsJoined: a landed file stays while joined files hold its rows, even if
// the machine's new manifest is refused and no longer names the file. The file returns
// when the joined files are split. If the landed file was deleted, the joined files
// stay joined.
func TestExpireKeepsJoined(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "one"))
	w.land("m2", one("2026-11-20", "two"))
	w.commit()
	joined, err := filepath.Glob(filepath.Join(w.dir, landing.Root, "m1", "messages", "*.parquet"))
	w.must(err)
	w.compact("messages")
	w.land("m1", one("2026-11-20", "a secret"), func(m *landing.Manifest) { m.Files[0].Texts = landing.Plain })
	w.commit()
	w.now = w.now.Add(2 * grace)
	_, err = w.open().Expire(context.Background(), 0)
	w.must(err)
	w.land("m2", one("2026-11-20", "two, and more"))
	w.commit()
	w.want("messages", text, "one", "two, and more")

	w.compact("messages")
	w.must(os.Remove(joined[0]))
	w.land("m2", one("2026-11-20", "two again"))
	if _, err := w.open().Commit(context.Background()); err == nil || !strings.HasPrefix(err.Error(), "machine m1: messages/2026-11-20.") {
		t.Error(err)
	}
	w.want("messages", text, "one", "two, and more")
}
