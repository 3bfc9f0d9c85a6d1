// Package confined runs SQL of other people, in a worker: this program started again, whose
// DuckDB holds copies of the rows in scope, redacted if asked.
//
// In: rows of a Store ([Rows]), bounds ([Safe]), statements. Out: rows of results, and
// errors. The package never opens a Store, never loads a log, and a worker never gets the
// store's file or path.
//
// A [Pool] copies rows into the worker and starts a new worker after one ended
// (supervisor); a [Session] sends statements; worker is the other side of the pipes, whose
// planner finds the columns that a statement needs.
package confined

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hindsql/engine/duck"
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

// timeLimit is the error of a statement that reached its time bound, of the Store or of
// [duck.Within].
func (s *Safe) timeLimit(bound time.Duration) *duck.Limit {
	return &duck.Limit{What: "time", Bound: words.Duration(bound), Safe: bound == s.Time}
}

// memoryLimit is the error of a statement that reached the memory bound.
func (s *Safe) memoryLimit() *duck.Limit {
	return &duck.Limit{What: "memory", Bound: words.Size(s.Memory), Safe: true}
}

// ErrSafe is the error of an operation that a safe Store doesn't support.
var ErrSafe = errors.New("safe: only queries run here")

// Rows are the rows of a Store, from which a Pool copies, and what belongs to them.
type Rows interface {
	Config() duck.Config
	// Zone returns the name of the sessions' time zone, the machine's if none is set.
	Zone(ctx context.Context) (string, error)
	// Read calls use, and keeps the store in one state meanwhile.
	Read(ctx context.Context, level duck.Level, use func(*duck.Reading) error) error
	// List returns the rows of a list as JSON, see [tables.Lists]; of all projects if whole.
	List(name string, whole bool) (string, error)
	// Roots returns the folders of logs, also if some folders below can't be listed.
	Roots() ([]string, error)
}

// Pool runs SQL of other people, on rows of a Store that it copies into workers.
type Pool struct {
	spill      *store.Spill
	rows       Rows
	bounds     Safe
	workers    *supervisor
	way        priorityGate       // to the copying of rows
	clean      sandbox.CleanTexts // texts of long copyings since the last that ended well
	wanted     columnSet          // of all statements so far; guarded by way
	lines      *loglines.Lines
	scopes     scope.All
	statements sync.Map // running statements by number, with the bytes of lines that each has got
}

// Open starts a Pool. Its worker starts at once. disks opens the logs for single lines.
func Open(rows Rows, bounds Safe, disks *loglines.Disks) (*Pool, error) {
	if !canWork {
		return nil, errors.New("safe: this program can't be its own worker; its main has to call engine.Worker")
	}
	bounds.InMemory = cmp.Or(bounds.InMemory, safeLogs)
	bounds.Memory, bounds.Disk = cmp.Or(bounds.Memory, safeMemory), cmp.Or(bounds.Disk, safeDisk)
	bounds.Time, bounds.Rows = cmp.Or(bounds.Time, safeTime), cmp.Or(bounds.Rows, safeRows)
	bounds.Rest = cmp.Or(bounds.Rest, safeRest)
	p := &Pool{rows: rows, bounds: bounds, way: priorityGate{Gate: store.NewGate()}, spill: store.NewSpill(rows.Config().Store)}
	if len(bounds.Projects) > 0 {
		p.scopes = append(p.scopes, &scope.Folders{Paths: bounds.Projects, Rule: spelling.Here(), Worktrees: p.worktrees})
	}
	if bounds.Scope != nil {
		p.scopes = append(p.scopes, bounds.Scope)
	}
	p.lines = p.logLines(disks)
	var err error
	if p.workers, err = newSupervisor(p); err != nil {
		return nil, errors.Join(err, p.spill.Close())
	}
	go p.prepare()
	return p, nil
}

func (c *Pool) worktrees() tables.Worktrees { return readers.WorktreesOf(c.rows.Config().Readers) }

// Close ends the worker. A copying of rows that runs sees this and ends; Close waits for it
// for a second at most.
func (c *Pool) Close() error {
	errs := []error{c.workers.close()}
	patience, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if c.way.Enter(patience) == nil {
		defer c.way.Leave()
	}
	return errors.Join(append(errs, c.spill.Close())...)
}

// safeNames returns the names of the tables and functions that users see.
func safeNames() allow.Names {
	names := allow.Names{Tables: map[string]bool{}, Functions: map[string]bool{}}
	for _, t := range tables.Shown() {
		names.Tables[t.Name] = true
	}
	for _, t := range tables.Lists() {
		names.Tables[duck.Names+"."+t.Name] = true // see duck.Ours
	}
	for _, m := range tables.Macros() {
		names.Functions[m.Name] = true
	}
	return names
}

// opening returns the bounds of a worker's DuckDB, and the SQL that makes its empty
// tables and closes the doors.
func (c *Pool) opening(ctx context.Context) (openRequest, error) {
	zone, err := c.rows.Zone(ctx) // the worker doesn't see the machine's time zone
	if err != nil {
		return openRequest{}, err
	}
	return openRequest{
		Rows: c.bounds.Rows, Memory: c.bounds.Memory, Time: c.bounds.Time,
		Tables: duck.TablesDDL(c.worktrees()), Names: duck.NamesDDL(c.rows.Config().Readers), Doors: c.doors(zone),
	}, nil
}

// attachedStore returns the SQL that attaches a worker's store. size is the number of
// bytes of logs whose rows may be copied.
func (c *Pool) attachedStore(size int64) string {
	if size > c.bounds.InMemory {
		return fmt.Sprintf("ATTACH %s AS store (%s)", sqltext.Literal(rowsFile), duck.AttachOptions)
	}
	return "ATTACH ':memory:' AS store (COMPRESS)"
}

// doors returns the settings that close the DuckDB. They hold for the whole DuckDB, and
// the last setting locks all.
func (c *Pool) doors(timezone string) string {
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
