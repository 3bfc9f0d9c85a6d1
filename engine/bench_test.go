package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hindsql/engine"
	"hindsql/engine/export"
)

// benchHome is the generated tree, or a small tree of copies of the sample.
func benchHome(b *testing.B) string {
	b.Helper()
	if tree := os.Getenv("HINDSQL_BENCH_TREE"); tree != "" {
		return tree
	}
	return makeTree(b, 40)
}

func syncOnce(b *testing.B, c engine.Config) engine.SyncReport {
	b.Helper()
	s, err := tryOpen(c)
	must(b, err)
	report, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(b, err)
	must(b, s.Close())
	return report
}

func BenchmarkFirstLoad(b *testing.B) {
	c := realConfig(benchHome(b), filepath.Join(b.TempDir(), "h.duckdb"))
	for b.Loop() {
		b.StopTimer()
		must(b, os.RemoveAll(c.Store))
		b.StartTimer()
		b.SetBytes(syncOnce(b, c).Bytes)
	}
}

// BenchmarkNothingChanged opens, syncs and asks, over 10,000 unchanged logs.
func BenchmarkNothingChanged(b *testing.B) {
	home := b.TempDir()
	for i := range 10000 {
		must(b, appendFile(filepath.Join(home, ".claude", "projects", fmt.Sprint("p", i%100), fmt.Sprintf("%08x-0000-4000-8000-000000000000.jsonl", i)), bigLine(i, 100)))
	}
	c := realConfig(home, filepath.Join(b.TempDir(), "h.duckdb"))
	syncOnce(b, c)
	for b.Loop() {
		askOnce(b, c, "SELECT count(*) FROM rejections")
	}
}

func askOnce(b *testing.B, c engine.Config, query string) {
	b.Helper()
	s, err := tryOpen(c)
	must(b, err)
	_, err = s.Sync(context.Background(), engine.SyncOptions{})
	must(b, err)
	_, err = tryRows(s, query, nil)
	must(b, err)
	must(b, s.Close())
}

// BenchmarkOneFileGrew opens, syncs and asks, after a session of 20 MB grew by
// a line.
func BenchmarkOneFileGrew(b *testing.B) {
	home := b.TempDir()
	must(b, os.CopyFS(home, os.DirFS(benchHome(b))))
	log := filepath.Join(home, ".claude", "projects", "p", "00000000-0000-4000-8000-000000000000.jsonl")
	for i := range 20000 {
		must(b, appendFile(log, bigLine(i, 900)))
	}
	c := realConfig(home, filepath.Join(b.TempDir(), "h.duckdb"))
	syncOnce(b, c)
	n := 20000
	for b.Loop() {
		n++
		must(b, appendFile(log, bigLine(n, 900)))
		askOnce(b, c, "SELECT count(*) FROM rejections")
	}
}

// BenchmarkSmallFileGrew is BenchmarkOneFileGrew with a session of few messages. It
// shows the cost of linking few messages to the rest of the tree.
func BenchmarkSmallFileGrew(b *testing.B) {
	home := b.TempDir()
	must(b, os.CopyFS(home, os.DirFS(benchHome(b))))
	log := filepath.Join(home, ".claude", "projects", "p", "00000000-0000-4000-8000-000000000000.jsonl")
	n := 0
	grow := func() { n++; must(b, appendFile(log, bigLine(n, 900))) }
	grow()
	c := realConfig(home, filepath.Join(b.TempDir(), "h.duckdb"))
	syncOnce(b, c)
	for b.Loop() {
		grow()
		askOnce(b, c, "SELECT count(*) FROM rejections")
	}
}

// benchQuery measures a query in an open session, as a prompt runs it.
func benchQuery(b *testing.B, query string) {
	b.Helper()
	c := realConfig(benchHome(b), filepath.Join(b.TempDir(), "h.duckdb"))
	syncOnce(b, c)
	s := open(b, c)
	for b.Loop() {
		_, err := tryRows(s, query, nil)
		must(b, err)
	}
}

func BenchmarkRejectionsWithTheirCalls(b *testing.B) {
	benchQuery(b, `SELECT r.timestamp, r.reason, t.tool_name, t.input, t.batch_size FROM rejections r
		JOIN tool_calls t USING (agent, session_id, tool_use_id) WHERE r.decided_by = 'user' ORDER BY r.timestamp DESC`)
}

func BenchmarkTwentySessions(b *testing.B) {
	benchQuery(b, "SELECT * FROM sessions ORDER BY started_at DESC LIMIT 20")
}

func BenchmarkTokensByDay(b *testing.B) {
	benchQuery(b, "SELECT date_trunc('day', timestamp) AS day, model, sum(input_tokens + output_tokens) FROM messages GROUP BY ALL ORDER BY ALL")
}

func BenchmarkSearchEverywhere(b *testing.B) { benchQuery(b, "FROM search('retry')") }

func BenchmarkSession(b *testing.B) {
	benchQuery(b, "FROM session((SELECT min(session_id) FROM sessions))")
}

func BenchmarkSearch(b *testing.B) {
	benchQuery(b, "SELECT session_id, message_index FROM messages WHERE text ILIKE '%retry%'")
}

// benchExport measures an export of the whole tree into a folder of its own.
func benchExport(b *testing.B, o export.Options) {
	b.Helper()
	c := realConfig(benchHome(b), filepath.Join(b.TempDir(), "h.duckdb"))
	size := syncOnce(b, c).Bytes
	s := open(b, c)
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		if o.Dir = dir; !o.Update {
			o.Dir = filepath.Join(dir, fmt.Sprint(i))
		}
		_, err := export.Run(context.Background(), s.Session, o)
		must(b, err)
		b.SetBytes(size)
	}
}

func BenchmarkExportWhole(b *testing.B) {
	benchExport(b, export.Options{Format: export.Parquet})
}

func BenchmarkExportByDay(b *testing.B) {
	benchExport(b, export.Options{Format: export.Parquet, PartitionBy: []string{"agent", "day"}})
}

// BenchmarkExportUpdate looks at every row, and writes only the first time.
func BenchmarkExportUpdate(b *testing.B) {
	benchExport(b, export.Options{Format: export.Parquet, PartitionBy: []string{"agent", "day"}, Update: true})
}

func BenchmarkExportSessions(b *testing.B) {
	benchExport(b, export.Options{Format: export.Unified})
}
