package confined

import (
	"context"
	"crypto/sha256"
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

	"hindsql/engine/complete"
	"hindsql/engine/duck"
	"hindsql/engine/sandbox"
	"hindsql/engine/sandbox/allow"
	"hindsql/engine/sqlerror"
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
	if sandbox.IsWorker() {
		debug.SetMemoryLimit(usualMessages)
		debug.SetGCPercent(100) // Go's default: a worker's memory counts more than its time
		w := &server{sessions: map[int64]*session{}, running: map[uint64]*running{}}
		os.Exit(sandbox.Serve(build(), w.answer))
	}
}

// build identifies this build, as far as a program knows itself.
func build() string {
	info, _ := debug.ReadBuildInfo()
	hash := sha256.Sum256([]byte(fmt.Sprint(info, tables.SchemaHash(), duck.Version())))
	return hex.EncodeToString(hash[:])
}

// server answers the calls of a safe Store.
type server struct {
	mutex    sync.Mutex // guards the maps
	db       *duck.DB   // nil before the first rows
	bounds   Safe       // of statements
	names    allow.Names
	synced   atomic.Int64 // when rows last came, in nanoseconds since 1970
	opening  openRequest
	planner  *planner
	holds    atomic.Pointer[columnSet] // as the safe Store said last
	feeds    map[*tables.Table]*duck.Feed
	drop     func(context.Context)
	sessions map[int64]*session
	running  map[uint64]*running
}

func (w *server) syncedAt() time.Time { return time.Unix(0, w.synced.Load()) }

// asLimit turns the error of a statement that met the bound of memory into a [*duck.Limit].
// While DuckDB turns rows into Arrow, its error is JSON.
func (w *server) asLimit(err error) error {
	var wrong *sqlerror.Error
	if errors.As(err, &wrong) && wrong.Kind == "out of memory" ||
		err != nil && (strings.Contains(err.Error(), `"exception_type":"Out of Memory"`) || strings.HasPrefix(err.Error(), "Out of Memory Error")) {
		return w.bounds.memoryLimit()
	}
	return err
}

// answer answers one call, unless DuckDB is broken.
func (w *server) answer(ctx context.Context, c *sandbox.Call) (any, []byte, error) {
	out, body, err := w.reply(ctx, c)
	duck.EndIfBroken(err)
	return out, body, err
}

func (w *server) reply(ctx context.Context, c *sandbox.Call) (any, []byte, error) {
	switch c.Method {
	case callOpen:
		return nil, nil, decode(c, func(o openRequest) error { return w.open(ctx, o, c.Peer) })
	case callMake:
		return nil, nil, decode(c, func(attach string) error { return w.make(ctx, attach) })
	case callExec:
		return nil, nil, decode(c, func(statement string) error { return w.db.Exec(ctx, statement) })
	case callFeed:
		return nil, nil, decode(c, func(n columnSet) error { return w.feed(n) })
	case callInsert:
		return nil, nil, decode(c, func(table string) error { return w.insert(ctx, table, c.Body) })
	case callFed:
		return nil, nil, decode(c, func(f feedEnd) error { w.fed(ctx, f); return nil })
	case callStart:
		return decodeFor(c, func(b startRequest) (any, []byte, error) { return w.start(ctx, b) })
	case callNext:
		return decodeFor(c, func(id uint64) (any, []byte, error) { return w.next(ctx, id) })
	case callStop:
		return nil, nil, decode(c, func(id uint64) error { w.stop(id); return nil })
	case callLeave:
		return nil, nil, decode(c, w.endSession)
	}
	return decodeFor(c, func(asked lookRequest) (any, []byte, error) { return w.look(ctx, c.Method, asked), nil, nil })
}

// decodeFor decodes the argument of a call and returns the reply of use.
func decodeFor[T any](c *sandbox.Call, use func(T) (any, []byte, error)) (any, []byte, error) {
	var given T
	if err := json.Unmarshal(c.In, &given); err != nil {
		return nil, nil, err
	}
	return use(given)
}

// decode is decodeFor for a reply without a value.
func decode[T any](c *sandbox.Call, use func(T) error) error {
	_, _, err := decodeFor(c, func(given T) (any, []byte, error) { return nil, nil, use(given) })
	return err
}

// open starts DuckDB. If DuckDB's memory is full, DuckDB writes below the working
// folder.
func (w *server) open(ctx context.Context, o openRequest, parent *sandbox.Peer) (err error) {
	w.bounds, w.names = Safe{Memory: o.Memory, Time: o.Time, Rows: o.Rows}, safeNames()
	functions := duck.Functions{Line: lineOf(parent), List: func(ctx context.Context, name string) (string, error) {
		text, err := await(ctx, parent.Go(askList, name, nil), nil)
		return string(text), err
	}}
	db, err := duck.OpenFed(ctx, "spill", functions)
	if err != nil {
		return err
	}
	w.db, w.opening, w.planner = db, o, newPlanner(context.WithoutCancel(ctx), o, db.Register)
	return nil
}

