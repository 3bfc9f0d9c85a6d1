package enginetest

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/readers"
	"hindsql/tables"
)

// Home is a folder with logs and a store.
type Home struct {
	T      testing.TB
	Dir    string
	Store  string
	Reader *readers.Reader     // nil for the agents' own
	Roots  map[string][]string // folders of the agents' logs, by agent; an agent without any looks in its own places

	look Face // session for queries between other uses; empty before the first query
}

// New makes a home without logs, for logs that [Toy] reads. The first sync creates the
// store.
func New(t testing.TB) *Home {
	t.Helper()
	dir := t.TempDir()
	return &Home{T: t, Dir: dir, Store: filepath.Join(dir, "data", "hindsql", "h.duckdb"), Reader: Toy()}
}

// Clean returns the same home with another store, not created yet.
func (h *Home) Clean() *Home {
	return &Home{T: h.T, Dir: h.Dir, Store: filepath.Join(h.T.TempDir(), "clean.duckdb"), Reader: h.Reader, Roots: h.Roots}
}

// Path returns the path of a log by its name.
func (h *Home) Path(name string) string { return filepath.Join(h.Dir, "logs", name) }

// writes counts the writes of all tests. Each write gets its own modification time,
// because file systems may be too coarse for fast tests.
var writes atomic.Int64

// Touch gives a file the next modification time.
func Touch(path string) error {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(writes.Add(1)) * time.Second)
	return os.Chtimes(path, at, at)
}

// Put writes a file of the home, with its own modification time.
func (h *Home) Put(rel, text string) {
	h.T.Helper()
	p := filepath.Join(h.Dir, filepath.FromSlash(rel))
	Must(h.T, os.MkdirAll(filepath.Dir(p), 0o755))
	Must(h.T, os.WriteFile(p, []byte(text), 0o644))
	Must(h.T, Touch(p))
}

// Write writes a log, with its own modification time.
func (h *Home) Write(name string, lines ...string) {
	h.T.Helper()
	h.Put("logs/"+name, strings.Join(lines, ""))
}

// Append appends lines to a log.
func (h *Home) Append(name string, lines ...string) {
	h.T.Helper()
	old, err := os.ReadFile(h.Path(name))
	Must(h.T, err)
	h.Write(name, string(old)+strings.Join(lines, ""))
}

// Remove removes a log.
func (h *Home) Remove(name string) { h.T.Helper(); Must(h.T, os.Remove(h.Path(name))) }

// Config returns the config of the home's logs and store. It closes the session for
// queries, so the store opens as in a new process.
func (h *Home) Config() engine.Config {
	h.stopLooking()
	return h.config()
}

func (h *Home) config() engine.Config {
	c := RealConfig(h.Dir, h.Store)
	c.Roots = h.Roots
	if h.Reader != nil {
		c.Readers = []*readers.Reader{h.Reader}
	}
	return c
}

// Open opens the store as a new process would.
func (h *Home) Open() Face { h.T.Helper(); return Open(h.T, h.Config()) }

// Sync syncs as a new process would.
func (h *Home) Sync() engine.SyncReport { h.T.Helper(); return h.SyncWith(false) }

// SyncWith is Sync. If full, every log is read again.
func (h *Home) SyncWith(full bool) engine.SyncReport {
	h.T.Helper()
	s := h.Open()
	defer s.Close()
	report, err := s.Sync(context.Background(), engine.SyncOptions{Full: full})
	Must(h.T, err)
	return report
}

// Rows runs SQL on the store as it is.
func (h *Home) Rows(query string) []string { h.T.Helper(); return Rows(h.T, h.looking(), query) }

// Want compares the rows of a query.
func (h *Home) Want(query string, want ...string) {
	h.T.Helper()
	if diff := cmp.Diff(want, h.Rows(query)); diff != "" {
		h.T.Errorf("%s: (-want +got)\n%s", query, diff)
	}
}

// Tamper changes the store without the engine, and clears the engine's count of rows.
func (h *Home) Tamper(statements ...string) {
	h.T.Helper()
	Tamper(h.T, h.Store, append(statements, "UPDATE store_info SET rows = NULL")...)
}

