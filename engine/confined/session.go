package confined

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/complete"
	"hindsql/engine/duck"
	"hindsql/engine/sandbox"
	"hindsql/engine/store"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// Session runs the statements of a safe Store's session. The session lies in the worker,
// under a number.
type Session struct {
	c        *Pool
	id       int64
	syncedAt func() time.Time
	location *time.Location
	busy     store.Gate // held while a statement runs
}

// Session starts a session. syncedAt gives the age of the rows.
func (c *Pool) Session(syncedAt func() time.Time, zone *time.Location) *Session {
	return &Session{c: c, id: sessionsBegun.Add(1), syncedAt: syncedAt, location: zone, busy: store.NewGate()}
}

// Close ends the session.
func (r *Session) Close() error {
	r.end()
	return nil
}

// Complete returns the words that may stand at a byte position of SQL text.
func (r *Session) Complete(ctx context.Context, text string, at int) (complete.Words, error) {
	g, err := r.ask(ctx, callComplete, lookRequest{Text: text, At: at})
	return complete.Words{Start: g.Start, Words: g.List}, err
}

// Values returns values of a column as text.
func (r *Session) Values(ctx context.Context, table, column string) []string {
	g, _ := r.ask(ctx, callValues, lookRequest{Text: table, Column: column})
	return g.List
}

// sessionsBegun and statementsBegun number the sessions and statements of this process.
var sessionsBegun, statementsBegun atomic.Int64

// renumber gives the session a new number, because an abandoned statement may still run
// under the old number.
func (r *Session) renumber() {
	r.end()
	r.id = sessionsBegun.Add(1)
}

// end ends the session in the worker.
func (r *Session) end() {
	r.c.workers.mutex.Lock()
	w := r.c.workers.now
	r.c.workers.mutex.Unlock()
	if w != nil && w.Ended() == nil {
		w.Go(callLeave, r.id, nil)
	}
}

// bound returns how long DuckDB may work for a context.
func (r *Session) bound(ctx context.Context) time.Duration { return duck.Bound(ctx, r.c.bounds.Time) }

// ask asks the worker about a text without running the text.
func (r *Session) ask(ctx context.Context, method string, w lookRequest) (lookReply, error) {
	if err := r.busy.Enter(ctx); err != nil {
		return lookReply{}, err
	}
	defer r.busy.Leave()
	w.Session = r.id
	var g lookReply
	q := &request{
		method: method, in: func(time.Duration) any { return w }, text: w.Text + w.Column, time: r.bound(ctx),
		outOfMemory: func() bool { return g.Wrong.isOutOfMemory() },
	}
	err := r.c.callWithColumns(ctx, q, func() (*worker, columnSet, error) {
		g = lookReply{}
		by, _, err := r.c.workers.call(ctx, q, &g)
		return by, g.Lacks, err
	})
	if ctx.Err() != nil {
		r.renumber()
	}
	return g, cmp.Or(err, g.Wrong.decode())
}

// Run runs one statement and passes visit the rows of a page.
func (r *Session) Run(ctx context.Context, p sqltext.Statement, args map[string]any, page duck.Page, visit func(*result.Rows) error) error {
	return r.start(ctx, p, args, startRequest{Page: page}, func(a *answer) error {
		rows := a.values(ctx, r.location)
		rows.SyncedAt = r.syncedAt()
		if err := visit(rows); err != nil {
			return err
		}
		return rows.Err()
	})
}

// Hand runs a query and passes its rows to visit as Arrow.
func (r *Session) Hand(ctx context.Context, p sqltext.Statement, args map[string]any, visit func([]result.Column, array.RecordReader) error) error {
	return r.start(ctx, p, args, startRequest{Handed: true}, func(a *answer) error {
		records, err := a.records(ctx)
		if err != nil {
			return err
		}
		if err := visit(a.columns, records); err != nil {
			return err
		}
		return records.Err()
	})
}

// start runs a stranger's statement, and calls use with its result.
func (r *Session) start(ctx context.Context, p sqltext.Statement, args map[string]any, b startRequest, use func(*answer) error) (err error) {
	if err := r.busy.Enter(ctx); err != nil {
		return err
	}
	defer r.busy.Leave()
	b.Session, b.Text, b.Before = r.id, p.Text, p.Before
	if b.Arguments, err = sandbox.Arguments(args); err != nil {
		return err
	}
	a := &answer{c: r.c, bound: r.bound(ctx), rest: r.c.bounds.Rest}
	a.left = a.bound
	var w *worker
	var body []byte
	var first startReply
	var began time.Time
	timed := func(left time.Duration) any {
		began, b.Time = time.Now(), left
		return b
	}
	q := &request{method: callStart, in: timed, text: b.Text, time: a.bound, outOfMemory: func() bool { return first.Wrong.isOutOfMemory() }}
	err = r.c.callWithColumns(ctx, q, func() (_ *worker, _ columnSet, err error) {
		r.c.statements.Delete(b.ID)
		b.ID, first = uint64(statementsBegun.Add(1)), startReply{}
		r.c.statements.Store(b.ID, new(atomic.Int64))
		w, body, err = r.c.workers.call(ctx, q, &first)
		return w, first.Lacks, err
	})
	defer r.c.statements.Delete(b.ID)
	if ctx.Err() != nil {
		r.renumber()
	}
	if err != nil {
		return err
	}
	a.w, a.columns, a.id = w, first.Columns, b.ID
	a.left -= q.spent + time.Since(began)
	w.answers.Add(1)
	defer w.answers.Add(-1)
	defer a.stop()
	if err := a.addMessage(first.rowsReply, body); err != nil {
		return err
	}
	a.startRest()
	return use(a)
}
