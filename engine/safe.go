package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hindsql/engine/loglines"
	"hindsql/engine/sandbox"
	"hindsql/engine/sandbox/allow"
	"hindsql/engine/scope"
	"hindsql/engine/store"
	"hindsql/internal/spelling"
	"hindsql/internal/sqltext"
	"hindsql/internal/words"
	"hindsql/readers"
	"hindsql/tables"
)

// Safe sets the bounds of a Store that runs SQL of other people. The DuckDB of a safe
// Store is in a separate process, the worker. The worker never has the store's file.
// The Store copies rows in scope, redacted if asked, into the worker, and the worker
// holds no other data. The Store copies only columns that some statement has read.
// Statements are queries of the tables and of the functions on package allow's list.
// Files and settings are out of reach. A statement that crashes DuckDB, or exceeds its
// bounds, ends only the worker.
type Safe struct {
	Projects []string                              // folders: only rows of sessions that ran below them or in their worktrees are copied; empty for all rows
	Scope    scope.Scope                           // chooses among these rows; nil for all
	Redact   func(text string, isJSON bool) string // replaces secrets in the copied rows; called by several goroutines; nil for no redaction
	InMemory int64                                 // most bytes of logs for rows in memory; rows of more logs go into a file; zero for 1.1 GB
	Memory   int64                                 // bytes of DuckDB's memory; zero for 2 GB
	Disk     int64                                 // bytes of disk, used when memory is full; zero for 4 GB
	Time     time.Duration                         // of a statement; zero for 30 s
	Rows     int64                                 // of a result; zero for a million
	Rest     time.Duration                         // how long a client may rest while it takes a result's rows; zero for 5 min
}

// Default bounds.
const (
	safeLogs   = 1_100_000_000
	safeMemory = 2_000_000_000
	safeDisk   = 4_000_000_000
	safeTime   = 30 * time.Second
	safeRows   = 1_000_000
	safeRest   = 5 * time.Minute
)

// Limit is the error of a statement that met a bound of a safe Store or of [Within].
type Limit struct {
	What  string // time, rows, memory, size (of a result) or rest (the time for taking its rows)
	Bound string // with its unit
	safe  bool   // whether the bound is the Store's
}

// Error names the bound and says what to do.
func (l *Limit) Error() string {
	next := map[string]string{
		"time": "ask for less", "rows": "add a LIMIT, or count in SQL", "memory": "ask for fewer or shorter columns",
		"size": "ask for fewer or shorter columns", "rest": "take the rows as they come",
	}[l.What]
	where := ""
	if l.safe {
		where = "safe: "
	}
	return fmt.Sprintf("%sstopped at the limit of %s, %s; %s", where, l.What, l.Bound, next)
}

// late is the error of a statement that reached its time bound, of the Store or of
// [Within]. s is nil for a Store without bounds.
func (s *Safe) late(bound time.Duration) *Limit {
	return &Limit{What: "time", Bound: words.Duration(bound), safe: s != nil && bound == s.Time}
}

// outOfMemory is the error of a statement that reached the memory bound.
func (s *Safe) outOfMemory() *Limit {
	return &Limit{What: "memory", Bound: words.Size(s.Memory), safe: true}
}

// errSafe is the error of an operation that a safe Store doesn't support.
var errSafe = errors.New("safe: only queries run here")

// confined is the Store for SQL of other people. Its DuckDB lies in a worker.
type confined struct {
	spill      *store.Spill
	source     *Store   // whose rows are copied
	reader     *Session // session of the source
	bounds     Safe
	box        *box
	way        store.Way     // to the copying of rows
	clean      sandbox.Clean // texts of long copyings since the last that ended well
	wanted     needs         // of all statements so far; guarded by way
	lines      *loglines.Lines
	scopes     scope.Each
	statements sync.Map // running statements by number, with the bytes of lines that each has got
}

