package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
)

var errNoRows = errors.New("no rows")

// alert runs a statement as a condition: rows are written, and are errAlert; of
// none nothing is written, and no file is made.
func (a *app) alert(ctx context.Context, s *engine.Session, q statement) error {
	err := a.write(q.format, func(write func(render.Result) error) error {
		some := false
		err := s.Query(ctx, q.sql, q.args, func(rows *engine.Rows) error {
			result := resultOf(rows)
			next, stop := iter.Pull2(result.Rows)
			defer stop()
			first, err, ok := next()
			if !ok || err != nil {
				return err
			}
			some = true
			result.Rows = joined(first, next)
			return write(result)
		})
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", q.from, err)
		case !some:
			return errNoRows // before a file is given its name
		}
		return nil
	})
	switch {
	case err == nil:
		return errAlert
	case errors.Is(err, errNoRows):
		return nil
	}
	return err
}

// joined gives a row and those that follow.
func joined(first []any, next func() ([]any, error, bool)) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		row, err, ok := first, error(nil), true
		for ok && yield(row, err) {
			row, err, ok = next()
		}
	}
}
