package result

import (
	"iter"
	"time"
)

// Rows are the rows of a statement, read once from first to last.
type Rows struct {
	Columns  []Column  // empty for a statement without a result
	SyncedAt time.Time // the rows include the logs' content up to this time, and maybe later content; zero if no log was ever loaded
	next     func() ([]any, error)
	values   []any
	again    bool // true if Next returns the same row again
	err      error
}

// NewRows returns rows from function next. next returns a row's values, valid until the
// next call, or nil at the end. next isn't called again after the end or an error.
func NewRows(columns []Column, next func() ([]any, error)) *Rows {
	return &Rows{Columns: columns, next: next}
}

// Next moves to the next row. It returns false at the end and on an error.
func (r *Rows) Next() bool {
	if r.again {
		r.again = false
		return true
	}
	if len(r.Columns) == 0 || r.next == nil {
		return false
	}
	if r.values, r.err = r.next(); r.values == nil || r.err != nil {
		r.next = nil
		return false
	}
	return true
}

// Unread makes Next return the same row again.
func (r *Rows) Unread() { r.again = true }

// Values returns the row's values, valid until Next. nil is NULL. A TIMESTAMPTZ is a
// time.Time in the session's time zone; all other types are duckdb-go's.
func (r *Rows) Values() []any { return r.values }

// Err returns the error that ended Next; nil if there was no error.
func (r *Rows) Err() error { return r.err }

// All iterates over the values of the remaining rows, each valid until the next. An
// error ends the iteration.
func (r *Rows) All() iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for r.Next() {
			if !yield(r.values, nil) {
				return
			}
		}
		if r.err != nil {
			yield(nil, r.err)
		}
	}
}

// Without returns the rows without some columns. A row that r has to return again is
// the first of them.
func (r *Rows) Without(drop func(Column) bool) *Rows {
	var kept []int
	var columns []Column
	for i, c := range r.Columns {
		if !drop(c) {
			kept, columns = append(kept, i), append(columns, c)
		}
	}
	if len(kept) == len(r.Columns) {
		return r
	}
	values := make([]any, len(kept))
	some := NewRows(columns, func() ([]any, error) {
		if !r.Next() {
			return nil, r.Err()
		}
		for n, i := range kept {
			values[n] = r.Values()[i]
		}
		return values, nil
	})
	some.SyncedAt = r.SyncedAt
	return some
}

// Part returns at most count rows, from row offset on.
func (r *Rows) Part(offset, count int64) *Rows {
	at := int64(0)
	part := NewRows(r.Columns, func() ([]any, error) {
		for ; at < offset; at++ {
			if !r.Next() {
				return nil, r.Err()
			}
		}
		if at++; at > offset+count || !r.Next() {
			return nil, r.Err()
		}
		return r.Values(), nil
	})
	part.SyncedAt = r.SyncedAt
	return part
}
