package engine

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"

	"hindsql/engine/sandbox"
	"hindsql/engine/sqlerror"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// asking is a statement to run.
type asking struct {
	s         *connection
	statement string
	args      map[string]any
	limit     string // as in [connection.asText]
}

// started is a running statement.
type started struct {
	rows    *sql.Rows
	columns []result.Column // columns of the user's query, if hindsql rewrote it; otherwise nil
	above   int             // number of lines that hindsql put above the user's
}

// start runs the statement.
func (q *asking) start(ctx context.Context) (a started, err error) {
	if q.limit == "" {
		rows, ok, err := q.direct(ctx) //nolint:rowserrcheck // whoever reads the rows looks at their error
		if ok || err != nil {
			return started{rows: rows}, err
		}
	}
	bound, err := q.s.bind(ctx, q.statement, q.args)
	if err != nil {
		return a, err
	}
	run, columns := q.s.asText(ctx, q.statement, bound, q.limit)
	if a.columns = columns; run != q.statement {
		a.above = 1
	} else {
		q.s.in.lossless.note(q.statement, true)
	}
	a.rows, err = q.s.conn.QueryContext(ctx, run, bound...) //nolint:rowserrcheck // as above
	if err != nil {
		return a, sqlerror.MoveUp(sqlError(ctx, err), a.above)
	}
	return a, nil
}

// direct runs a query at once, without asking for its columns and parameters first.
// DuckDB then plans the query once, where [connection.bind] and [connection.asText]
// have it planned three times. ok is false, and err nil, if the query has to be run in
// the other way: its columns may be lossy, or a parameter has no value. An SQL error is
// an [*Error].
func (q *asking) direct(ctx context.Context) (rows *sql.Rows, ok bool, err error) {
	bound, ok := valuesByName(q.statement, q.args)
	if !ok || !selects.begin(q.statement) || !q.s.in.lossless.expects(q.statement) {
		return nil, false, nil
	}
	if rows, err = q.s.conn.QueryContext(ctx, q.statement, bound...); err != nil {
		var wrong *Error
		if err = sqlError(ctx, err); ctx.Err() == nil && !errors.As(err, &wrong) {
			err = nil // the driver's own, such as an unbound parameter
		}
		return nil, false, err
	}
	types, err := rows.ColumnTypes()
	ok = err == nil && !slices.ContainsFunc(types, func(t *sql.ColumnType) bool { return !sandbox.Lossless(t.DatabaseTypeName()) })
	if q.s.in.lossless.note(q.statement, ok); !ok {
		return nil, false, rows.Close() //nolint:sqlclosecheck // returned open otherwise
	}
	return rows, true, nil
}

// valuesByName returns the values of a statement's parameters, by name. ok is false if
// a parameter has no name or no value.
func valuesByName(statement string, args map[string]any) (bound []any, ok bool) {
	if !strings.ContainsAny(statement, "$?") {
		return nil, true
	}
	for _, name := range sqltext.Parameters(statement) {
		value, given := args[name]
		if !given || name == "" {
			return nil, false
		}
		bound = append(bound, sql.Named(name, value))
	}
	return bound, true
}

// lossless remembers which queries duckdb-go reads without loss. It is a guess: direct
// looks at the columns that a query then has. A wrong guess costs a second run.
type lossless struct {
	mutex sync.Mutex
	known map[string]bool // by the text of a query
}

// Bounds of lossless.
const (
	mostKnown   = 1000
	longestText = 20_000
)

func (l *lossless) note(statement string, is bool) {
	if len(statement) > longestText {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.known == nil || len(l.known) >= mostKnown {
		l.known = map[string]bool{}
	}
	l.known[statement] = is
}

// expects reports whether a query most likely has only lossless columns. A query that
// wasn't run before has none of the words after which columns are lists or JSON.
func (l *lossless) expects(statement string) bool {
	l.mutex.Lock()
	is, known := l.known[statement]
	l.mutex.Unlock()
	return is || !known && !mayBeLossy(statement)
}

// lossyWords are words by which a query may get a column that is JSON, nested, or made
// by a call that mustn't run twice.
var lossyWords = sync.OnceValue(func() map[string]bool {
	words := sqltext.WordSet("table pivot columns list array map struct unnest raw diff nextval variant union")
	for _, t := range tables.All() {
		for _, c := range t.Columns {
			if !sandbox.Lossless(c.Type) {
				words[c.Name] = true
			}
		}
	}
	return words
})

// mayBeLossy reports whether a query's text has a sign of lossyWords, a bracket, an
// arrow, or a star that isn't count(*).
func mayBeLossy(statement string) bool {
	if !slices.Contains([]string{"select", "with"}, sqltext.Head(statement)) {
		return true // FROM t has all columns of t
	}
	before := ""
	for t := range sqltext.Tokens(statement) {
		if !t.IsCode() {
			continue
		}
		switch word := strings.ToLower(t.Name()); {
		case lossyWords()[word], strings.Contains(word, "json"), strings.ContainsAny(t.Text, "[{"), strings.HasPrefix(t.Text, "->"):
			return true
		case t.Text == "*" && before != "(":
			return true
		}
		before = t.Text
	}
	return false
}
