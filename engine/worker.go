package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/sandbox"
	"hindsql/engine/sandbox/allow"
	"hindsql/engine/store"
	"hindsql/tables"
)

// A worker is this program, started again by itself to run the SQL of other people: see
// package sandbox. Its DuckDB holds the rows from the safe Store, and has no way to the
// store, its path or the logs. A bound that DuckDB can't keep from inside is kept by
// ending the worker.

// usualMessages is how many bytes of memory Go takes in a worker before it collects
// garbage more often. Few objects live there; messages come and go.
const usualMessages = 192 << 20

// canWork reports whether the program can be its own worker.
var canWork bool

// Worker is the first call in main, and in TestMain, of a program that opens safe
// Stores. If the program was started as a worker, Worker does the work and never
// returns. An init function can't do this: DuckDB calls Go functions, and these wait
// until main has begun.
func Worker() {
	canWork = true
	if sandbox.Inside() {
		debug.SetMemoryLimit(usualMessages)
		debug.SetGCPercent(100) // Go's default: a worker's memory counts more than its time
		w := &worker{sessions: map[int64]*connection{}, running: map[uint64]*running{}}
		os.Exit(sandbox.Serve(build(), w.answer))
	}
}

// build identifies this build, as far as a program knows itself.
func build() string {
	info, _ := debug.ReadBuildInfo()
	hash := sha256.Sum256([]byte(fmt.Sprint(info, tables.SchemaHash(), DuckDBVersion())))
	return hex.EncodeToString(hash[:])
}

// inside holds the rules of a worker: allowed names and bounds for its statements.
type inside struct {
	bounds Safe
	names  allow.Names
	synced atomic.Int64 // when rows last came, in nanoseconds since 1970
}

func (i *inside) syncedAt() time.Time { return time.Unix(0, i.synced.Load()) }

// met turns the error of a statement that met the bound of memory into a [*Limit].
func (i *inside) met(err error) error {
	if lackedMemory(err) {
		return i.bounds.outOfMemory()
	}
	return err
}

// lackedMemory reports whether DuckDB reached its memory bound. While DuckDB turns rows
// into Arrow, its error is JSON.
func lackedMemory(err error) bool {
	var wrong *Error
	return errors.As(err, &wrong) && wrong.Kind == "out of memory" ||
		err != nil && (strings.Contains(err.Error(), `"exception_type":"Out of Memory"`) || strings.HasPrefix(err.Error(), "Out of Memory Error"))
}

// worker answers the calls of a safe Store.
type worker struct {
	mutex    sync.Mutex // guards the maps
	in       *instance  // nil before the first rows
	rules    *inside
	opening  opening
	planner  *planner
	holds    holding
	feeds    map[*tables.Table]*feed
	drop     func(context.Context)
	sessions map[int64]*connection
	running  map[uint64]*running
}

// answer answers one call, unless DuckDB is broken.
func (w *worker) answer(ctx context.Context, c *sandbox.Call) (any, []byte, error) {
	out, body, err := w.reply(ctx, c)
	endIfBroken(err)
	return out, body, err
}

func (w *worker) reply(ctx context.Context, c *sandbox.Call) (any, []byte, error) {
	switch c.Method {
	case callOpen:
		return nil, nil, take(c, func(o opening) error { return w.open(ctx, o, c.Peer) })
	case callMake:
		return nil, nil, take(c, func(attach string) error { return w.make(ctx, attach) })
	case callExec:
		return nil, nil, take(c, func(statement string) error { return w.in.exec(ctx, statement) })
	case callFeed:
		return nil, nil, take(c, func(n needs) error { return w.feed(n) })
	case callInsert:
		return nil, nil, take(c, func(table string) error { return w.insert(ctx, table, c.Body) })
	case callFed:
		return nil, nil, take(c, func(f fed) error { w.fed(ctx, f); return nil })
	case callStart:
		return takeFor(c, func(b beginning) (any, []byte, error) { return w.start(ctx, b) })
	case callNext:
		return takeFor(c, func(id uint64) (any, []byte, error) { return w.next(ctx, id) })
	case callStop:
		return nil, nil, take(c, func(id uint64) error { w.stop(id); return nil })
	case callLeave:
		return nil, nil, take(c, w.leave)
	}
	return takeFor(c, func(asked looked) (any, []byte, error) { return w.lookAt(ctx, c.Method, asked), nil, nil })
}

// takeFor decodes the argument of a call and returns the reply of use.
func takeFor[T any](c *sandbox.Call, use func(T) (any, []byte, error)) (any, []byte, error) {
	var given T
	if err := json.Unmarshal(c.In, &given); err != nil {
		return nil, nil, err
	}
	return use(given)
}

// take is takeFor for a reply without a value.
func take[T any](c *sandbox.Call, use func(T) error) error {
	_, _, err := takeFor(c, func(given T) (any, []byte, error) { return nil, nil, use(given) })
	return err
}

// open starts DuckDB. If DuckDB's memory is full, DuckDB writes below the working
// folder.
func (w *worker) open(ctx context.Context, o opening, parent *sandbox.Peer) (err error) {
	w.rules = &inside{bounds: Safe{Memory: o.Memory, Time: o.Time, Rows: o.Rows}, names: safeNames()}
	in := &instance{settings: &settings{}, held: store.NewHold(), from: handedIn{}}
	in.attached.gate = store.NewGate()
	in.attached.named = true // by the safe Store
	if in.db, in.conn, err = openMemory(context.WithoutCancel(ctx), "spill", 0); err != nil {
		return err
	}
	register := func(conn *sql.Conn) error { return registerFunctions(conn, lineOf(parent), in.listOf(parent)) }
	if err := register(in.conn); err != nil {
		return err
	}
	w.in, w.opening, w.planner = in, o, newPlanner(context.WithoutCancel(ctx), o, register)
	return nil
}

