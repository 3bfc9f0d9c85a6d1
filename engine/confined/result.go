package confined

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/duck"
	"hindsql/engine/sandbox"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// answer is a statement's result, of which the safe Store has the latest rows. The
// worker sends more rows when asked.
type answer struct {
	c       *Pool
	w       *worker
	columns []result.Column
	id      uint64
	bound   time.Duration
	left    time.Duration // remaining time of bound for DuckDB to work
	batches []arrow.RecordBatch
	end     bool
	rows    int64
	bytes   int64

	mutex         sync.Mutex
	timer         *time.Timer // runs while the client takes rows
	resting       time.Time
	rest          time.Duration // remaining time of the client for taking rows
	restedTooLong bool          // the client took too long
}

// addMessage adds the rows of a worker's message, and checks the bounds of the result.
func (a *answer) addMessage(p rowsReply, body []byte) error {
	a.end = p.End
	if err := p.Wrong.decode(); err != nil {
		a.end = true
		if p.Wrong.isOutOfMemory() {
			a.c.workers.retire(a.w)
		}
		var limit *duck.Limit
		if errors.As(err, &limit) && limit.What == "time" {
			return a.c.bounds.timeLimit(a.bound) // the worker had what copying rows had left
		}
		return err
	}
	if a.bytes += int64(len(body)); a.bytes > mostResult {
		return &duck.Limit{What: "size", Bound: "1 GB", Safe: true}
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

// more asks the worker for more rows. It returns false at the result's end.
func (a *answer) more(ctx context.Context) (bool, error) {
	for a.batches = nil; len(a.batches) == 0; {
		if a.end {
			return false, nil
		}
		if err := a.stopRest(); err != nil {
			return false, err
		}
		if err := a.next(ctx); err != nil {
			return false, err
		}
		a.startRest()
	}
	return true, nil
}

func (a *answer) next(ctx context.Context) error {
	began := time.Now()
	call := a.w.Go(callNext, a.id, nil)
	late, err := a.w.wait(ctx, call, a.left, func() {})
	if err != nil {
		return err
	}
	a.left -= time.Since(began)
	var p rowsReply
	body, err := call.Reply(&p)
	var ended *sandbox.Ended
	switch {
	case late && err != nil:
		return a.c.bounds.timeLimit(a.bound)
	case errors.As(err, &ended) && ended.Cause == sandbox.Memory && a.w.calls.Load() == 0:
		return a.c.bounds.memoryLimit()
	case ended != nil:
		return errors.New("safe: the worker ended, by another statement, while rows of this one were on their way; ask again")
	case err != nil:
		return err
	}
	return a.addMessage(p, body)
}

// startRest starts the timer that stops the statement if the client takes too long over the
// rows it got.
func (a *answer) startRest() {
	if a.end {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.resting = time.Now()
	a.timer = time.AfterFunc(a.rest, func() {
		a.mutex.Lock()
		a.restedTooLong = true
		a.mutex.Unlock()
		a.w.Go(callStop, a.id, nil)
	})
}

// stopRest stops the timer that startRest started. It returns a [*duck.Limit] if the client took too
// long.
func (a *answer) stopRest() error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.rest -= time.Since(a.resting)
	}
	if a.restedTooLong {
		return &duck.Limit{What: "rest", Bound: words.Duration(a.c.bounds.Rest), Safe: true}
	}
	return nil
}

// stop ends the statement in the worker, unless the result has ended.
func (a *answer) stop() {
	_ = a.stopRest()
	if !a.end {
		a.w.Go(callStop, a.id, nil)
	}
}

// values returns the rows as Go values.
func (a *answer) values(ctx context.Context, zone *time.Location) *result.Rows {
	cells := sandbox.NewCells(a.columns, zone)
	var batch *sandbox.Rows
	at, rows := int64(0), int64(0)
	values := make([]any, len(a.columns))
	columns := slices.Clone(a.columns)
	for i := range columns {
		columns[i].Type = sandbox.DriverName(columns[i].Type) // the type's name in a plain session
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

// recordReader reads an answer's rows as Arrow record batches.
type recordReader struct {
	a      *answer
	ctx    context.Context
	schema *arrow.Schema
	now    arrow.RecordBatch
	err    error
}

func (a *answer) records(ctx context.Context) (array.RecordReader, error) {
	if len(a.batches) == 0 {
		return nil, errors.New("safe: a result without columns")
	}
	return &recordReader{a: a, ctx: ctx, schema: a.batches[0].Schema()}, nil
}

// Retain does nothing: the garbage collector frees the batches.
func (r *recordReader) Retain() {}

// Release does nothing.
func (r *recordReader) Release() {}

// Schema is the schema of all batches.
func (r *recordReader) Schema() *arrow.Schema { return r.schema }

// Next moves to the next batch.
func (r *recordReader) Next() bool {
	if r.err != nil {
		return false
	}
	if len(r.a.batches) == 0 {
		var more bool
		if more, r.err = r.a.more(r.ctx); !more {
			return false
		}
	}
	r.now, r.a.batches = r.a.batches[0], r.a.batches[1:]
	if !r.now.Schema().Equal(r.schema) {
		r.err = errors.New("safe: a result whose columns change")
		return false
	}
	return true
}

// RecordBatch is the current batch.
func (r *recordReader) RecordBatch() arrow.RecordBatch { return r.now }

// Record is RecordBatch, under its deprecated name.
func (r *recordReader) Record() arrow.RecordBatch { return r.now }

// Err is the error that ended Next; nil if Next met no error.
func (r *recordReader) Err() error { return r.err }
