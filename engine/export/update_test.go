package export_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/engine/export"
	"hindsql/internal/whole"
)

// onDay returns a toy message on a day of January.
func onDay(day, n int, text string) string {
	return fmt.Sprintf(`{"id":"d%d","at":"2026-01-%02dT10:00:%02dZ","text":"%s"}`+"\n", n, day, n%60, text)
}

// wantExport compares a folder with a new export of the same store.
func wantExport(h *enginetest.Home, dir string, o export.Options) {
	h.T.Helper()
	o.Dir, o.Update = h.T.TempDir(), false
	mustExport(h.T, h.Open(), o)
	if diff := cmp.Diff(names(enginetest.Files(h.T, o.Dir)), names(enginetest.Files(h.T, dir))); diff != "" {
		h.T.Errorf("files (-want +got)\n%s", diff)
		return
	}
	s := h.Open()
	for table := range parquetFiles(h.T, dir) {
		query := "SELECT CAST(t AS VARCHAR) FROM read_parquet('%s/" + table + "', filename = true) AS t ORDER BY ALL"
		want, got := rows(h.T, s, fmt.Sprintf(query, o.Dir)), rows(h.T, s, fmt.Sprintf(query, dir))
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], o.Dir, dir)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			h.T.Errorf("%s (-want +got)\n%.2000s", table, diff)
		}
	}
}

// parquetFiles returns globs of an export's tables, with the number of their files.
func parquetFiles(t testing.TB, dir string) map[string]int {
	globs := map[string]int{}
	for name := range enginetest.Files(t, dir) {
		if table, _, ok := strings.Cut(name, "/agent="); ok && strings.HasSuffix(name, ".parquet") && !strings.HasPrefix(name, ".") {
			globs[table+"/**/*.parquet"]++
		} else if strings.HasSuffix(name, ".parquet") && !strings.HasPrefix(name, ".") {
			globs[name]++
		}
	}
	return globs
}

// TestExportUpdate: an update writes only changed files. A row that left a partition
// also leaves the partition's files.
func TestExportUpdate(t *testing.T) {
	whole.Test(t, "exports after each of seven changes, and anew")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s1"}`+"\n", onDay(1, 1, "one"), onDay(2, 2, "two"), onDay(3, 3, "three"))
	h.Write("b.jsonl", `{"session":"s2"}`+"\n", onDay(5, 9, "other"))
	h.Sync()
	dir := t.TempDir()
	o := export.Options{Dir: dir, PartitionBy: byDay, Update: true, Format: export.Parquet}
	first := mustExport(t, h.Open(), o)
	if first.Unchanged != 0 || first.Files == 0 {
		t.Errorf("first export: %+v", first)
	}
	for _, step := range []struct {
		name    string
		change  func()
		written []string
		removed int
	}{
		{"nothing", func() {}, nil, 0},
		{"a session grew", func() { h.Append("a.jsonl", onDay(3, 4, "more")) },
			[]string{"messages/agent=toy/day=2026-01-03", "projects", "record_kinds", "sessions/agent=toy/day=2026-01-01", "sources"}, 0},
		{"on a new day", func() { h.Append("a.jsonl", onDay(4, 5, "new")) },
			[]string{"messages/agent=toy/day=2026-01-04", "projects", "record_kinds", "sessions/agent=toy/day=2026-01-01", "sources"}, 0},
		{"a message vanished", func() {
			h.Write("a.jsonl", `{"session":"s1"}`+"\n", onDay(1, 1, "one"), onDay(3, 3, "three"), onDay(3, 4, "more"), onDay(4, 5, "new"))
		}, // the later messages have another index and line
			[]string{"messages/agent=toy/day=2026-01-03", "messages/agent=toy/day=2026-01-04", "projects", "record_kinds", "sessions/agent=toy/day=2026-01-01", "sources"}, 1},
		{"a fork makes copies", func() { h.Write("0.jsonl", `{"session":"s0"}`+"\n", onDay(1, 1, "one"), onDay(9, 20, "fork")) },
			[]string{"messages/agent=toy/day=2026-01-09", "projects", "record_kinds", "sessions/agent=toy/day=2026-01-01", "sources"}, 0},
		{"a file is missing", func() { must(t, os.Remove(filepath.Join(dir, "messages/agent=toy/day=2026-01-05/data_0.parquet"))) },
			[]string{"messages/agent=toy/day=2026-01-05"}, 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.change()
			h.Sync()
			before := enginetest.Files(t, dir)
			report := mustExport(t, h.Open(), o)
			var written []string
			for name, at := range enginetest.Files(t, dir) {
				if strings.HasSuffix(name, ".parquet") && !before[name].Equal(at) {
					written = append(written, strings.TrimSuffix(strings.TrimSuffix(name, "/data_0.parquet"), ".parquet"))
				}
			}
			slices.Sort(written)
			if diff := cmp.Diff(step.written, written); diff != "" {
				t.Errorf("written (-want +got)\n%s", diff)
			}
			if report.Files != len(step.written) || report.Removed != step.removed {
				t.Errorf("report %+v, want %d files and %d removed", report, len(step.written), step.removed)
			}
			wantExport(h, dir, o)
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "messages", "agent=toy", "day=2026-01-02")); err == nil {
		t.Error("the folder of a day without rows is still there")
	}
}

