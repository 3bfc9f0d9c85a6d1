package result

import (
	"iter"
	"time"
)

// Rows are the rows of a statement, which are read once, from the first to the
// last.
type Rows struct {
	Columns  []Column  // empty for a statement without a result
	SyncedAt time.Time // what the logs held then is in the rows, and maybe later things; zero when nothing was ever loaded
	next     func() ([]any, error)
	values   []any
	again    bool // Next gives the same row once more
	err      error
}

// NewRows gives rows that come from next: the values of each, valid until the
// next one, and nil at the end. It isn't called again after that, or after an
// error.
func NewRows(columns []Column, next func() ([]any, error)) *Rows {
	return &Rows{Columns: columns, next: next}
}

// Next moves to the next row; false at the end, and on an error.
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

// Unread has Next give the row that it gave last once more.
func (r *Rows) Unread() { r.again = true }

// Values is the row, valid until Next. Nil is NULL. A TIMESTAMPTZ is a
// time.Time in the session's time zone; the rest are duckdb-go's types.
func (r *Rows) Values() []any { return r.values }

// Err is the error that ended Next, if one did.
func (r *Rows) Err() error { return r.err }

// All gives the values of each row that is left, valid until the next one; an
// error ends them.
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

// Without is the rows without some columns.
func (r *Rows) Without(drop func(Column) bool) *Rows {
	var kept []int
	some := *r
	some.Columns = nil
	for i, c := range r.Columns {
		if !drop(c) {
			kept, some.Columns = append(kept, i), append(some.Columns, c)
		}
	}
	if len(kept) == len(r.Columns) {
		return r
	}
	values := make([]any, len(kept))
	some.next = func() ([]any, error) {
		if !r.Next() {
			return nil, r.Err()
		}
		for n, i := range kept {
			values[n] = r.Values()[i]
		}
		return values, nil
	}
	return &some
}
