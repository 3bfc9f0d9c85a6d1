package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers"
)

func TestSchemaChangeCarriesRowsOfVanishedFiles(t *testing.T) {
	whole.Test(t, "loads several stores, 1.2 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Write("b.jsonl", line(2, `,"call":"c"`), line(3, `,"refused":"c"`))
	h.Sync()
	h.Remove("b.jsonl")
	h.Sync()
	h.Tamper("UPDATE store_info SET schema_hash = 'older'", "DROP VIEW record_kinds",
		"ALTER TABLE rejections DROP reason", "ALTER TABLE messages ADD COLUMN was INT",
		"ALTER TABLE messages ALTER line TYPE VARCHAR USING CASE WHEN line = 1 THEN 'one' ELSE line::VARCHAR END", "DROP TABLE related_sources", "DROP TABLE problems")
	if _, err := tryRows(h.Open(), "SELECT 1 FROM messages", nil); err == nil || !errors.As(err, new(*engine.OtherBuild)) {
		t.Errorf("a query of an older store: %v", err)
	}
	if _, _, err := h.Open().Prune(context.Background(), ""); err == nil || !errors.As(err, new(*engine.OtherBuild)) {
		t.Errorf("a prune of an older store: %v", err)
	}
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Loaded: 1})
	h.Want("SELECT text, line FROM messages ORDER BY 1", "text 1|1", "text 2|NULL", "text 3|2")
	h.Want("SELECT tool_use_id, reason, command FROM rejections", "c|NULL|make")
	h.Want("SELECT session_id, rejection_count FROM sessions ORDER BY 1", "a|0", "b|1")
	h.Want("SELECT count(*) FROM sources WHERE gone_at IS NOT NULL", "1")
	h.Want("SELECT * FROM record_kinds", "toy|line|true|3|1.0|1.0|NULL|NULL")
	_, _, err := h.Open().Prune(context.Background(), "")
	must(t, err)
	h.LikeClean()
}

func TestNewerReaderReadsAnew(t *testing.T) {
	whole.Test(t, "loads several stores, 0.4 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Write("b.jsonl", line(2, ""))
	h.Sync()
	h.Remove("b.jsonl")
	h.Reader.Version = 2
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Loaded: 1, Gone: 1})
	h.Want("SELECT reader_version FROM sources ORDER BY path", "2", "1")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Unchanged: 1})
}

func TestForeignFilesAreNotTouched(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(h *home){
		"a DuckDB file, but no store": func(h *home) { tamper(h.T, h.Store, "CREATE TABLE sources (gone_at TIMESTAMPTZ, source_id INT)") },
		"not a DuckDB file": func(h *home) {
			must(h.T, os.WriteFile(h.Store, []byte(strings.Repeat("shopping list\n", 1000)), 0o644))
		},
	} {
		h := newHome(t)
		h.Write("a.jsonl", line(1, ""))
		must(t, os.MkdirAll(filepath.Dir(h.Store), 0o755))
		make(h)
		before, err := os.ReadFile(h.Store)
		must(t, err)
		s := h.Open()
		_, syncErr := s.Sync(context.Background(), engine.SyncOptions{})
		_, fullErr := s.Sync(context.Background(), engine.SyncOptions{Full: true})
		_, _, pruneErr := s.Prune(context.Background(), "")
		_, queryErr := tryRows(s, "SELECT 1", nil)
		for _, err := range []error{syncErr, fullErr, pruneErr, queryErr} {
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), h.Store) || !errors.As(err, new(*engine.NotAStore)) {
				t.Errorf("%s: %v", name, err)
			}
		}
		after, err := os.ReadFile(h.Store)
		must(t, err)
		if string(before) != string(after) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestPruneWithoutAStoreMakesNone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if files, rows, err := h.Open().Prune(context.Background(), ""); files != 0 || rows != 0 || err != nil {
		t.Errorf("%d files, %d rows, %v", files, rows, err)
	}
	if _, err := os.Stat(h.Store); !os.IsNotExist(err) {
		t.Errorf("the store is there: %v", err)
	}
}

func TestWhatGoesWrongWithALogIsAProblemRow(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Write("fails.jsonl", line(2, ""), `{"fail":"read: input/output error"}`+"\n")
	h.Write("panics.jsonl", line(3, ""), `{"panic":"ouch"}`+"\n")
	h.Write("z.jsonl", line(4, ""))
	wantReport(t, h.Sync(), engine.SyncReport{Found: 4, Loaded: 4, Problems: 2})
	h.Want("SELECT text FROM messages ORDER BY 1", "text 1", "text 2", "text 3", "text 4")
	h.Want("SELECT regexp_extract(path, '[a-z]+.jsonl'), line, left(what, 24) FROM problems ORDER BY 1",
		"fails.jsonl|NULL|read: input/output error", "panics.jsonl|NULL|reader panicked: ouch; p")
	h.Want("SELECT sum(problems) FROM sources", "2")
}

func TestStoreIsTheUsersOnly(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.5 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	for range 3 {
		h.SyncWith(true)
		h.Append("a.jsonl", line(2, ""))
		h.Sync()
		for path, want := range map[string]os.FileMode{h.Store: 0o600, h.Store + ".lock": 0o600, filepath.Dir(h.Store): 0o700 | os.ModeDir} {
			info, err := os.Stat(path)
			must(t, err)
			if info.Mode() != want {
				t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
			}
		}
	}
	wantFiles(t, h, "h.duckdb", "h.duckdb.lock", "h.duckdb.turn")
}

