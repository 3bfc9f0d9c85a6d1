package duck

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

// runningQuery is a running statement.
type runningQuery struct {
	rows    *sql.Rows
	columns []result.Column // columns of the user's query, if hindsql rewrote it; otherwise nil
	above   int             // number of lines that hindsql put above the user's
}

// start runs a statement. limit is as in [Conn.asText].
func (s *Conn) start(ctx context.Context, statement string, args map[string]any, limit string) (a runningQuery, err error) {
	if limit == "" {
		rows, ok, err := s.runDirectly(ctx, statement, args) //nolint:rowserrcheck // whoever reads the rows looks at their error
		if ok || err != nil {
			return runningQuery{rows: rows}, err
		}
	}
	bound, err := s.Bind(ctx, statement, args)
	if err != nil {
		return a, err
	}
	run, columns := s.asText(ctx, statement, bound, limit)
	if a.columns = columns; run != statement {
		a.above = 1
	} else {
		s.db.lossless.record(statement, true)
	}
	a.rows, err = s.conn.QueryContext(ctx, run, bound...) //nolint:rowserrcheck // as above
	if err != nil {
		return a, sqlerror.ShiftLines(ErrorOf(ctx, err), a.above)
	}
	return a, nil
}

// runDirectly runs a query at once, without asking for its columns and parameters first.
// DuckDB then plans the query once, where [Conn.Bind] and [Conn.asText] have it planned
// three times. ok is false, and err nil, if the query has to be run in the other way: its
// columns may be lossy, or a parameter has no value. An SQL error is an [*sqlerror.Error].
func (s *Conn) runDirectly(ctx context.Context, statement string, args map[string]any) (rows *sql.Rows, ok bool, err error) {
	bound, ok := valuesByName(statement, args)
	if !ok || !selects.match(statement) || !s.db.lossless.expects(statement) {
		return nil, false, nil
	}
	if rows, err = s.conn.QueryContext(ctx, statement, bound...); err != nil {
		var wrong *sqlerror.Error
		if err = ErrorOf(ctx, err); ctx.Err() == nil && !errors.As(err, &wrong) {
			err = nil // the driver's own, such as an unbound parameter
		}
		return nil, false, err
	}
	types, err := rows.ColumnTypes()
	ok = err == nil && !slices.ContainsFunc(types, func(t *sql.ColumnType) bool { return !sandbox.IsLossless(t.DatabaseTypeName()) })
	if s.db.lossless.record(statement, ok); !ok {
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
	names := sqltext.Parameters(statement)
	bound, err := bindNames(names, args)
	return bound, err == nil && !slices.Contains(names, "")
}

// lossless remembers which queries duckdb-go reads without loss. It is a guess: runDirectly
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

func (l *lossless) record(statement string, is bool) {
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
			if !sandbox.IsLossless(c.Type) {
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
