package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hindsql/engine/safe"
	"hindsql/tables"
)

// Safe are the bounds of a Store that runs SQL of other people's. Such a Store is
// a DuckDB of its own, which never has the store's file: rows in scope, redacted
// where asked, are copied into it, so that there is nothing else to find.
// Statements are queries of the tables and of the functions on package safe's
// list, files and settings are out of reach.
type Safe struct {
	Projects []string                              // folders: rows of sessions that ran neither below them nor in their worktrees are left out; none for all
	Redact   func(text string, isJSON bool) string // replaces secrets as rows enter; several goroutines call it; nil for none
	InMemory int64                                 // bytes of logs whose rows are copied into memory; of more, into a file; zero for 1.1 GB
	Memory   int64                                 // bytes of DuckDB's; zero for 2 GB
	Disk     int64                                 // bytes of what memory doesn't hold; zero for 4 GB
	Time     time.Duration                         // of a statement; zero for 30 s
	Rows     int64                                 // of a result; zero for a million
}

// The bounds where none are given.
const (
	safeLogs   = 1_100_000_000
	safeMemory = 2_000_000_000
	safeDisk   = 4_000_000_000
	safeTime   = 30 * time.Second
	safeRows   = 1_000_000
)

// Limit is the error of a statement that met a bound, a safe Store's or that of
// [Within].
type Limit struct {
	What  string // time, rows, memory
	Bound string // with its unit
	safe  bool   // the Store's
}

// Error says which bound, and what to do.
func (l *Limit) Error() string {
	next := map[string]string{
		"time": "ask for less", "rows": "add a LIMIT, or count in SQL", "memory": "ask for fewer or shorter columns",
	}[l.What]
	where := ""
	if l.safe {
		where = "safe: "
	}
	return fmt.Sprintf("%sstopped at the limit of %s, %s; %s", where, l.What, l.Bound, next)
}

// errSafe is the error of what a safe Store doesn't do.
var errSafe = errors.New("safe: only queries run here")

// confined is what a Store has that is safe.
type confined struct {
	source *Store   // whose rows are copied
	reader *Session // of the source
	bounds Safe
	names  safe.Names
	gate   gate             // inside, rows are copied
	made   bool             // the tables are there
	failed error            // why they could not be made; half of them are nothing to go on with
	mark   string           // see markOfAll, when last copied
	copied time.Time        // when that began
	known  map[int64]string // what the rows of a source were, when copied
}

// openSafe makes a safe Store beside the one of the path. Each caller gets one
// of his own.
func openSafe(ctx context.Context, c Config) (*Store, error) {
	bounds := *c.Safe
	bounds.InMemory = cmp.Or(bounds.InMemory, safeLogs)
	bounds.Memory, bounds.Disk = cmp.Or(bounds.Memory, safeMemory), cmp.Or(bounds.Disk, safeDisk)
	bounds.Time, bounds.Rows = cmp.Or(bounds.Time, safeTime), cmp.Or(bounds.Rows, safeRows)
	plain := c
	plain.Safe = nil
	source, err := Open(ctx, plain)
	if err != nil {
		return nil, err
	}
	st, err := newStore(ctx, c.Store, "")
	if err != nil {
		return nil, errors.Join(err, source.Close())
	}
	st.config = c
	st.safe = &confined{source: source, bounds: bounds, names: safeNames(), gate: newGate(), known: map[int64]string{}}
	if st.safe.reader, err = source.Session(ctx); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// close ends what the safe Store made, and gives its source up.
func (c *confined) close(st *Store) error {
	err := errors.Join(st.conn.Close(), st.db.Close())
	if c.reader != nil {
		err = errors.Join(err, c.reader.Close())
	}
	return errors.Join(err, st.spill.close(), c.source.Close())
}

// safeNames are those of the tables and functions that users see.
func safeNames() safe.Names {
	names := safe.Names{Tables: map[string]bool{}, Functions: map[string]bool{}}
	for _, t := range tables.Shown() {
		names.Tables[t.Name] = true
	}
	for _, m := range tables.Macros() {
		names.Functions[m.Name] = true
	}
	return names
}

// make makes the tables, empty, and closes the doors. size is how many bytes of
// logs will be copied.
func (c *confined) make(ctx context.Context, st *Store, size int64) error {
	attach := c.attachMemory
	if size > c.bounds.InMemory {
		attach = c.attachFile
	}
	if err := attach(ctx, st); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return createTables(ctx, st.conn, st.worktrees()) },
		st.makeNames,
		func(ctx context.Context) error { return st.exec(ctx, c.doors(st.settings().Timezone)) },
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *confined) attachMemory(ctx context.Context, st *Store) error {
	return st.exec(ctx, "ATTACH ':memory:' AS store (COMPRESS)")
}

// attachFile makes a file beside what memory doesn't hold, which goes with it.
func (c *confined) attachFile(ctx context.Context, st *Store) error {
	if err := os.MkdirAll(st.spill.folder, 0o700); err != nil {
		return err
	}
	path := filepath.Join(st.spill.folder, "store.duckdb")
	if err := st.exec(ctx, fmt.Sprintf("ATTACH %s AS store (%s)", tables.Quote(path), attachOptions)); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}

// doors are the settings that close. They are of the whole DuckDB, and none can
// be changed afterwards.
func (c *confined) doors(timezone string) string {
	settings := []string{
		fmt.Sprintf("SET memory_limit = '%d KB'", c.bounds.Memory/1000),
		fmt.Sprintf("SET max_temp_directory_size = '%d KB'", c.bounds.Disk/1000),
		"SET allow_community_extensions = false", "SET allow_persistent_secrets = false",
	}
	if timezone != "" {
		settings = append(settings, "SET GLOBAL TimeZone = "+tables.Quote(timezone))
	}
	settings = append(settings, "SET enable_external_access = false", "SET lock_configuration = true")
	return strings.Join(settings, "; ")
}

// runsTable holds the runs of reports, which a plain Store reads from their
// journal with a function that a safe one doesn't have.
func runsTable() string {
	return tables.ReportRuns().DDL("memory."+ourNames) + ";\n"
}
