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
package engine

import (
	"cmp"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"hindsql/readers"
)

// Config names the logs to read, the place of the store, and the bounds.
type Config struct {
	Store    string              // path of the DuckDB file; its folder is made with mode 0700, the file with 0600
	Readers  []*readers.Reader   // in the order shown to people
	Others   []*readers.Other    // agents whose logs aren't read, see [Store.Others]
	Roots    map[string][]string // by agent: roots given by the user; an agent without roots looks in its own places
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

// machine identifies this machine's own rows: the machine's id, or its name.
func (c Config) machine() string { return cmp.Or(c.Machine, c.Hostname) }

// DuckDBVersion is the version of the linked DuckDB, such as v1.5.5. It opens no
// database.
func DuckDBVersion() string { return bindings.LibraryVersion() }

// Progress is how far a load is.
type Progress struct {
	Files, TotalFiles int
	Bytes, TotalBytes int64
}
