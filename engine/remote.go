package engine

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"hindsql/engine/result"
)

// remote is a session of a safe Store: it lies in the worker, under a number.
type remote struct {
	c    *confined
	mine int64
}

// sessionsBegun and statementsBegun give each session and each statement of this
// process its number.
var sessionsBegun, statementsBegun atomic.Int64

// renumber gives the session a new number: a statement that its client left may
// still run under the old one.
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

// bound is how long DuckDB may work for a context.
func (r *remote) bound(ctx context.Context) time.Duration {
	return shorter(within(ctx), r.c.bounds.Time)
}

// look asks the worker about a text that doesn't run.
func (s *Session) look(ctx context.Context, method string, w words) (given, error) {
	if err := s.busy.enter(ctx); err != nil {
		return given{}, err
	}
	defer s.busy.leave()
	r := s.remote
	w.Session = r.mine
	var g given
	_, _, err := r.c.box.ask(ctx, question{method, w, w.Text + w.Column, r.bound(ctx), func() bool { return g.Wrong.lacksMemory() }}, r.c.ready, &g)
	if ctx.Err() != nil {
		r.renumber()
	}
	return g, cmp.Or(err, g.Wrong.err())
}

// queryRemote is query for a statement that runs in the worker.
func (s *Session) queryRemote(ctx context.Context, p piece, args map[string]any, page Page, visit func(*result.Rows) error) error {
	return s.runRemote(ctx, p, args, beginning{Page: page}, func(a *answer) error {
		rows := a.values(ctx, s)
		rows.SyncedAt = s.store.SyncedAt()
		if err := visit(rows); err != nil {
			return err
		}
		return rows.Err()
	})
}

// arrowRemote gives the rows of a statement that runs in the worker, for a DuckDB
// that reads them: values that Arrow lacks are texts.
func (s *Session) arrowRemote(ctx context.Context, p piece, args map[string]any, visit func([]result.Column, *Records) error) error {
	return s.runRemote(ctx, p, args, beginning{Handed: true}, func(a *answer) error {
		records, err := a.records(ctx)
		if err != nil {
			return err
		}
		if err := visit(a.columns, &Records{records, s.store.SyncedAt()}); err != nil {
			return err
		}
		return records.Err()
	})
}

func (s *Session) runRemote(ctx context.Context, p piece, args map[string]any, b beginning, use func(*answer) error) (err error) {
	if err := s.busy.enter(ctx); err != nil {
		return err
	}
	defer s.busy.leave()
	b.Text, b.Before = p.text, p.before
	if b.Arguments, err = argumentsOf(args); err != nil {
		return err
	}
	return s.remote.run(ctx, b, use)
}

// run runs a stranger's statement, and calls use with its result.
func (r *remote) run(ctx context.Context, b beginning, use func(*answer) error) error {
	b.ID, b.Session, b.Time = uint64(statementsBegun.Add(1)), r.mine, within(ctx)
	a := &answer{c: r.c, id: b.ID, bound: r.bound(ctx), rest: r.c.bounds.Rest}
	a.left = a.bound
	r.c.statements.Store(b.ID, new(atomic.Int64))
	defer r.c.statements.Delete(b.ID)
	var first begun
	began := time.Now()
	w, body, err := r.c.box.ask(ctx, question{callStart, b, b.Text, a.bound, func() bool { return first.Wrong.lacksMemory() }}, r.c.ready, &first)
	if ctx.Err() != nil {
		r.renumber()
	}
	if err != nil {
		return err
	}
	a.w, a.columns = w, first.Columns
	a.left -= time.Since(began)
	w.answers.Add(1)
	defer w.answers.Add(-1)
	defer a.stop()
	if err := a.take(first.part, body); err != nil {
		return err
	}
	a.relax()
	return use(a)
}
