// Package duck is one DuckDB: its start, the store's tables attached and let go, and
// statements with rows as values or as Arrow.
//
// In: the store's file, or SQL that makes tables under the same names; statements, and
// Go functions for SQL. Out: rows, and errors of SQL. The package never reads a log, and
// never decides what a sync loads or what strangers may run: see packages load and
// confined.
//
// A [DB] is a DuckDB of this process, a [Conn] a connection that runs statements: in this
// process, or, under [Rules], in the worker of package confined.
package duck

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/sandbox"
	"hindsql/engine/sqlerror"
	"hindsql/engine/store"
	"hindsql/internal/sqltext"
	"hindsql/readers"
)

// Version is the version of the linked DuckDB, such as v1.5.5. It opens no database.
func Version() string { return bindings.LibraryVersion() }

// Config names the store's file, and what views and functions depend on.
type Config struct {
	Store    string            // path of the DuckDB file
	Readers  []*readers.Reader // in the order shown to people
	Machine  string            // value of the machine columns for this machine's rows
	Timezone string            // of sessions, an IANA name; empty for the machine's
}

// DB is a DuckDB of this process, with tables attached under the name store.
type DB struct {
	at store.File

	functions Functions
	from      origin
	sql       *sql.DB
	conn      *sql.Conn // attaches, and makes names
	spill     *store.Spill
	held      store.RWLock
	attached  attachment
	lossless  lossless

	config atomic.Pointer[Config]

	narrow atomic.Bool // DuckDB has one thread, see widen

	broken   atomic.Bool // DuckDB refuses every statement, see restartIfBroken
	epoch    int         // number of times that DuckDB was started anew; guarded by held
	sessions sync.Map    // the open connections

	redaction    sync.Once // makes the redaction function
	redactionErr error
}

// Open starts a DuckDB for the tables of a store's file. It attaches nothing yet.
func Open(ctx context.Context, c Config, f Functions) (*DB, error) { return open(ctx, c, f, onDisk{}) }

// OpenElsewhere is Open for tables that attach makes, once, under the names of a store's.
// No file is held.
func OpenElsewhere(ctx context.Context, c Config, f Functions, attach func(context.Context, *DB) error) (*DB, error) {
	return open(ctx, c, f, elsewhere{attach})
}

func open(ctx context.Context, c Config, f Functions, from origin) (*DB, error) {
	d := newDB(c, f, from)
	d.at, d.spill = store.File{Path: c.Store}, store.NewSpill(c.Store)
	d.narrow.Store(true)
	var err error
	d.sql, d.conn, err = OpenMemory(context.WithoutCancel(ctx), d.spill.Folder, 1)
	return d, err
}

func newDB(c Config, f Functions, from origin) *DB {
	d := &DB{functions: f, from: from, held: store.NewRWLock()}
	d.attached.gate = store.NewGate()
	d.Configure(c)
	return d
}

// OpenFed starts the DuckDB of a worker, whose rows come in by statements. Data too large
// for memory goes to a folder. The caller makes the tables and names.
func OpenFed(ctx context.Context, folder string, f Functions) (*DB, error) {
	d := newDB(Config{}, f, elsewhere{})
	d.attached.named = true
	var err error
	if d.sql, d.conn, err = OpenMemory(context.WithoutCancel(ctx), folder, 0); err != nil {
		return nil, err
	}
	return d, d.Register(d.conn)
}

// Config returns the configuration, as Configure set it last.
func (d *DB) Config() Config { return *d.config.Load() }

// Configure sets the configuration. The path of the store stays as it is.
func (d *DB) Configure(c Config) { d.config.Store(&c) }

// widen lets DuckDB use all its threads, for a session's statements. Until then DuckDB
// has one thread: a sync that finds nothing changed runs a few small statements, and a
// second thread only waits for work, which costs a tenth of such a command.
func (d *DB) widen(ctx context.Context) error {
	if !d.narrow.CompareAndSwap(true, false) {
		return nil
	}
	return d.Exec(context.WithoutCancel(ctx), "RESET threads")
}