// wantFiles lists the store's folder.
func wantFiles(t *testing.T, h *home, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(h.Store))
	must(t, err)
	var got []string
	for _, e := range entries {
		if !strings.Contains(e.Name(), ".session-") { // of an open session
			got = append(got, e.Name())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
}

func TestCancelledSyncLeavesNothingHalf(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.9 s of processor time")
	t.Parallel()
	h := newHome(t)
	for i := range 50 {
		h.Write(fmt.Sprintf("%d.jsonl", i), line(i, ""))
	}
	h.Sync()
	before := h.Dump()
	s := h.Open()
	ctx, cancel := context.WithCancel(context.Background())
	read := h.Reader.Read
	h.Reader.Read = func(in *readers.Input) error { cancel(); return read(in) }
	if _, err := s.Sync(ctx, engine.SyncOptions{Full: true}); err == nil {
		t.Error("no error")
	}
	h.Reader.Read = read
	h.WantSame(before)
	wantFiles(t, h, "h.duckdb", "h.duckdb.lock", "h.duckdb.turn")
	_, err := s.Sync(context.Background(), engine.SyncOptions{Full: true})
	must(t, err)
	h.WantSame(before)
}

func TestALogLeftBehind(t *testing.T) {
	whole.Test(t, "syncs five times and loads anew twice")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	h.Tamper("PRAGMA disable_checkpoint_on_shutdown", "UPDATE messages SET text = 'changed'")
	if _, err := os.Stat(h.Store + ".wal"); err != nil {
		t.Fatalf("the test needs a log: %v", err)
	}
	h.Want("SELECT text FROM messages", "changed")
	h.Append("a.jsonl", line(2, ""))
	h.Sync()
	h.LikeClean()
	// A write-ahead log whose store was removed.
	h.Tamper("PRAGMA disable_checkpoint_on_shutdown", "UPDATE messages SET text = 'changed'")
	must(t, os.Remove(h.Store))
	h.Sync()
	h.LikeClean()
	// A write-ahead log, with rows of a vanished file, when a full sync begins.
	h.Write("b.jsonl", line(3, ""))
	h.Sync()
	h.Remove("b.jsonl")
	h.Tamper("PRAGMA disable_checkpoint_on_shutdown", "UPDATE messages SET text = 'changed'")
	h.SyncWith(true)
	h.Want("SELECT text FROM messages ORDER BY 1", "changed", "text 1", "text 2")
	wantFiles(t, h, "h.duckdb", "h.duckdb.lock", "h.duckdb.turn")
}

func TestStoreThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	must(t, os.WriteFile(filepath.Join(h.Dir, "data"), nil, 0o644)) // where the folder should be
	_, err := engine.Open(context.Background(), h.Config())
	if err == nil || !strings.Contains(err.Error(), filepath.Join(h.Dir, "data")) {
		t.Errorf("got %v", err)
	}
}

func TestBusyStore(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	h.Append("a.jsonl", line(2, ""))
	started, release := make(chan bool), make(chan bool)
	slow := h.Clean()
	slow.Store = h.Store
	reader := *h.Reader
	reader.Read = func(in *readers.Input) error { close(started); <-release; return h.Reader.Read(in) }
	slow.Reader = &reader
	done := make(chan engine.SyncReport)
	go func() { report, _ := slow.Open().Sync(context.Background(), engine.SyncOptions{}); done <- report }()
	<-started
	c := h.Config()
	c.Patience = 20 * time.Millisecond
	s := open(t, c)
	report, err := s.Sync(context.Background(), engine.SyncOptions{})
	if err != nil || !report.Busy || report.Loaded != 0 {
		t.Errorf("while another loads: %+v, %v", report, err)
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "1")
	if _, _, err := s.Prune(context.Background(), ""); err == nil || !strings.Contains(err.Error(), "another sync") {
		t.Errorf("a prune while another loads: %v", err)
	}
	close(release)
	if report := <-done; report.Loaded != 1 {
		t.Errorf("the other one: %+v", report)
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "2")
}

func TestProgressEndsWhole(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for i := range 20 {
		h.Write(fmt.Sprintf("%d.jsonl", i), line(i, ""))
	}
	var last engine.Progress
	report, err := h.Open().Sync(context.Background(), engine.SyncOptions{Progress: func(p engine.Progress) { last = p }})
	must(t, err)
	if want := (engine.Progress{Files: 20, TotalFiles: 20, Bytes: report.Bytes, TotalBytes: report.Bytes}); last != want || report.Bytes == 0 {
		t.Errorf("got %+v, want %+v", last, want)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Write("b.jsonl", line(2, ""))
	c := h.Config()
	c.Roots = map[string][]string{"toy": {h.Dir, filepath.Join(h.Dir, "none")}}
	got, err := open(t, c).Places()
	must(t, err)
	want := []engine.PlaceReport{
		{Agent: "toy", Title: "Toy", Path: h.Dir, From: "--root", Exists: true, Files: 2, Bytes: int64(len(line(1, "") + line(2, "")))},
		{Agent: "toy", Title: "Toy", Path: filepath.Join(h.Dir, "none"), From: "--root"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
