package main

import (
	"context"
	"errors"
	"fmt"

	"hindsql/engine"
	"hindsql/engine/result"
)

var errNoRows = errors.New("no rows")

// alert runs a statement as a condition: rows are written, and are errAlert; of
// none nothing is written, and no file is made.
func (a *app) alert(ctx context.Context, s *engine.Session, q statement) error {
	err := a.write(q.format, func(write func(*result.Rows) error) error {
		some := false
		err := s.Query(ctx, q.sql, q.args, func(rows *engine.Rows) error {
			if !rows.Next() {
				return rows.Err()
			}
			some = true
			rows.Unread()
			return write(rows)
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
