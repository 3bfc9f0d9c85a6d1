package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"hindsql/engine/result"
	"hindsql/engine/sandbox"
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

// look asks about a text that doesn't run.
func (r *remote) look(ctx context.Context, method string, w words) (g given, err error) {
	w.Session = r.mine
	_, _, err = r.c.box.ask(ctx, question{method, w, w.Text + w.Column, r.bound(ctx), func() bool { return g.Wrong.lacksMemory() }}, r.c.ready, &g)
	if ctx.Err() != nil {
		r.renumber()
	}
	if err == nil {
		err = g.Wrong.err()
	}
	return g, err
}

// answer is a statement's result on its way from the worker.
type answer struct {
	c       *confined
	w       *hired
	columns []result.Column
	id      uint64
	bound   time.Duration
	left    time.Duration // of it
	batches []arrow.RecordBatch
	end     bool
	rows    int64
	bytes   int64

	mutex   sync.Mutex
	timer   *time.Timer // runs while the client takes rows
	resting time.Time
	rest    time.Duration // that the client may still take
	tired   bool          // it took too long
}

// look asks the worker about a text that doesn't run.
func (s *Session) look(ctx context.Context, method string, w words) (given, error) {
	if err := s.busy.enter(ctx); err != nil {
		return given{}, err
	}
	defer s.busy.leave()
	return s.remote.look(ctx, method, w)
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

// take takes a message of the worker's.
func (a *answer) take(p part, body []byte) error {
	a.end = p.End
	if err := p.Wrong.err(); err != nil {
		a.end = true
		if p.Wrong.lacksMemory() {
			a.c.box.retire(a.w)
		}
		return err
	}
	if a.bytes += int64(len(body)); a.bytes > mostResult {
		return &Limit{What: "size", Bound: "1 GB", safe: true}
	}
	if len(body) == 0 {
		return nil
	}
	var err error
	if a.batches, err = sandbox.Decode(body); err != nil {
		return err
	}
	for _, b := range a.batches {
		a.rows += b.NumRows()
	}
	if most := a.c.bounds.Rows; a.rows > most {
		return tooMany(most)
	}
	return nil
}

// more asks for more rows: false at the result's end.
func (a *answer) more(ctx context.Context) (bool, error) {
	for a.batches = nil; len(a.batches) == 0; {
		if a.end {
			return false, nil
		}
		if err := a.wake(); err != nil {
			return false, err
		}
		if err := a.next(ctx); err != nil {
			return false, err
		}
		a.relax()
	}
	return true, nil
}

func (a *answer) next(ctx context.Context) error {
	began := time.Now()
	call := a.w.Go(callNext, a.id, nil)
	timer := time.NewTimer(a.left + grace)
	defer timer.Stop()
	late := false
	select {
	case <-call.Done():
	case <-timer.C:
		late = true
		a.w.Kill(sandbox.Late)
		<-call.Done()
	case <-ctx.Done():
		call.Cancel()
		return ctx.Err()
	}
	a.left -= time.Since(began)
	var p part
	body, err := call.Reply(&p)
	var ended *sandbox.Ended
	switch {
	case late && err != nil:
		return &Limit{What: "time", Bound: inWords(a.bound), safe: a.bound == a.c.bounds.Time}
	case errors.As(err, &ended) && ended.Cause == sandbox.Memory && a.w.calls.Load() == 0:
		return a.c.box.outOfMemory()
	case ended != nil:
		return errors.New("safe: the worker ended, by another statement, while rows of this one were on their way; ask again")
	case err != nil:
		return err
	}
	return a.take(p, body)
}

// relax begins a rest of the clock: the client takes rows.
func (a *answer) relax() {
	if a.end {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.resting = time.Now()
	a.timer = time.AfterFunc(a.rest, func() {
		a.mutex.Lock()
		a.tired = true
		a.mutex.Unlock()
		a.w.Go(callStop, a.id, nil)
	})
}

// wake ends a rest.
func (a *answer) wake() error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.rest -= time.Since(a.resting)
	}
	if a.tired {
		return &Limit{What: "rest", Bound: inWords(a.c.bounds.Rest), safe: true}
	}
	return nil
}

// stop ends the statement in the worker, unless it has ended.
func (a *answer) stop() {
	_ = a.wake()
	if !a.end {
		a.w.Go(callStop, a.id, nil)
	}
}

// values gives the rows as Go values.
func (a *answer) values(ctx context.Context, s *Session) *result.Rows {
	cells := sandbox.NewCells(a.columns, s.location)
	var batch *sandbox.Rows
	at, rows := int64(0), int64(0)
	values := make([]any, len(a.columns))
	columns := slices.Clone(a.columns)
	for i := range columns {
		columns[i].Type = sandbox.Name(columns[i].Type) // as a plain session has it
	}
	return result.NewRows(columns, func() (_ []any, err error) {
		for ; at == rows; at = 0 {
			if len(a.batches) == 0 {
				if more, err := a.more(ctx); err != nil || !more {
					return nil, err
				}
			}
			rows = a.batches[0].NumRows()
			if batch, err = cells.Of(a.batches[0]); err != nil {
				return nil, err
			}
			a.batches = a.batches[1:]
		}
		err = batch.Read(int(at), values)
		at++
		return values, err
	})
}
