package ask

import (
	"errors"
	"fmt"
	"strings"

	"hindsql/engine"
	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/queries"
)

// Statement is SQL to run: typed, or a saved query with values for its parameters, see
// [Session.Bind].
type Statement struct {
	Name    string // of the file or the query, the prefix of errors; empty for typed SQL
	SQL     string
	Args    map[string]any // by parameter name; texts or nil
	Given   map[string]any // the values among Args that the caller gave
	Wrapped map[string]string
	Saved   *queries.Query // the saved query; nil for typed SQL
	Page    engine.Page    // requested rows; zero: all. A page needs a single statement, as One does
	One     bool           // a text must have exactly one statement
	Count   bool           // if a saved query's limit leaves out rows, count all rows: see [Answer.Of]
	Seen    bool           // leave out a saved query's hidden columns, which only pages and files show
	Notices []Notice       // from [Session.Bind]: values that match nothing
}

// Typed returns a statement typed by the user.
func Typed(sql string) Statement { return Statement{SQL: sql} }

// Instead returns typed SQL wrapped between before and after. Errors show only the
// typed part.
func Instead(before, typed, after string) Statement {
	return Statement{SQL: before + typed + after, Wrapped: map[string]string{before: ""}}
}

// Format returns the query's preferred format; empty for the default.
func (q *Statement) Format() string {
	if q.Saved == nil {
		return ""
	}
	return q.Saved.Format
}

// Chart returns the chart that the query declares, or what its SQL tells of one; nil for
// the automatic choice.
func (q *Statement) Chart() *chart.Declaration {
	switch {
	case q.Saved == nil:
		return chart.OfSQL(q.SQL)
	case q.Saved.Chart == nil && len(q.Saved.Hidden) == 0:
		return chart.OfSQL(q.Saved.Body())
	}
	return q.Saved.Chart
}

// checked returns an error if a saved query's result lacks a column named in the
// query's header.
func (q *Statement) checked(columns []result.Column) error {
	if q.Saved == nil || len(columns) == 0 {
		return nil
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return q.Saved.CheckColumns(names)
}

// limit returns the limit that the query's own parameter sets, and a statement that
// counts the rows without the limit. The limit is 0 if the query has none.
func (q *Statement) limit() (int64, Statement) {
	if q.Saved == nil {
		return 0, Statement{}
	}
	limit, sql, args := q.Saved.Uncut(q.Args)
	return int64(limit), Statement{SQL: sql, Args: args}
}

// counting returns a statement that counts the rows of q.
func (q *Statement) counting() Statement {
	return Statement{SQL: "SELECT count(*) FROM (\n" + strings.TrimRight(q.SQL, "; \t\r\n") + "\n)", Args: q.Args}
}

// worded restores the text that the user typed in an error about wrapped SQL, and puts
// the statement's name before the error.
func (q *Statement) worded(err error) error {
	if sql, ok := errors.AsType[*engine.Error](err); ok {
		sql.Restore(q.Wrapped)
	}
	if err != nil && q.Name != "" {
		return fmt.Errorf("%s: %w", q.Name, err)
	}
	return err
}
