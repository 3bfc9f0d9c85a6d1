package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// kind is what Stores differ in. There is one of the user's file (file), one of
// rows that lie elsewhere (lakeRows), and one for SQL of others, which copies rows
// of another Store into its worker (confined).
type kind interface {
	// begin gives a session of the Store the place where its statements run.
	begin(ctx context.Context, of *Store, zone *time.Location) (place, error)
	sync(ctx context.Context, o SyncOptions) (SyncReport, error)
	syncedAt() time.Time
	// detach lets go of what no statement reads.
	detach(ctx context.Context) error
	// open is the DuckDB in which statements of ours run. The error is errSafe where
	// only those of others do.
	open() (*instance, error)
	// writable is the file. The error is that of rows that nobody writes here.
	writable() (*file, error)
	close() error
}

// place is where a session's statements run: in this process (connection), or in a
// worker (remote).
type place interface {
	run(ctx context.Context, p sqltext.Statement, args map[string]any, page Page, visit func(*result.Rows) error) error
	batches(ctx context.Context, p sqltext.Statement, args map[string]any, visit func(*Records) error) error
	// hand is batches of a query for a DuckDB that reads them: values that Arrow lacks
	// are texts, and columns are the query's.
	hand(ctx context.Context, p sqltext.Statement, args map[string]any, visit func([]result.Column, *Records) error) error
	complete(ctx context.Context, text string, at int) (Completions, error)
	valuesOf(ctx context.Context, table, column string) []string
	parametersOf(ctx context.Context, statement string) ([]string, error)
	// own is the connection of this process. The error is errSafe where there is none.
	own() (*connection, error)
	// clean replaces secrets where rows come without them; nil where they come as they
	// are.
	clean() func(text string, isJSON bool) string
	close() error
}

// settings are a Store's configuration: that of the last to open it.
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
