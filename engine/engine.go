// Package engine keeps the tables in a DuckDB file, the store, up to date with the
// logs, and answers SQL from the store. The package knows no agent and no flag.
//
// In: readers, which name and read the logs. Out: result rows, as values or as Arrow
// records. The engine never writes to a log. It writes only to the store, the store's
// locks and log. SQL of strangers runs in a worker process, which gets its rows from a
// safe Store: see [Safe].
//
// A [Store] is the file, shared by all callers in this process; a [Session] is one
// caller's connection. Statements attach the file for reading, a sync for writing, and
// never both at once: see [Store.Sync]. Packages that build on the engine with SQL of
// their own, such as exports, use [Session.Read] and [Store.Write].
//
// Package duck is one DuckDB, load brings rows from logs into the store, and confined runs
// strangers' SQL.
package engine

import (
	"cmp"
	"context"
	"time"

	"hindsql/engine/complete"
	"hindsql/engine/confined"
	"hindsql/engine/duck"
	"hindsql/engine/load"
	"hindsql/engine/sandbox"
	"hindsql/engine/sqlerror"
	"hindsql/engine/store"
	"hindsql/readers"
	"hindsql/tables"
)

// Config names the logs to read, the place of the store, and the bounds.
type Config struct {
	Store    string                      // path of the DuckDB file; its folder is made with mode 0700, the file with 0600
	Readers  []*readers.Reader           // in the order shown to people
	Others   []*readers.UnsupportedAgent // agents whose logs aren't read
	Roots    map[string][]string         // by agent: roots given by the user; an agent without roots looks in its own places
	Host     readers.Host
	Hostname string                 // value of the host columns: this machine's name, for people
	Machine  string                 // value of the machine columns: this machine's id; empty for its name
	User     string                 // value of the user columns: owner of the logs; empty for null
	Timezone string                 // of sessions, an IANA name; empty for the machine's
	Patience time.Duration          // how long a sync waits for another sync; zero for 750 ms
	Prices   Prices                 // for estimates of costs
	Lake     *Lake                  // rows that lie elsewhere, in place of the store's; nil for the store
	Answers  time.Duration          // how long a disk with logs may take to answer; zero for 10 s, see readers.Watchdog
	Queries  func(own bool) [][]any // rows of list queries; own: with the user's; nil for none
	Safe     *Safe                  // bounds for SQL of other people; nil runs the user's own SQL
}

// loads returns what package load needs of the configuration.
func (c Config) loads() load.Config {
	return load.Config{
		Config: duck.Config{Store: c.Store, Readers: c.Readers, Machine: cmp.Or(c.Machine, c.Hostname), Timezone: c.Timezone},
		Roots:  c.Roots, Host: c.Host, Hostname: c.Hostname, User: c.User, Patience: c.Patience, Prices: c.Prices,
	}
}

// What a sync does, and says: see package load.
type (
	SyncOptions = load.SyncOptions
	SyncReport  = load.SyncReport
	Progress    = load.Progress
	Salvage     = load.Salvage
	Healed      = load.Healed
	TableRows   = load.TableRows
	Writer      = load.Writer
	Prices      = load.Prices
)

// Statements and their rows: see package duck.
type (
	Page        = duck.Page
	Limit       = duck.Limit
	Reading     = duck.Reading
	Handed      = duck.Handed
	Completions = complete.Words
)

// SQL of other people: see package confined.
type (
	Safe    = confined.Safe
	Crashed = confined.Crashed
	Lock    = confined.Lock
)

// Errors of the store's file. Package store says when each occurs.
type (
	Held       = store.Held
	Busy       = store.Busy
	OtherBuild = store.OtherBuild
	NotAStore  = store.NotAStore
	Damaged    = store.Damaged
	Unwritable = store.Unwritable
	NotOne     = store.NotOne
)

// Error is an error in the user's SQL.
type Error = sqlerror.Error

// Kinds of names that a statement uses and DuckDB doesn't find.
const (
	MissingTable  = sqlerror.MissingTable
	MissingColumn = sqlerror.MissingColumn
)

// StoreSchema is the schema of the tables with all their rows, for SQL of a [Reading].
const StoreSchema = duck.StoreSchema

// LossText begins the problem of a log that got shorter. TrimmedPart is the part in sources
// of the lines that a history lost at its beginning.
const (
	LossText    = tables.LossText
	TrimmedPart = tables.TrimmedPart
)

// StoredView returns the full name of a view in the store.
func StoredView(v *tables.Table) string { return duck.StoredView(v) }

// Redacted is [sandbox.RedactSQL], for SQL under [Reading.Redacting].
func Redacted(name, duckType string) string { return sandbox.RedactSQL(name, duckType) }

// Ours returns the whole name of a table of hindsql's, which no table of the user's hides.
func Ours(name string) string { return duck.Ours(name) }

// DuckDBVersion is the version of the linked DuckDB, such as v1.5.5. It opens no
// database.
func DuckDBVersion() string { return duck.Version() }

// IsQuery reports whether a statement's first word is that of a query. The result of
// a query can be kept as a table.
func IsQuery(statement string) bool { return duck.IsQuery(statement) }

// Within returns a context in which each statement ends with a [*Limit] after taking
// DuckDB the given time, see [duck.Within].
func Within(ctx context.Context, limit time.Duration) context.Context { return duck.Within(ctx, limit) }

// Worker is the first call in main, and in TestMain, of a program that opens safe Stores,
// see [confined.Worker].
func Worker() { confined.Worker() }

// Locks starts an idle worker and lists the restrictions that the system puts on it.
// The error says why SQL of other people can't run here.
func Locks(ctx context.Context) ([]Lock, error) { return confined.Locks(ctx) }

// IsOpenToOthers reports whether other users may change the store at a path; see
// [store.File.IsOpenToOthers].
func IsOpenToOthers(path string) bool { return store.File{Path: path}.IsOpenToOthers() }