// TestExportUpdateRefuses: an update of an export with other options is an error. So is
// the replacement of a foreign file.
func TestExportUpdateRefuses(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.5 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s1"}`+"\n", onDay(1, 1, "one"))
	h.Sync()
	ctx := context.Background()
	dir := t.TempDir()
	mustExport(t, h.Open(), export.Options{Dir: dir})
	for _, o := range []export.Options{
		{PartitionBy: byDay, Format: export.Parquet}, {Format: export.CSV}, {Agents: []string{"toy"}, Format: export.Parquet}, {Redact: upperCase{}, Format: export.Parquet},
		{Since: export.Moment{Text: "7d", At: time.Now()}, Format: export.Parquet},
	} {
		o.Dir, o.Update = dir, true
		if _, err := export.Run(ctx, h.Open().Session, o); !errors.As(err, new(*export.OtherOptions)) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	c := h.Config()
	c.Timezone = "Asia/Tokyo"
	if _, err := export.Run(ctx, open(t, c).Session, export.Options{Dir: dir, Update: true, Format: export.Parquet}); err == nil {
		t.Error("no error for days of another zone")
	}
	// An export with another layout replaces all files of the first layout.
	o := export.Options{Dir: dir, PartitionBy: byDay}
	mustExport(t, h.Open(), o)
	wantExport(h, dir, export.Options{PartitionBy: byDay})
	// Tables that aren't exported again stay.
	mustExport(t, h.Open(), export.Options{Dir: dir, Tables: []string{"sources"}, Format: export.CSV})
	left := enginetest.Files(t, dir)
	for name, want := range map[string]bool{"sources.csv": true, "sources.parquet": false, "messages/agent=toy/day=2026-01-01/data_0.parquet": true} {
		if _, ok := left[name]; ok != want {
			t.Errorf("%s: there %v, want %v", name, ok, want)
		}
	}
	foreign := t.TempDir()
	must(t, os.WriteFile(filepath.Join(foreign, "messages.parquet"), []byte("mine"), 0o644))
	if _, err := export.Run(ctx, h.Open().Session, export.Options{Dir: foreign, Format: export.Parquet}); err == nil || !strings.Contains(err.Error(), "not from an export") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"messages.parquet"}, names(enginetest.Files(t, foreign))); diff != "" {
		t.Errorf("a refused export left (-want +got)\n%s", diff)
	}
}

