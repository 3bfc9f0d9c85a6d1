package enginetest

import (
	"context"
	"database/sql"
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
	Reader *readers.Reader // nil for the agents' own

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
	return &Home{T: h.T, Dir: h.Dir, Store: filepath.Join(h.T.TempDir(), "clean.duckdb"), Reader: h.Reader}
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