// Close ends the DuckDB and its connections.
func (d *DB) Close() error { return errors.Join(d.conn.Close(), d.sql.Close(), d.spill.Close()) }

// ClaimSpill keeps other processes from removing the folder for data too large for memory.
func (d *DB) ClaimSpill() { d.spill.Claim() }

// Connect opens a connection for statements, in a time zone. syncedAt gives the age of
// the rows. rules is nil for the user's own SQL.
func (d *DB) Connect(ctx context.Context, syncedAt func() time.Time, zone *time.Location, rules Rules) (*Conn, error) {
	if err := d.restartIfBroken(ctx); err != nil {
		return nil, err
	}
	s := &Conn{db: d, syncedAt: syncedAt, location: zone, rules: rules, busy: store.NewGate()}
	s.words = newCompleter(s)
	if err := d.join(ctx, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Exec runs a statement of hindsql's own.
func (d *DB) Exec(ctx context.Context, statement string) error {
	_, err := d.conn.ExecContext(ctx, statement)
	return d.checkBroken(err)
}

// Each calls visit for each row of a query, on a connection of its own.
func (d *DB) Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error {
	rows, err := d.sql.QueryContext(ctx, query)
	if err != nil {
		return d.checkBroken(err)
	}
	return d.checkBroken(EachRow(rows, visit))
}

// Row reads the only row of a query, on a connection of its own.
func (d *DB) Row(ctx context.Context, query string, targets ...any) error {
	return d.sql.QueryRowContext(ctx, query).Scan(targets...)
}

// EndIfBroken ends a worker whose DuckDB is broken, at once: another worker takes over. If
// the statement ran alone, it is known to be to blame.
func EndIfBroken(err error) {
	if sqlerror.IsFatal(err) && sandbox.IsWorker() {
		fmt.Fprintln(os.Stderr, "DuckDB is broken: "+strconv.QuoteToASCII(sqlerror.Cause(err)))
		os.Exit(1)
	}
}

// ErrorOf turns DuckDB's message into a [sqlerror.Error]. A cancelled statement gives the
// context's error. A worker whose DuckDB is broken ends.
func ErrorOf(ctx context.Context, err error) error {
	EndIfBroken(err)
	return sqlerror.Parse(ctx, err)
}

// checkBroken remembers that the DuckDB is broken, if the error means that.
func (d *DB) checkBroken(err error) error {
	if sqlerror.IsFatal(err) {
		d.broken.Store(true)
	}
	return err
}

// patienceOfBroken is how long a statement waits for others that still read from a
// broken DuckDB.
const patienceOfBroken = 2 * time.Second

// restartIfBroken starts DuckDB anew if it is broken, as soon as nobody reads from the old one.
// Two DuckDBs of one process must never have the same file open: the end of the first
// would give up the lock of the second.
func (d *DB) restartIfBroken(ctx context.Context) error {
	if !d.broken.Load() {
		return nil
	}
	if err := d.held.Lock(ctx, time.Now().Add(patienceOfBroken)); err != nil {
		return cmp.Or(ctx.Err(), errors.New("DuckDB failed, and starts anew when the statements that still run have ended; ask again"))
	}
	defer d.held.Unlock()
	return d.withAttachment(ctx, func() (err error) {
		if !d.broken.Load() {
			return nil
		}
		d.sessions.Range(func(s, _ any) bool {
			_ = s.(*Conn).conn.Close()
			return true
		})
		_ = errors.Join(d.conn.Close(), d.sql.Close()) // a broken DuckDB's errors say nothing new
		if d.sql, d.conn, err = OpenMemory(context.WithoutCancel(ctx), d.spill.Folder, 1); err != nil {
			return err
		}
		a := &d.attached
		a.is, a.file, a.checked, a.named = false, nil, nil, false
		d.narrow.Store(true)
		d.redaction = sync.Once{}
		d.epoch++
		d.broken.Store(false)
		return nil
	})
}

// join opens a session's connection to the DuckDB.
func (d *DB) join(ctx context.Context, s *Conn) (err error) {
	s.epoch, s.placed = d.epoch, false
	if s.conn, err = d.sql.Conn(ctx); err != nil {
		return err
	}
	d.sessions.Store(s, nil)
	if zone := d.Config().Timezone; zone != "" {
		return s.exec(ctx, "SET TimeZone = "+sqltext.Literal(zone))
	}
	return nil
}

// acquireFor makes the store readable for a session. If the session's DuckDB was started
// anew, the session joins the new one.
func (d *DB) acquireFor(ctx context.Context, s *Conn, level Level) error {
	if s.holding && d.broken.Load() {
		s.inTransaction.Store(false) // the transaction went with its DuckDB
		s.release(ctx)
	}
	if s.holding {
		return nil
	}
	if err := d.Acquire(ctx, level); err != nil {
		return err
	}
	s.holding = true
	var err error
	if s.epoch != d.epoch {
		err = d.join(ctx, s)
	}
	if err = cmp.Or(err, d.widen(ctx)); err != nil {
		s.release(ctx)
	}
	return err
}

// OpenMemory starts an in-memory DuckDB, and takes a connection. Data too large for
// memory goes to the given folder beside the store: DuckDB's own choice is the working
// directory, and shared. A closed connection's temporary tables and settings end with
// it. DuckDB fetches no extension by itself, so nothing leaves the machine. Users who
// want extensions fetched change the setting. threads is the number of threads, with 0
// for DuckDB's own choice.
func OpenMemory(ctx context.Context, folder string, threads int) (*sql.DB, *sql.Conn, error) {
	options := url.Values{"temp_directory": {folder}, "autoinstall_known_extensions": {"false"}, "autoload_known_extensions": {"false"}}
	if threads > 0 {
		options.Set("threads", strconv.Itoa(threads))
	}
	connector, err := duckdb.NewConnector("?"+options.Encode(), nil)
	if err != nil {
		return nil, nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(-1)
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, conn, nil
}

// EachRow calls visit for each row, and closes the rows.
func EachRow(rows *sql.Rows, visit func(scan func(...any) error) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// LogPaths returns the paths of the logs by source_id, of the sources that match a
// condition. The path is "" for logs of another machine, for logs with lines of forgotten
// sessions, and for parts, because the content of a part is on no line of its file. each
// is the method Each of a [DB] or a [Reading].
func LogPaths(ctx context.Context, each func(context.Context, string, func(scan func(...any) error) error) error, machine, condition string) (map[int64]string, error) {
	paths := map[int64]string{}
	query := fmt.Sprintf("SELECT source_id, if(machine = %s AND part IS NULL AND source_id NOT IN (SELECT source_id FROM %s.forgotten_logs), path, '') FROM %[2]s.sources WHERE %[3]s",
		sqltext.Literal(machine), StoreSchema, condition)
	err := each(ctx, query, func(scan func(...any) error) error {
		var id int64
		var path string
		err := scan(&id, &path)
		paths[id] = path
		return err
	})
	return paths, err
}

// Column returns the values of a query's only column.
func Column[T any](ctx context.Context, conn *sql.Conn, query string, args ...any) (values []T, err error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	err = EachRow(rows, func(scan func(...any) error) error {
		var v T
		err := scan(&v)
		values = append(values, v)
		return err
	})
	return values, err
}

// Transaction runs work whole or not at all, between statements that exec runs. DuckDB's
// COMMIT rolls an aborted transaction back without an error, so Transaction keeps the error
// of work. A stop has no effect on BEGIN, COMMIT and ROLLBACK: nobody would know which of
// them had run.
func Transaction(ctx context.Context, exec func(ctx context.Context, statement string) error, work func() error) error {
	whole := context.WithoutCancel(ctx)
	if err := exec(whole, "BEGIN"); err != nil {
		return err
	}
	err := work()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = exec(whole, "ROLLBACK")
		return err
	}
	return exec(whole, "COMMIT")
}

// AttachOptions are those of a store's file for writing. Small row groups let the one
// transaction of a load write most data before the commit.
const AttachOptions = `STORAGE_VERSION 'latest', ROW_GROUP_SIZE 30720`
