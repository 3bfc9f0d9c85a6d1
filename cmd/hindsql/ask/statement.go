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

// Statement is SQL to run: typed, or a saved query with values for its parameters,
// see [Session.Bind].
type Statement struct {
	Name    string // of the file or the query; errors begin with it. Empty for SQL that was typed
	SQL     string
	Args    map[string]any // by the names of parameters; texts, or nil
	Wrapped map[string]string
	Saved   *queries.Query // the query that it is; nil for SQL that was typed
	Page    engine.Page    // which rows are asked for; zero: all. A part is one statement's, as with One
	One     bool           // a text with no or several statements is an error
	Count   bool           // where a saved query's limit cuts the rows, say of how many: see [Answer.Of]
	Seen    bool           // without the columns that a saved query has for pages and files only
	Notices []Notice       // of [Session.Bind]: values that nothing matches
}

// Typed is a statement that somebody typed.
func Typed(sql string) Statement { return Statement{SQL: sql} }

// Instead is a statement that ours stands around: errors show what was typed, with
// before in place of the words before it.
func Instead(before, typed, after string) Statement {
	return Statement{SQL: before + typed + after, Wrapped: map[string]string{before: ""}}
}

// Format is the format that the statement reads best in; empty for the usual one.
func (q *Statement) Format() string {
	if q.Saved == nil {
		return ""
	}
	return q.Saved.Format
}

// Chart says what a chart of the result draws; nil where a rule decides.
func (q *Statement) Chart() *chart.Declaration {
	if q.Saved == nil {
		return nil
	}
	return q.Saved.Chart
}

// checked is the error of a saved query whose result lacks a column that its header
// names.
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

// limit is how many rows the query's own parameter lets through, and the statement
// that counts all of them; 0 where it has none.
func (q *Statement) limit() (int64, Statement) {
	if q.Saved == nil {
		return 0, Statement{}
	}
	limit, sql, args := q.Saved.Uncut(q.Args)
	return int64(limit), Statement{SQL: sql, Args: args}
}

// counting is the statement that counts the rows of this one.
func (q *Statement) counting() Statement {
	return Statement{SQL: "SELECT count(*) FROM (\n" + strings.TrimRight(q.SQL, "; \t\r\n") + "\n)", Args: q.Args}
}

// worded gives an error in the words of who typed the statement, behind its name.
func (q *Statement) worded(err error) error {
	var sql *engine.Error
	if errors.As(err, &sql) {
		sql.Restore(q.Wrapped)
	}
	if err != nil && q.Name != "" {
		return fmt.Errorf("%s: %w", q.Name, err)
	}
	return err
}
