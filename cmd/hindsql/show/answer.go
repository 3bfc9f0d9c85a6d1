package show

import (
	"context"
	"slices"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine/result"
	"hindsql/queries"
)

// counted are the formats for people, in which a list that was cut says so.
var counted = []string{"table", "line"}

// counted writes the result of a saved query with a limit, and says how many rows
// there are without it. It counts those only where the limit is reached, and when
// the statement is over: a session runs one at a time.
func (v *View) counted(ctx context.Context, to *render.Output, q Statement, write func(*result.Rows) error, limit int, count func() (result.Set, error)) error {
	var sets []result.Set
	err := v.Each(ctx, q, func(rows *result.Rows) error {
		set := result.Set{Columns: rows.Columns}
		for values, err := range rows.All() {
			if err != nil {
				return err
			}
			set.Rows = append(set.Rows, slices.Clone(values))
		}
		sets = append(sets, set)
		return nil
	})
	if err != nil {
		return err
	}
	total := 0
	if q.Saved.Total {
		total = 1
	}
	if len(sets) == 1 && len(sets[0].Rows)-total >= limit {
		if set, err := count(); err == nil { // else it can't be counted: it is no single SELECT
			n, _ := set.Rows[0][0].(int64)
			to.Answer.Of = int(n) - total
		} else if ctx.Err() != nil {
			return err
		}
	}
	for i := range sets {
		if err := write(sets[i].Read()); err != nil {
			return err
		}
	}
	return nil
}

// Answer says how a result is written for people; nil of SQL that was typed.
func (q *Statement) Answer() *render.Answer {
	if q.Saved == nil {
		return nil
	}
	return &render.Answer{Noun: q.Saved.Row, Total: q.Saved.Total, All: queries.Top + "=0"}
}