// statementKey is the context key of a statement's number.
type statementKey struct{}

// lineOf asks the safe Store for lines of logs.
func lineOf(parent *sandbox.Peer) func(context.Context, []driver.Value) (any, error) {
	return func(ctx context.Context, values []driver.Value) (any, error) {
		id, _ := ctx.Value(statementKey{}).(uint64)
		var found bool
		line, err := await(ctx, parent.Go(askLine, lineRequest{id, values[0].(int64), values[1].(int64)}, nil), &found)
		if err != nil || !found {
			return nil, err
		}
		return string(line), nil
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

func (w *server) make(ctx context.Context, attach string) error {
	for _, ddl := range []string{attach, w.opening.Tables, w.opening.Names, w.opening.Doors} {
		if err := w.db.Exec(ctx, ddl); err != nil {
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
func (w *server) feed(n columnSet) (err error) {
	var list []*tables.Table
	for _, t := range tables.Queried() {
		if columns, is := n[t.Name]; is {
			part := *t
			part.Columns = columnsIn(t, columns)
			list = append(list, &part)
		}
	}
	w.feeds, w.drop, err = w.db.Feeds(list)
	return err
}

// insert inserts rows into a table with a feed.
func (w *server) insert(ctx context.Context, table string, rows []byte) error {
	batches, err := sandbox.DecodeTrusted(rows)
	if err != nil {
		return err
	}
	for t, f := range w.feeds {
		if t.Name == table {
			f.Queue = batches
			return w.db.Exec(ctx, fmt.Sprintf("INSERT INTO %s.%s BY NAME SELECT * FROM memory.main.feed_%[2]s", duck.StoreSchema, table))
		}
	}
	return fmt.Errorf("%s: not fed", table)
}

// fed ends what feed began.
func (w *server) fed(ctx context.Context, f feedEnd) {
	w.drop(ctx)
	if f.Many {
		sandbox.FreeMemory()
	}
	w.holds.Store(&f.Holds)
	w.synced.Store(time.Now().UnixNano())
}

// errLacks ends a query of columns that the worker doesn't hold.
var errLacks = errors.New("not held")

// lacksKey is the context key of a call's columnSet: the columns that the worker lacks.
type lacksKey struct{}

// session is the session of a client, and the rules of its statements.
type session struct {
	*duck.Conn
	w *server
}

// Time is of [duck.Rules].
func (s *session) Time() time.Duration { return s.w.bounds.Time }

// session returns the session of a number, and begins the session at its first use.
func (w *server) session(ctx context.Context, id int64) (*session, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if s := w.sessions[id]; s != nil {
		return s, nil
	}
	if w.db == nil {
		return nil, errors.New("the worker has no rows yet")
	}
	s := &session{w: w}
	var err error
	if s.Conn, err = w.db.Connect(context.WithoutCancel(ctx), w.syncedAt, time.Local, s); err != nil {
		return nil, err
	}
	w.sessions[id] = s
	return s, nil
}

// endSession ends a session after its statement has ended.
func (w *server) endSession(id int64) error {
	w.mutex.Lock()
	s := w.sessions[id]
	delete(w.sessions, id)
	w.mutex.Unlock()
	if s == nil {
		return nil
	}
	return s.CloseWhenIdle()
}

// look answers a request about a text without running the text.
func (w *server) look(ctx context.Context, method string, asked lookRequest) (g lookReply) {
	s, err := w.session(ctx, asked.Session)
	if err == nil {
		ctx = context.WithValue(ctx, lacksKey{}, &g.Lacks)
		switch method {
		case callComplete:
			var found complete.Words
			found, err = s.Complete(ctx, asked.Text, asked.At)
			g.List, g.Start = found.Words, found.Start
		case callValues:
			g.List = s.Values(ctx, asked.Text, asked.Column)
		default:
			err = fmt.Errorf("%s: no call of a worker", method)
		}
		err = w.asLimit(err)
		if len(g.Lacks) > 0 {
			err = nil
		}
	}
	g.Wrong = encodeError(err)
	return g
}

// Lock is a restriction that the system puts on a worker.
type Lock = sandbox.Lock

// Locks starts an idle worker and lists the restrictions that the system puts on it.
// The error says why SQL of other people can't run here.
func Locks(ctx context.Context) (locks []Lock, err error) {
	folder, drop, err := store.Scratch("locks")
	if err != nil {
		return nil, err
	}
	defer drop()
	p, err := sandbox.Start(ctx, sandbox.Options{Folder: folder, Memory: besideDuckDB, Build: build()})
	if err != nil {
		return nil, err
	}
	return p.Hello().Locks, p.Close()
}
