// Package engine keeps the tables in a DuckDB file, the store, up to date with
// the logs, and answers SQL from it. It knows no agent and no flag.
//
// In: readers, which name the logs and read them, and exports of other
// machines. Out: result rows, and files of an export. It never writes to a log,
// and touches no file but the store, its lock and its log, and those that it
// exports.
package engine

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/duckdb/duckdb-go/v2"

	"hindsql/readers"
)

// Config says what to read, and where the store is.
type Config struct {
	Store    string              // path of the DuckDB file; its folder is made with mode 0700, the file with 0600
	Readers  []*readers.Reader   // in the order that people see
	Roots    map[string][]string // by agent: roots given by flags; an agent without any looks in its own places
	Host     readers.Host
	Hostname string         // value of the host columns
	Timezone string         // IANA name; empty for the machine's
	Progress func(Progress) // may be nil; called while a sync loads, at most every 100 ms, and at its end
	Warn     func(string)   // may be nil; one-line notices
	Patience time.Duration  // how long a sync waits for another process's; zero for 750 ms
}

// DuckDBVersion is the version of the DuckDB that is linked, such as v1.5.5. No
// database is opened to tell.
func DuckDBVersion() string { return bindings.LibraryVersion() }

// Progress is how far a load is.
type Progress struct {
	Files, TotalFiles int
	Bytes, TotalBytes int64
}

// Session is an in-memory DuckDB in which the user's statements run. Its
// temporary tables, variables and macros live as long as it does. Not for
// concurrent use.
type Session struct {
	config   Config
	location *time.Location
	db       *sql.DB
	conn     *sql.Conn
	attached bool
	viewed   bool
	equipped bool // has its functions
	began    bool // the user began a transaction

	redaction *redaction // nil until an export asks for it
}

// Open starts a session. It reads and attaches nothing yet. The error is that
// of an unknown time zone, or DuckDB's.
func Open(ctx context.Context, c Config) (*Session, error) {
	s := &Session{config: c, location: time.Local}
	if c.Timezone != "" {
		location, err := time.LoadLocation(c.Timezone)
		if err != nil {
			return nil, fmt.Errorf("time zone %q: unknown; use an IANA name such as Europe/Berlin", c.Timezone)
		}
		s.location = location
	}
	db, conn, err := openMemory(ctx, fmt.Sprintf("%s.session-%d.tmp", c.Store, os.Getpid()))
	if err != nil {
		return nil, err
	}
	s.db, s.conn = db, conn
	if c.Timezone != "" {
		if err := s.exec(ctx, "SET TimeZone = "+quote(c.Timezone)); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// openMemory starts an in-memory DuckDB, and takes its only connection. What
// is too large for its memory goes to a folder of its own beside the store:
// DuckDB's own choice is the working directory, and shared.
func openMemory(ctx context.Context, folder string) (*sql.DB, *sql.Conn, error) {
	options := url.Values{"temp_directory": {folder}}
	connector, err := duckdb.NewConnector("?"+options.Encode(), nil)
	if err != nil {
		return nil, nil, err
	}
	db := sql.OpenDB(connector)
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, conn, nil
}

// Close ends the session, and drops what only lived in it.
func (s *Session) Close() error {
	s.conn.Close()
	return s.db.Close()
}

func (s *Session) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return err
}

func (s *Session) warn(format string, args ...any) {
	if s.config.Warn != nil {
		s.config.Warn(fmt.Sprintf(format, args...))
	}
}