// handedIn is the origin of a worker's rows, the safe Store.
type handedIn struct{}

func (handedIn) wait(context.Context, *instance) error   { return nil }
func (handedIn) isWanted(*instance) bool                 { return false }
func (handedIn) attach(context.Context, *instance) error { return nil }
func (handedIn) letGo(context.Context, *instance) error  { return nil }
func (handedIn) hasLogs() bool                           { return false }

// statementKey is the context key of a statement's number.
type statementKey struct{}

// lineOf asks the safe Store for lines of logs.
func lineOf(parent *sandbox.Peer) duckdb.RowContextExecutorFn {
	return func(ctx context.Context, values []driver.Value) (any, error) {
		id, _ := ctx.Value(statementKey{}).(uint64)
		var found bool
		line, err := await(ctx, parent.Go(askLine, wanted{id, values[0].(int64), values[1].(int64)}, nil), &found)
		if err != nil || !found {
			return nil, err
		}
		return string(line), nil
	}
}

// listOf is function listed_rows of a worker, which asks the safe Store.
func (in *instance) listOf(parent *sandbox.Peer) duckdb.RowContextExecutorFn {
	return func(ctx context.Context, values []driver.Value) (any, error) {
		if values[0].(string) == tables.ListOfTables {
			return in.listTables(ctx)
		}
		text, err := await(ctx, parent.Go(askList, values[0], nil), nil)
		return string(text), err
	}
}

// await waits for the reply of a call to the safe Store.
func await(ctx context.Context, call *sandbox.Pending, reply any) ([]byte, error) {
	select {
	case <-call.Done():
		return call.Reply(reply)
	case <-ctx.Done():
		call.Cancel()
		return nil, ctx.Err()
	}
}

func (w *worker) make(ctx context.Context, attach string) error {
	for _, ddl := range []string{attach, w.opening.Tables, w.opening.Names, w.opening.Doors} {
		if err := w.in.exec(ctx, ddl); err != nil {
			return err
		}
	}
	return nil
}

// rowsFile holds the rows in the worker's folder if they don't fit in memory. Only the
// worker's user can read the file, like every file of a worker.
const rowsFile = "store.duckdb"

// feed makes a view for each of the tables, with some of its columns, to insert rows
// from Go.
func (w *worker) feed(n needs) (err error) {
	var list []*tables.Table
	for _, t := range tables.Queried() {
		if columns, is := n[t.Name]; is {
			part := *t
			part.Columns = columnsIn(t, columns)
			list = append(list, &part)
		}
	}
	w.feeds, w.drop, err = w.in.feeds(list)
	return err
}

// insert inserts rows into a table with a feed.
func (w *worker) insert(ctx context.Context, table string, rows []byte) error {
	batches, err := sandbox.DecodeOurs(rows)
	if err != nil {
		return err
	}
	for t, f := range w.feeds {
		if t.Name == table {
			f.queue = batches
			return w.in.exec(ctx, fmt.Sprintf("INSERT INTO %s.%s BY NAME SELECT * FROM memory.main.feed_%[2]s", StoreSchema, table))
		}
	}
	return fmt.Errorf("%s: not fed", table)
}

// fed ends what feed began.
func (w *worker) fed(ctx context.Context, f fed) {
	w.drop(ctx)
	if f.Many {
		sandbox.Trim()
	}
	w.holds.now.Store(&f.Holds)
	w.rules.synced.Store(time.Now().UnixNano())
}

// errLacks ends a look-up in columns that the worker doesn't hold.
var errLacks = errors.New("not held")

// session returns the session of a number, and begins the session at its first use.
func (w *worker) session(ctx context.Context, id int64) (*connection, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if s := w.sessions[id]; s != nil {
		return s, nil
	}
	if w.in == nil {
		return nil, errors.New("the worker has no rows yet")
	}
	s, err := w.in.connect(context.WithoutCancel(ctx), w.rules.syncedAt, time.Local)
	if err != nil {
		return nil, err
	}
	s.rules, s.placed = w.rules, false
	s.words = newCompleter(s, func(ctx context.Context, query string, use func(scan func(...any) error) error) error {
		lacks, err := w.lacks(ctx, s, query, nil)
		if err != nil || len(lacks) > 0 {
			s.lacking = lacks
			return cmp.Or(err, errLacks)
		}
		return s.each(ctx, query, use)
	})
	w.sessions[id] = s
	return s, nil
}

// leave ends a session after its statement has ended.
func (w *worker) leave(id int64) error {
	w.mutex.Lock()
	s := w.sessions[id]
	delete(w.sessions, id)
	w.mutex.Unlock()
	if s == nil {
		return nil
	}
	if err := s.busy.Enter(context.Background()); err != nil {
		return err
	}
	return s.close()
}

// lookAt answers a question about a text without running the text.
func (w *worker) lookAt(ctx context.Context, method string, asked looked) (g given) {
	s, err := w.session(ctx, asked.Session)
	if err == nil {
		switch method {
		case callComplete:
			var found Completions
			found, err = s.complete(ctx, asked.Text, asked.At)
			g.List, g.Start = found.Words, found.Start
		case callValues:
			g.List = s.valuesOf(ctx, asked.Text, asked.Column)
		default:
			err = fmt.Errorf("%s: no call of a worker", method)
		}
		err = s.rules.met(err)
		if g.Lacks, s.lacking = s.lacking, nil; len(g.Lacks) > 0 {
			err = nil
		}
	}
	g.Wrong = wrongOf(err)
	return g
}
