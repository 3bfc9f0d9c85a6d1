package main

import (
	"context"
	"errors"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
)

var errNoRows = errors.New("no rows")

// deliverAlert runs a statement that is a condition: it holds if the result has rows.
// deliverAlert then writes the rows and returns errAlert. Without rows it writes
// nothing, creates no file, and returns nil.
func deliverAlert(ctx context.Context, w *world, out *output, v *term.View, q ask.Statement) error {
	err := deliver(w, out, func(to *term.Output) error {
		v.Tell(q.Notices...)
		to.Chart, to.Answer = q.Chart(), term.AnswerOf(&q)
		write, err := to.Results(q.Format())
		if err != nil {
			return err
		}
		some := false
		err = v.Session.Run(ctx, q, func(a *ask.Answer) error {
			rows := a.Rows
			if !rows.Next() {
				return rows.Err()
			}
			some = true
			rows.Unread()
			return write(rows)
		})
		if err == nil && !some {
			return errNoRows // before a file is created
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
