package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// question is a statement whose result a page or a file shall show.
type question struct {
	ask.Statement
	file string // name of the result's files
	ours bool   // the SQL is hindsql's own; all other SQL runs safely
	size string // SQL of the number of rows; empty if DuckDB has to count the statement's rows
	// given holds the URL's fields of the statement, without the fields for its display.
	given url.Values
}

// pageRows is the number of rows on a page of a result. drawnRows is the most rows in a
// chart.
const (
	pageRows  = 500
	drawnRows = 50_000
)

// answer is the part of a result that a page shows.
type answer struct {
	result.Set
	From   int64 // number of rows before the answer's first row
	More   bool  // the result has further rows
	Took   time.Duration
	Synced time.Time
}

// result runs a statement and returns a page of its result. If the request asks for a
// cell or a file, result sends the cell or file and returns nil.
func (q *request) result(w http.ResponseWriter, st *question, l look, file *download) (to *shown, err error) {
	err = q.ask(st, func(ctx context.Context, session *ask.Session) error {
		to, err = q.resultIn(ctx, session, w, st, l, file)
		return err
	})
	return to, err
}

// resultIn does the same as [request.result] in an open session.
func (q *request) resultIn(ctx context.Context, session *ask.Session, w http.ResponseWriter, st *question, l look, file *download) (*shown, error) {
	if row, column, ok := q.cell(); ok {
		return nil, st.sendCell(ctx, w, session, row, column)
	}
	if file != nil {
		return nil, st.send(ctx, w, session, file)
	}
	d := &drawing{question: st, session: session, look: l, run: q.run}
	return d.show(ctx)
}

// rows runs a statement, and returns at most most rows of its result, after the first
// from.
func (st *question) rows(ctx context.Context, session *ask.Session, from, most int64) (*answer, error) {
	a, run := &answer{From: from}, st.Statement
	run.Page = engine.Page{Offset: from, Rows: most + 1}
	began := time.Now()
	err := session.Run(engine.Within(ctx, longest), run, func(given *ask.Answer) (err error) {
		a.Set, err = result.Collect(given.Rows)
		a.Synced = given.SyncedAt
		return err
	})
	a.Took = time.Since(began)
	if a.More = int64(len(a.Rows)) > most; a.More {
		a.Rows = a.Rows[:most]
	}
	return a, err
}

// patience bounds the time for counting the rows of a result that has more rows than
// the page.
const patience = 2 * time.Second

// trouble is an error of SQL in the form of its page.
type trouble struct {
	Text         string
	Snippet      string // the line, and a caret below the place of the error
	Line, Column int    // zero if unknown
}

// troubleOf returns a statement's error, with its line and column in the SQL if known.
func troubleOf(err error) *trouble {
	if wrong, ok := errors.AsType[*engine.Error](err); ok {
		t := &trouble{Snippet: printable.Text(wrong.Snippet), Line: wrong.Line, Column: wrong.Column}
		wrong.Snippet = ""
		t.Text = printable.Text(phrases.Explain(err))
		return t
	}
	return &trouble{Text: printable.Text(strings.TrimPrefix(phrases.Explain(err), "safe: "))}
}

// statusOfSQL returns the status of a page with a failed statement.
func statusOfSQL(err error) int {
	if status := statusOf(err); status != http.StatusInternalServerError {
		return status
	}
	return http.StatusBadRequest
}

// total returns the number of all rows; -1 if counting fails.
func (st *question) total(ctx context.Context, session *ask.Session) int64 {
	ctx = engine.Within(ctx, patience)
	if st.size != "" {
		return session.Count(ctx, ask.Statement{SQL: st.size})
	}
	return session.Total(ctx, st.Statement)
}

// rowsText returns a number of rows with a noun: "1 row", "63 refusals".
func rowsText(n int64, noun string) string {
	return words.Quantity(n, cmp.Or(noun, "row"))
}