// Tamper runs statements on a store's file. Tables have their plain names there.
func Tamper(t testing.TB, file string, statements ...string) {
	t.Helper()
	db, err := sql.Open("duckdb", file)
	Must(t, err)
	defer db.Close()
	if _, err = db.Exec("SET search_path = '" + tables.Schema + "'"); err != nil {
		t.Log("no store of ours: ", err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// Files lists the files in a folder, with modification times.
func Files(t testing.TB, dir string) map[string]time.Time {
	t.Helper()
	all := map[string]time.Time{}
	Must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = info.ModTime()
		return err
	}))
	return all
}

// looking returns a session for queries. It reuses the session until the store is
// opened in another way, because starting DuckDB takes as long as most queries. Between
// two queries, no file stays open.
func (h *Home) looking() Face {
	h.T.Helper()
	if h.look.Session == nil {
		h.look = Open(h.T, h.config())
	}
	return h.look
}

// stopLooking ends the session of looking.
func (h *Home) stopLooking() {
	if h.look.Session != nil {
		h.look.Close()
		h.look = Face{}
	}
}

// Dump returns every row of every table in the store, in order, without load times.
func (h *Home) Dump() map[string][]string {
	h.T.Helper()
	return Dump(h.T, h.looking())
}

// Dump is [Home.Dump] for an open store. It reads all tables in one statement, because
// a statement for each table takes five times as long, and nearly every test compares
// dumps.
func Dump(t testing.TB, s Face) map[string][]string {
	t.Helper()
	var pieces []string
	for _, table := range tables.All() {
		columns, schema := "*", tables.Schema
		if table.View != "" {
			schema = "main"
		}
		if table.Name == "message_keys" {
			continue // its order depends on how it was filled
		}
		if table.Name == "sources" {
			columns = "* EXCLUDE (loaded_at) REPLACE (gone_at IS NOT NULL AS gone_at)"
		}
		where := "true"
		if table.Name == "neighbours" { // neighbours aren't watched for a Codex log older than a minute
			where = "existed OR agent != 'codex'"
		}
		// Long rows are shortened to their beginning and hash.
		pieces = append(pieces, fmt.Sprintf("SELECT '%[3]s', left(r, 600) || ' ' || md5(r) FROM (SELECT CAST(t AS VARCHAR) AS r FROM (SELECT %[1]s FROM store.%[2]s.%[3]s WHERE %[4]s) t)", columns, schema, table.Name, where))
	}
	all := map[string][]string{}
	for _, row := range Rows(t, s, strings.Join(pieces, " UNION ALL ")+" ORDER BY ALL") {
		name, text, _ := strings.Cut(row, "|")
		all[name] = append(all[name], text)
	}
	return all
}

// WantSame compares the store with another store's dump.
func (h *Home) WantSame(want map[string][]string) {
	h.T.Helper()
	if diff := cmp.Diff(want, h.Dump()); diff != "" {
		h.T.Errorf("the stores differ (-want +got)\n%.6000s", diff)
	}
}

// LikeClean compares the store with a new store of the same logs.
func (h *Home) LikeClean() {
	h.T.Helper()
	s := h.Clean().Open()
	defer s.Close()
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	Must(h.T, err)
	h.WantSame(Dump(h.T, s))
}

// Shown returns every row of each table that users see, by table name.
func Shown(t testing.TB, s Face) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range tables.Shown() {
		all[table.Name] = Rows(t, s, fmt.Sprintf("SELECT CAST(t AS VARCHAR) FROM %s t ORDER BY ALL", table.Name))
	}
	return all
}

// WantShown checks that a safe store has the rows that a plain one shows.
func WantShown(t testing.TB, safe Face, plain map[string][]string) {
	t.Helper()
	if diff := cmp.Diff(plain, Shown(t, safe)); diff != "" {
		t.Errorf("a safe store holds other rows (-plain +safe)\n%.4000s", diff)
	}
}
