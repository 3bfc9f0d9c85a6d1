package engine

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/sandbox"
	"hindsql/engine/store"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// remote runs the statements of a safe Store's session. The session lies in the worker,
// under a number.
type remote struct {
	c        *confined
	mine     int64
	syncedAt func() time.Time
	location *time.Location
	busy     store.Gate // held while a statement runs
}

func (*remote) own() (*connection, error) { return nil, errSafe }

func (r *remote) clean() func(text string, isJSON bool) string { return r.c.bounds.Redact }

func (r *remote) close() error {
	r.leave()
	return nil
}

func (r *remote) complete(ctx context.Context, text string, at int) (Completions, error) {
	g, err := r.look(ctx, callComplete, looked{Text: text, At: at})
	return Completions{Start: g.Start, Words: g.List}, err
}

func (r *remote) valuesOf(ctx context.Context, table, column string) []string {
	g, _ := r.look(ctx, callValues, looked{Text: table, Column: column})
	return g.List
}

// sessionsBegun and statementsBegun number the sessions and statements of this process.
var sessionsBegun, statementsBegun atomic.Int64

// renumber gives the session a new number, because an abandoned statement may still run
// under the old number.
func (r *remote) renumber() {
	r.leave()
	r.mine = sessionsBegun.Add(1)
}

// leave ends the session in the worker.
func (r *remote) leave() {
	r.c.box.mutex.Lock()
	w := r.c.box.now
	r.c.box.mutex.Unlock()
	if w != nil && w.Ended() == nil {
		w.Go(callLeave, r.mine, nil)
	}
}

// bound returns how long DuckDB may work for a context.
func (r *remote) bound(ctx context.Context) time.Duration {
	return shorter(within(ctx), r.c.bounds.Time)
}

// look asks the worker about a text without running the text.
func (r *remote) look(ctx context.Context, method string, w looked) (given, error) {
	if err := r.busy.Enter(ctx); err != nil {
		return given{}, err
	}
	defer r.busy.Leave()
	w.Session = r.mine
	var g given
	var spent time.Duration
	err := r.c.satisfied(ctx, func(lacks needs) (*hired, needs, error) {
		g = given{}
		by, _, err := r.c.box.ask(ctx, question{method, func(time.Duration) any { return w }, w.Text + w.Column, r.bound(ctx), &spent, lacks, func() bool { return g.Wrong.lacksMemory() }}, r.c.ready, &g)
		return by, g.Lacks, err
	})
	if ctx.Err() != nil {
		r.renumber()
	}
	return g, cmp.Or(err, g.Wrong.err())
}

func (r *remote) run(ctx context.Context, p sqltext.Statement, args map[string]any, page Page, visit func(*result.Rows) error) error {
	return r.begin(ctx, p, args, beginning{Page: page}, func(a *answer) error {
		rows := a.values(ctx, r.location)
		rows.SyncedAt = r.syncedAt()
		if err := visit(rows); err != nil {
			return err
		}
		return rows.Err()
	})
}

func (r *remote) hand(ctx context.Context, p sqltext.Statement, args map[string]any, visit func([]result.Column, array.RecordReader) error) error {
	return r.begin(ctx, p, args, beginning{Handed: true}, func(a *answer) error {
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

func (r *remote) begin(ctx context.Context, p sqltext.Statement, args map[string]any, b beginning, use func(*answer) error) (err error) {
	if err := r.busy.Enter(ctx); err != nil {
		return err
	}
	defer r.busy.Leave()
	b.Text, b.Before = p.Text, p.Before
	if b.Arguments, err = sandbox.Arguments(args); err != nil {
		return err
	}
	return r.start(ctx, b, use)
}

// start runs a stranger's statement, and calls use with its result.
func (r *remote) start(ctx context.Context, b beginning, use func(*answer) error) error {
	b.Session = r.mine
	a := &answer{c: r.c, bound: r.bound(ctx), rest: r.c.bounds.Rest}
	a.left = a.bound
	var w *hired
	var body []byte
	var first begun
	var began time.Time
	var spent time.Duration
	timed := func(left time.Duration) any {
		began, b.Time = time.Now(), left
		return b
	}
	err := r.c.satisfied(ctx, func(lacks needs) (_ *hired, _ needs, err error) {
		r.c.statements.Delete(b.ID)
		b.ID, first = uint64(statementsBegun.Add(1)), begun{}
		r.c.statements.Store(b.ID, new(atomic.Int64))
		w, body, err = r.c.box.ask(ctx, question{callStart, timed, b.Text, a.bound, &spent, lacks, func() bool { return first.Wrong.lacksMemory() }}, r.c.ready, &first)
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
	a.left -= spent + time.Since(began)
	w.answers.Add(1)
	defer w.answers.Add(-1)
	defer a.stop()
	if err := a.take(first.part, body); err != nil {
		return err
	}
	a.relax()
	return use(a)
}
