package main

import (
	"context"
	"errors"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine/result"
)

var errNoRows = errors.New("no rows")

// alert runs a statement as a condition. When there are rows it writes them and
// gives errAlert; when there are none it writes nothing and makes no file.
func (a *app) alert(ctx context.Context, v *show.View, q show.Statement) error {
	err := a.deliver(func(to *render.Output) error {
		to.Chart, to.Answer = q.Chart, q.Answer()
		write, err := to.Results(q.Format)
		if err != nil {
			return err
		}
		some := false
		err = v.Each(ctx, q, func(rows *result.Rows) error {
			if !rows.Next() {
				return rows.Err()
			}
			some = true
			rows.Unread()
			return write(rows)
		})
		if err == nil && !some {
			return errNoRows // before a file is given its name
		}
		return err
	})
	switch {
	case err == nil:
		return errAlert
	case errors.Is(err, errNoRows):
		return nil
	}
	return err
}
