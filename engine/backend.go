package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/confined"
	"hindsql/engine/duck"
	"hindsql/engine/load"
	"hindsql/engine/loglines"
	"hindsql/engine/store"
	"hindsql/internal/lists"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// backend is the part of a Store that depends on its rows and users. The kinds are
// fileBackend (the user's file), lakeBackend (rows that lie elsewhere) and safeBackend (for
// SQL of other people: rows of another Store, copied into a worker process).
type backend interface {
	// begin returns the place where a new session's statements run.
	begin(ctx context.Context, zone *time.Location) (executor, error)
	sync(ctx context.Context, o SyncOptions) (SyncReport, error)
	syncedAt() time.Time
	// detach detaches the file unless a statement reads it.
	detach(ctx context.Context) error
	// stay keeps the file attached between statements, until the caller calls leave.
	stay(ctx context.Context) (leave func())
	// open returns the DuckDB for hindsql's own statements. The error is
	// [confined.ErrSafe] if the Store runs only other people's statements.
	open() (*duck.DB, error)
	// writable returns the file. The error is errElsewhere or [confined.ErrSafe] if rows
	// can't be written here.
	writable() (*load.File, error)
	close() error
}

// executor is where a session's statements run: in this process ([duck.Conn]), or in a
// worker ([confined.Session]).
type executor interface {
	Run(ctx context.Context, p sqltext.Statement, args map[string]any, page Page, visit func(*result.Rows) error) error
	// Hand runs a query and passes its rows to visit, for a second DuckDB to read.
	// Values of types that Arrow lacks are texts. The columns have the query's own
	// names and types.
	Hand(ctx context.Context, p sqltext.Statement, args map[string]any, visit func([]result.Column, array.RecordReader) error) error
	Complete(ctx context.Context, text string, at int) (Completions, error)
	Values(ctx context.Context, table, column string) []string
	Close() error
}

var errElsewhere = errors.New("the rows lie elsewhere, and are only read here; pull them first")

// fileBackend is the Store of the user's file.
type fileBackend struct {
	key   string // of the file in opened
	db    *duck.DB
	file  *load.File
	store *Store
	users int // number of callers that opened the file; guarded by openedMutex
}

// opened holds the files of this process's Stores by path. Two DuckDBs in one process
// would not see each other's locks on a file. One would read while the other writes.
var (
	opened      = map[string]*fileBackend{}
	openedMutex sync.Mutex
)

// openFile returns the open Store of a path, or starts a DuckDB for a new Store.
func openFile(ctx context.Context, c Config) (*Store, error) {
	key, err := store.Canonical(c.Store)
	if err != nil {
		return nil, err
	}
	if err := store.CheckKind(c.Store); err != nil {
		return nil, err
	}
	openedMutex.Lock()
	defer openedMutex.Unlock()
	f := opened[key]
	if f == nil {
		f = &fileBackend{key: key, store: newStore(c)}
		f.store.backend = f
		lines := loglines.New(f.store.File(), f.logPaths, f.store.disks.OpenLog)
		list := func(_ context.Context, name string) (string, error) { return f.store.list(name, true) }
		if f.db, err = duck.Open(ctx, c.loads().Config, duck.Functions{Line: lines.Call, List: list}); err != nil {
			return nil, err
		}
		f.file = load.Open(c.loads(), f.db, f.store.disks)
		opened[key] = f
	}
	f.store.config.Store(&c)
	f.file.Configure(c.loads())
	f.users++
	return f.store, nil
}

func (f *fileBackend) close() error {
	openedMutex.Lock()
	defer openedMutex.Unlock()
	if f.users--; f.users > 0 {
		return nil
	}
	delete(opened, f.key)
	return f.db.Close()
}

func (f *fileBackend) begin(ctx context.Context, zone *time.Location) (executor, error) {
	return f.db.Connect(ctx, f.file.SyncedAt, zone, nil)
}

func (f *fileBackend) sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	return f.file.Sync(ctx, o)
}

func (f *fileBackend) syncedAt() time.Time { return f.file.SyncedAt() }

func (f *fileBackend) detach(ctx context.Context) error { return f.db.Detach(ctx) }

func (f *fileBackend) stay(ctx context.Context) func() { return f.db.Stay(ctx) }

func (f *fileBackend) open() (*duck.DB, error) { return f.db, nil }

func (f *fileBackend) writable() (*load.File, error) { return f.file, nil }

// logPaths returns the paths of the logs by source_id. logPaths uses a separate connection,
// because a statement runs on the session's.
func (f *fileBackend) logPaths(ctx context.Context) (map[int64]string, error) {
	return duck.LogPaths(ctx, f.db.Each, f.db.Config().Machine, "true")
}

// safeBackend is the Store for SQL of other people: a pool of workers on another Store's rows.
type safeBackend struct {
	source *Store   // whose rows are copied
	reader *Session // session of the source
	pool   *confined.Pool
}

// openSafe makes a safe Store beside the Store of the same path. Each caller gets a
// safe Store of his own.
func openSafe(ctx context.Context, c Config) (*Store, error) {
	plain := c
	plain.Safe = nil
	source, err := Open(ctx, plain)
	if err != nil {
		return nil, err
	}
	st, s := newStore(c), &safeBackend{source: source}
	st.backend = s
	if s.reader, err = source.Session(ctx); err == nil {
		s.pool, err = confined.Open(poolRows{source, s.reader}, *c.Safe, st.disks)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

func (s *safeBackend) begin(_ context.Context, zone *time.Location) (executor, error) {
	return s.pool.Session(s.source.SyncedAt, zone), nil
}

func (s *safeBackend) sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	report, err := s.source.Sync(ctx, o)
	_ = s.source.backend.detach(ctx) // the statement that follows runs in the worker
	return report, err
}

func (s *safeBackend) syncedAt() time.Time { return s.source.SyncedAt() }

func (s *safeBackend) detach(ctx context.Context) error { return s.source.backend.detach(ctx) }

func (s *safeBackend) stay(ctx context.Context) func() { return s.source.backend.stay(ctx) }

func (*safeBackend) open() (*duck.DB, error) { return nil, confined.ErrSafe }

func (*safeBackend) writable() (*load.File, error) { return nil, confined.ErrSafe }

// close ends the worker and closes the source.
func (s *safeBackend) close() error {
	var errs []error
	if s.pool != nil {
		errs = append(errs, s.pool.Close())
	}
	if s.reader != nil {
		errs = append(errs, s.reader.Close())
	}
	return errors.Join(append(errs, s.source.Close())...)
}

// poolRows gives a pool the rows of a Store: it is a [confined.Rows].
type poolRows struct {
	store  *Store
	reader *Session
}

func (r poolRows) Config() duck.Config { return r.store.settings().loads().Config }

func (r poolRows) Zone(ctx context.Context) (zone string, err error) {
	if zone = r.Config().Timezone; zone == "" {
		err = r.store.Each(ctx, "SELECT current_setting('TimeZone')", func(scan func(...any) error) error { return scan(&zone) })
	}
	return zone, err
}

func (r poolRows) Read(ctx context.Context, level duck.Level, use func(*duck.Reading) error) error {
	return r.reader.read(ctx, level, use)
}

func (r poolRows) List(name string, whole bool) (string, error) { return r.store.list(name, whole) }

func (r poolRows) Roots() ([]string, error) {
	places, err := r.store.Places()
	return lists.Map(places, func(p PlaceReport) string { return p.Path }), err
}