// exportAgain appends to a log, and updates an export or exports anew.
func exportAgain(c enginetest.Child, a *enginetest.Answer) error {
	logs, dir := c.Logs[:len(c.Logs)-1], c.Logs[len(c.Logs)-1]
	if err := enginetest.AppendFile(logs[a.Rounds%len(logs)], enginetest.BigLine(os.Getpid()*1000+a.Rounds, 2000)); err != nil {
		return err
	}
	return c.Session(func(ctx context.Context, s face) error {
		if _, err := s.Sync(ctx, engine.SyncOptions{}); err != nil {
			return err
		}
		_, err := export.Run(ctx, s.Session, export.Options{Dir: dir, Format: export.Parquet, PartitionBy: []string{"agent", "day"}, Update: a.Rounds%4 != 3})
		return err
	})
}

// TestExportKilled: a killed export leaves only complete files in the folder. The next
// export gives the same result as a first export.
func TestExportKilled(t *testing.T) {
	whole.Test(t, "starts processes, 8.2 s of processor time")
	t.Parallel()
	kills := whole.Or(8, 3)
	tree := enginetest.Tree(t, 1)
	h := &enginetest.Home{T: t, Store: filepath.Join(t.TempDir(), "h.duckdb")}
	must(t, syncTree(tree, h.Store))
	dir := filepath.Join(t.TempDir(), "out")
	k := enginetest.NewKiller(t, enginetest.Child{Mode: "export", Home: tree, Store: h.Store, Logs: append(enginetest.Transcripts(t, tree)[:5], dir)}, kills)
	must(t, os.RemoveAll(dir)) // the first kills interrupt a first export
	seen := map[string]int{}
	for i := range kills {
		k.Kill(i)
		for _, name := range []string{".hindsql-export.json", ".hindsql-export.tmp/lock"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				seen[name]++
			}
		}
		wantReadable(t, h, dir)
	}
	t.Logf("of %d kills, left behind: %v", kills, seen)
	must(t, syncTree(tree, h.Store))
	o := export.Options{Dir: dir, PartitionBy: byDay, Update: true, Format: export.Parquet}
	mustExport(t, open(t, realConfig(tree, h.Store)), o)
	wantExport(h, dir, o)
}

func syncTree(tree, store string) error {
	return enginetest.Child{Home: tree, Store: store}.Session(func(ctx context.Context, s face) error {
		_, err := s.Sync(ctx, engine.SyncOptions{})
		return err
	})
}

// wantReadable reads every row of every file in place.
func wantReadable(t *testing.T, h *enginetest.Home, dir string) {
	t.Helper()
	if _, err := os.Stat(dir); err != nil {
		return // killed before the folder was created
	}
	s := h.Open()
	for table := range parquetFiles(t, dir) {
		if _, err := enginetest.TryRows(s, "SELECT sum(hash(t)) FROM read_parquet('"+filepath.Join(dir, table)+"') AS t", nil); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
	}
}

// TestExportCutOffWhileMoving: some files belong to the new export, and others to the
// last. The next export trusts neither manifest about their content.
func TestExportCutOffWhileMoving(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.8 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s1"}`+"\n", onDay(1, 1, "one"), onDay(2, 2, "two"))
	h.Sync()
	dir, next := t.TempDir(), t.TempDir()
	o := export.Options{Dir: dir, PartitionBy: byDay, Update: true, Format: export.Parquet}
	mustExport(t, h.Open(), o)
	old := h.Clean()
	must(t, os.MkdirAll(filepath.Dir(old.Store), 0o755))
	text, err := os.ReadFile(h.Store)
	must(t, err)
	must(t, os.WriteFile(old.Store, text, 0o600))
	h.Write("a.jsonl", `{"session":"s1"}`+"\n", onDay(1, 1, "changed"), onDay(3, 3, "three"))
	h.Sync()
	mustExport(t, h.Open(), export.Options{Dir: next, PartitionBy: byDay})
	move := func(from, to string) {
		text, err := os.ReadFile(filepath.Join(next, from))
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, to), text, 0o600))
	}
	must(t, export.Announce(dir, next))
	for _, day := range []string{"1", "3"} {
		file := "messages/agent=toy/day=2026-01-0" + day + "/data_0.parquet"
		move(file, file)
	}
	// The store is as at the last export, so day 3 must be removed again.
	mustExport(t, old.Open(), o)
	wantExport(old, dir, o)
}
