package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"hindsql/engine/confined"
	"hindsql/engine/loglines"
	"hindsql/engine/store"
	"hindsql/internal/regular"
	"hindsql/readers"
	"hindsql/tables"
)

// Store keeps the tables in a DuckDB file, or shows rows from elsewhere, and does all
// reading and writing. A Store is safe for use by many goroutines.
type Store struct {
	backend backend
	disks   *loglines.Disks
	config  atomic.Pointer[Config] // set by the last caller to open the Store
}

func newStore(c Config) *Store {
	st := &Store{}
	st.config.Store(&c)
	st.disks = loglines.NewDisks(store.File{Path: c.Store}, func() time.Duration { return st.settings().Answers })
	return st
}

// settings returns the configuration, as the last caller to open the Store set it.
func (st *Store) settings() Config { return *st.config.Load() }

// Open returns the Store of a path. All callers that open the same file get the same
// Store, which reads the logs that the last caller named. A safe Store and a lake are
// never shared. Open reads and attaches nothing yet. It returns an error for an unknown
// time zone, a [*NotAStore] for a path that can't be a file, or DuckDB's error.
func Open(ctx context.Context, c Config) (*Store, error) {
	if _, err := location(c.Timezone); err != nil {
		return nil, err
	}
	switch {
	case c.Lake != nil:
		return openLake(ctx, c)
	case c.Safe != nil:
		return openSafe(ctx, c)
	}
	return openFile(ctx, c)
}

// IsOpen reports whether a process has a Store open at the path.
func IsOpen(path string) bool { return store.IsOpen(path) }

// Close releases the Store. When all callers have closed the Store, its DuckDB and its
// sessions end.
func (st *Store) Close() error { return st.backend.close() }

// Sync brings the store up to date with the logs. One sync runs at a time, across all
// processes. If another sync is running, Sync waits for Patience and then reports Busy.
// If the other sync makes the store and Patience is zero, Sync waits for ten minutes.
//
// Sync waits for running statements for 250 ms at most. It waits for 2 s if no sync
// could write for a second, and for up to 5 s if Patience is more than 2 s. Then Sync
// reports the process in the way, and the rows stay as before. Sync does the same if
// the disk takes no more rows, see [Unwritable].
//
// A killed Sync leaves a store that opens, and the next Sync goes on. If Sync had
// nothing to do, the store stays attached for the statement that most likely follows.
// If no statement follows, call [Store.Detach].
//
// The error is a [*Held] if another program writes to the file, a [*NotAStore], or an
// [*Unwritable] if there is no store to answer from. For rows from elsewhere, Sync does
// nothing: such rows have no logs.
func (st *Store) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	return st.backend.sync(ctx, o)
}

// SyncedAt returns when the logs were last found to be loaded. Before this process's
// first sync it returns the time of the last write to the file, or zero without a file.
func (st *Store) SyncedAt() time.Time { return st.backend.syncedAt() }

// Detach releases the store, and other processes can then write to the file. A Store is
// held only after a Sync that no statement followed.
func (st *Store) Detach(ctx context.Context) { _ = st.backend.detach(ctx) }

// Stay keeps the store attached between statements, until the caller calls leave. It
// saves attaching the store for each of several statements, 8 ms each with 1 GB of logs.
// A writer of another process waits for the end of the running statement, or for leave
// if none runs. So the time between two statements has to be short.
func (st *Store) Stay(ctx context.Context) (leave func()) { return st.backend.stay(ctx) }

// PricesName names the list by which costs are estimated; empty for none.
func (st *Store) PricesName() string { return st.settings().Prices.Name }

// Mark returns a text that changes when any program writes to the store's file. Mark
// reads no rows. The text is empty if the file doesn't exist.
func (st *Store) Mark() string { return store.MarkOf(st.settings().Store) }

// Hostname returns the name of this machine, the value of the host columns.
func (st *Store) Hostname() string { return st.settings().Hostname }

// Machine returns the id of this machine, the value of the machine columns.
func (st *Store) Machine() string { return st.settings().loads().Machine }

// Each calls visit for each row of a query. The query may read files but none of the
// store's tables. It runs beside the sessions' statements.
func (st *Store) Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error {
	db, err := st.backend.open()
	if err != nil {
		return err
	}
	return db.Each(ctx, query, visit)
}

// Write calls write in one transaction, while no other caller writes to the store, see
// [load.File.Write].
func (st *Store) Write(ctx context.Context, write func(*Writer) error) error {
	f, err := st.backend.writable()
	if err != nil {
		return err
	}
	return f.Write(ctx, write)
}

// NameRows writes this machine's name into the rows of this machine: the name may have
// changed since the load.
func (st *Store) NameRows(ctx context.Context) error {
	f, err := st.backend.writable()
	if err != nil {
		return err
	}
	return f.NameRows(ctx)
}

// HasRows reports whether the file exists. The error is a [*OtherBuild] if another build
// wrote it.
func (st *Store) HasRows(ctx context.Context) (bool, error) {
	f, err := st.backend.writable()
	if err != nil {
		return false, err
	}
	return f.HasRows(ctx)
}

