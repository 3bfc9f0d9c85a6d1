// Package engine keeps the tables in a DuckDB file, the store, up to date with
// the logs, and answers SQL from it. It knows no agent and no flag.
//
// In: readers, which name the logs and read them. Out: result rows, as values or
// as Arrow records. It never writes to a log, and touches no file but the store,
// its locks and its log. SQL of other people's runs in a worker, a process of its
// own, to which a safe Store hands rows: see [Safe].
//
// A [Store] is the file, shared by all who use it in this process; a [Session]
// is one caller's connection. Statements attach the file for reading, a sync for
// writing, and never both at once: see [Store.Sync]. What is built on the engine
// with SQL of its own, such as exports, uses [Session.Read] and [Store.Write].
package engine

import (
	"cmp"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"hindsql/readers"
)

// Config says what to read, and where the store is.
type Config struct {
	Store    string              // path of the DuckDB file; its folder is made with mode 0700, the file with 0600
	Readers  []*readers.Reader   // in the order that people see
	Roots    map[string][]string // by agent: roots given by the user; an agent without any looks in its own places
	Host     readers.Host
	Hostname string        // value of the host columns: this machine's name, for people
	Machine  string        // value of the machine columns: this machine's id; empty for its name
	User     string        // value of the user columns: whose logs these are; empty for null
	Timezone string        // of sessions, an IANA name; empty for the machine's
	Patience time.Duration // how long a sync waits for another one; zero for 750 ms
	Prices   Prices        // by which costs are estimated
	Lake     *Lake         // rows that lie elsewhere, in place of the store's; nil for the store
	Answers  time.Duration // how long a disk with logs may take to answer; zero for 10 s, see readers.Watchdog
	Safe     *Safe         // runs SQL of other people's in these bounds; nil runs the user's own
}

// machine is what this machine's own rows are told by.
func (c Config) machine() string { return cmp.Or(c.Machine, c.Hostname) }

// DuckDBVersion is the version of the DuckDB that is linked, such as v1.5.5. No
// database is opened to tell.
func DuckDBVersion() string { return bindings.LibraryVersion() }

// Progress is how far a load is.
type Progress struct {
	Files, TotalFiles int
	Bytes, TotalBytes int64
}