// openSafe makes a safe Store beside the Store of the same path. Each caller gets a
// safe Store of his own. Its worker starts at once.
func openSafe(ctx context.Context, c Config) (*Store, error) {
	if !canWork {
		return nil, errors.New("safe: this program can't be its own worker; its main has to call engine.Worker")
	}
	bounds := *c.Safe
	bounds.InMemory = cmp.Or(bounds.InMemory, safeLogs)
	bounds.Memory, bounds.Disk = cmp.Or(bounds.Memory, safeMemory), cmp.Or(bounds.Disk, safeDisk)
	bounds.Time, bounds.Rows = cmp.Or(bounds.Time, safeTime), cmp.Or(bounds.Rows, safeRows)
	bounds.Rest = cmp.Or(bounds.Rest, safeRest)
	plain := c
	plain.Safe = nil
	source, err := Open(ctx, plain)
	if err != nil {
		return nil, err
	}
	st := &Store{settings: &settings{config: c}}
	st.disks = &disks{at: store.File{Path: c.Store}, settings: st.settings}
	safe := &confined{source: source, bounds: bounds, way: store.Way{Gate: store.NewGate()}, spill: store.NewSpill(c.Store)}
	if len(bounds.Projects) > 0 {
		worktrees := func() tables.Worktrees { return readers.WorktreesOf(source.settings.get().Readers) }
		safe.scopes = append(safe.scopes, &scope.Folders{Paths: bounds.Projects, Rule: spelling.Here(), Worktrees: worktrees})
	}
	if bounds.Scope != nil {
		safe.scopes = append(safe.scopes, bounds.Scope)
	}
	st.kind, safe.lines = safe, safe.logLines(st.disks)
	if safe.reader, err = source.Session(ctx); err == nil {
		safe.box, err = newBox(safe.spill, bounds, safe.reply, safe.renew)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	go safe.prepare()
	return st, nil
}

func (c *confined) begin(_ context.Context, of *Store, zone *time.Location) (place, error) {
	return &remote{c: c, mine: sessionsBegun.Add(1), syncedAt: of.SyncedAt, location: zone, busy: store.NewGate()}, nil
}

func (c *confined) sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	report, err := c.source.Sync(ctx, o)
	_ = c.source.kind.detach(ctx) // the statement that follows runs in the worker
	return report, err
}

func (c *confined) syncedAt() time.Time { return c.source.SyncedAt() }

func (c *confined) detach(ctx context.Context) error { return c.source.kind.detach(ctx) }

func (c *confined) stay(ctx context.Context) func() { return c.source.kind.stay(ctx) }

func (*confined) open() (*instance, error) { return nil, errSafe }

func (*confined) writable() (*file, error) { return nil, errSafe }

// close ends the worker and closes the source.
func (c *confined) close() error {
	var errs []error
	if c.box != nil {
		errs = append(errs, c.box.close())
	}
	if c.reader != nil {
		// A running copy sees the closed box and stops using the reader.
		patience, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		if c.way.Enter(patience) == nil {
			defer c.way.Leave()
		}
		errs = append(errs, c.reader.Close())
	}
	return errors.Join(append(errs, c.spill.Close(), c.source.Close())...)
}

// safeNames returns the names of the tables and functions that users see.
func safeNames() allow.Names {
	names := allow.Names{Tables: map[string]bool{}, Functions: map[string]bool{}}
	for _, t := range tables.Shown() {
		names.Tables[t.Name] = true
	}
	for _, t := range tables.Lists() {
		names.Tables[ourNames+"."+t.Name] = true // see Ours
	}
	for _, m := range tables.Macros() {
		names.Functions[m.Name] = true
	}
	return names
}

// opening returns the bounds of a worker's DuckDB, and the SQL that makes its empty
// tables and closes the doors.
func (c *confined) opening(ctx context.Context) (opening, error) {
	own, err := c.reader.in.own()
	if err != nil {
		return opening{}, err
	}
	zone := c.source.settings.get().Timezone
	if zone == "" { // the worker doesn't see the machine's time zone
		if err := own.conn.QueryRowContext(ctx, "SELECT current_setting('TimeZone')").Scan(&zone); err != nil {
			return opening{}, err
		}
	}
	return opening{
		Rows: c.bounds.Rows, Memory: c.bounds.Memory, Time: c.bounds.Time,
		Tables: tablesDDL(own.in.worktrees()), Names: own.in.namesDDL(), Doors: c.doors(zone),
	}, nil
}

// attachedStore returns the SQL that attaches a worker's store. size is the number of
// bytes of logs whose rows may be copied.
func (c *confined) attachedStore(size int64) string {
	if size > c.bounds.InMemory {
		return fmt.Sprintf("ATTACH %s AS store (%s)", sqltext.Literal(rowsFile), attachOptions)
	}
	return "ATTACH ':memory:' AS store (COMPRESS)"
}

// doors returns the settings that close the DuckDB. They hold for the whole DuckDB, and
// the last setting locks all.
func (c *confined) doors(timezone string) string {
	settings := []string{
		fmt.Sprintf("SET memory_limit = '%d KB'", c.bounds.Memory/1000),
		fmt.Sprintf("SET max_temp_directory_size = '%d KB'", c.bounds.Disk/1000),
		"SET allow_community_extensions = false", "SET allow_persistent_secrets = false",
	}
	if timezone != "" {
		settings = append(settings, "SET GLOBAL TimeZone = "+sqltext.Literal(timezone))
	}
	settings = append(settings, "SET enable_external_access = false", "SET lock_configuration = true")
	return strings.Join(settings, "; ")
}
