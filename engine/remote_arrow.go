package engine

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// arriving are the rows as Arrow has them.
type arriving struct {
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
	return &arriving{a: a, ctx: ctx, schema: a.batches[0].Schema()}, nil
}

// Retain does nothing: the garbage collector frees what came.
func (r *arriving) Retain() {}

// Release does nothing.
func (r *arriving) Release() {}

// Schema is that of all batches.
func (r *arriving) Schema() *arrow.Schema { return r.schema }

// Next moves to the next batch.
func (r *arriving) Next() bool {
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
func (r *arriving) RecordBatch() arrow.RecordBatch { return r.now }

// Record is RecordBatch, under its deprecated name.
func (r *arriving) Record() arrow.RecordBatch { return r.now }

// Err is what ended Next, if anything did.
func (r *arriving) Err() error { return r.err }
