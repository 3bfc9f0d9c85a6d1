package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// kind is the part of a Store that depends on its rows and users. The kinds are file
// (the user's file), lakeRows (rows that lie elsewhere) and confined (for SQL of other
// people: rows of another Store, copied into a worker process).
type kind interface {
	// begin returns the place where a new session's statements run.
	begin(ctx context.Context, of *Store, zone *time.Location) (place, error)
	sync(ctx context.Context, o SyncOptions) (SyncReport, error)
	syncedAt() time.Time
	// detach detaches the file unless a statement reads it.
	detach(ctx context.Context) error
	// stay keeps the file attached between statements, until the caller calls leave.
	stay(ctx context.Context) (leave func())
	// open returns the DuckDB for hindsql's own statements. The error is errSafe if the
	// Store runs only other people's statements.
	open() (*instance, error)
	// writable returns the file. The error is errElsewhere or errSafe if rows can't be
	// written here.
	writable() (*file, error)
	close() error
}

// place is where a session's statements run: in this process (connection), or in a
// worker (remote).
type place interface {
	run(ctx context.Context, p sqltext.Statement, args map[string]any, page Page, visit func(*result.Rows) error) error
	// hand runs a query and passes its rows to visit, for a second DuckDB to read.
	// Values of types that Arrow lacks are texts. The columns have the query's own
	// names and types.
	hand(ctx context.Context, p sqltext.Statement, args map[string]any, visit func([]result.Column, array.RecordReader) error) error
	complete(ctx context.Context, text string, at int) (Completions, error)
	valuesOf(ctx context.Context, table, column string) []string
	// own returns the connection of this process; errSafe if the session has none.
	own() (*connection, error)
	// clean returns the function that replaces secrets in text; nil if the Store
	// doesn't replace secrets.
	clean() func(text string, isJSON bool) string
	close() error
}

// settings holds a Store's configuration, set by the last caller to open the Store.
type settings struct {
	mutex  sync.Mutex
	config Config
}

func (s *settings) get() Config {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.config
}

func (s *settings) set(c Config) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.config = c
}

var errElsewhere = errors.New("the rows lie elsewhere, and are only read here; pull them first")