// File is the store's file.
func (st *Store) File() store.File { return store.File{Path: st.settings().Store} }

// Pool returns the workers of a Store for SQL of other people; nil if the Store isn't safe.
func (st *Store) Pool() *confined.Pool {
	if s, ok := st.backend.(*safeBackend); ok {
		return s.pool
	}
	return nil
}

// IsSafe reports whether the Store runs SQL of other people, see [Safe].
func (st *Store) IsSafe() bool { return st.Pool() != nil }

// PlaceReport describes one root and the logs below the root.
type PlaceReport struct {
	Agent, Title string
	Path         string
	From         string // who named the root, see readers.Place
	Exists       bool
	Files        int   // logs
	Bytes        int64 // of the logs
	Unread       []readers.UnreadFiles
	Unlisted     error // why a folder below can't be listed; nil if all can
	Silent       error // why the root, or a folder below, gives no answer; nil if all devices answer
}

// Places lists all searched roots, including missing ones. The error names folders that
// could not be listed.
func (st *Store) Places() ([]PlaceReport, error) {
	var reports []PlaceReport
	var wrong []error
	c := st.settings()
	dog := st.disks.Watchdog(false)
	for _, r := range c.Readers {
		for _, place := range r.Places(c.Host, c.Roots[r.Agent]) {
			report := PlaceReport{Agent: r.Agent, Title: r.Title, Path: place.Path, From: place.From, Exists: dog.MayExist(place.Path)}
			logs, unread, err := dog.Survey(r, []readers.Place{place})
			report.Silent = dog.CheckRoot(place.Path)
			report.Unread, report.Unlisted, wrong = unread, err, append(wrong, err)
			for _, log := range logs {
				report.Files++
				report.Bytes += log.Size
			}
			reports = append(reports, report)
		}
	}
	return reports, errors.Join(wrong...)
}

// HasMoved reports whether a log of this machine had its source_id before it came to its
// path.
func HasMoved(agent, machine, path string, id int64) bool {
	return (&tables.Source{Agent: agent, Machine: machine, Path: path}).HasMoved(id)
}

// OpenLog opens a log of this machine for reading only. Like its agent's reader,
// OpenLog unpacks a compressed log. The error is fs.ErrNotExist if the log is gone.
func (st *Store) OpenLog(agent, path string) (io.ReadCloser, error) {
	for _, r := range st.settings().Readers {
		if r.Agent == agent {
			return st.disks.LinesDog().Open(r, path)
		}
	}
	return nil, fmt.Errorf("%s: no reader of %s", path, agent)
}

// list returns the rows of a list other than tables as JSON. whole is false for SQL with
// a scope: report runs, the folders of logs and the user's own queries belong to no
// project, and an error may name a file.
func (st *Store) list(name string, whole bool) (string, error) {
	var rows [][]any
	switch c := st.settings(); {
	case name == tables.ReportRuns().Name && whole:
		journal, err := regular.Read(RunsPath(c.Store), regular.Own)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return tables.ListRuns(string(journal))
		}
		return "", err
	case name == "agents" && whole:
		rows = st.agents()
	case name == "queries" && c.Queries != nil:
		rows = c.Queries(whole)
	case name == "prices" && c.Prices.Read != nil:
		prices, err := c.Prices.Read()
		switch {
		case err != nil && whole:
			return "", err
		case err != nil:
			return "", errors.New("prices: the list can't be read")
		}
		rows = tables.PriceRows(prices)
	}
	return tables.ListText(name, rows)
}

// agents looks up the folders of all agents. Of an agent without a reader it opens no
// file. A folder on a silent disk counts as missing.
func (st *Store) agents() (rows [][]any) {
	places, _ := st.Places() // each place has its error
	for _, p := range places {
		var why any
		if wrong := errors.Join(p.Silent, p.Unlisted); wrong != nil {
			why = wrong.Error()
		}
		rows = append(rows, []any{p.Agent, p.Path, p.From, p.Exists, p.Files, p.Bytes, p.Exists && why == nil, why})
		for _, u := range p.Unread {
			rows = append(rows, []any{p.Agent, filepath.Join(p.Path, filepath.FromSlash(u.Pattern)), p.From, true, u.Files, nil, false, u.Why})
		}
	}
	c := st.settings()
	dog := st.disks.Watchdog(false)
	for _, o := range c.Others {
		for _, path := range o.Folders(c.Host) {
			if dog.SurelyExists(path) {
				rows = append(rows, []any{o.Title, path, "default", true, nil, nil, false, o.Why})
			}
		}
	}
	return rows
}

// RunsPath returns the path of the journal of report runs that belongs to a store. The
// journal lies in a separate folder, to survive any loss of the store.
func RunsPath(path string) string {
	return strings.TrimSuffix(path, ".duckdb") + ".reports" + string(os.PathSeparator) + "runs.ndjson"
}
