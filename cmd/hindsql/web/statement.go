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

// question is a statement whose result a page shows, and files hold.
type question struct {
	ask.Statement
	file string // name of its files
	ours bool   // it is SQL of ours: everything else runs safely
	// given is what the URL says of it besides how it is shown.
	given url.Values
}

// pageRows are the rows of one page of a result, drawnRows those that a chart is
// made of at most.
const (
	pageRows  = 500
	drawnRows = 50_000
)

// answer is what a page shows of a result.
type answer struct {
	result.Set
	From   int64 // rows before
	More   bool  // rows behind
	Took   time.Duration
	Synced time.Time
}

// result answers a question: with a part of a page, or with a cell or a file, which are
// sent at once; then there is nothing to show.
func (q *request) result(w http.ResponseWriter, st *question, l look, file *download) (to *shown, err error) {
	err = q.ask(st, func(ctx context.Context, session *ask.Session) error {
		to, err = q.resultIn(ctx, session, w, st, l, file)
		return err
	})
	return to, err
}

// resultIn is [request.result] in a session that there is.
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

// rows runs a statement, and gives some rows of it.
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

// patience is how long the rows of a result are counted for those who only see
// some of them.
const patience = 2 * time.Second

// trouble is an error of SQL as its page shows it.
type trouble struct {
	Text         string
	Snippet      string // the line, and a caret below its place
	Line, Column int    // zero where they aren't known
}

// troubleOf tells what is wrong with a statement, and where.
func troubleOf(err error) *trouble {
	var wrong *engine.Error
	if errors.As(err, &wrong) {
		t := &trouble{Snippet: printable.Text(wrong.Snippet), Line: wrong.Line, Column: wrong.Column}
		wrong.Snippet = ""
		t.Text = printable.Text(phrases.Explain(err))
		return t
	}
	return &trouble{Text: printable.Text(strings.TrimPrefix(phrases.Explain(err), "safe: "))}
}

// statusOfSQL is the status of a page whose statement failed.
func statusOfSQL(err error) int {
	if status := statusOf(err); status != http.StatusInternalServerError {
		return status
	}
	return http.StatusBadRequest
}

// rowsText is how many rows there are, of a noun: "1 row", "63 refusals".
func rowsText(n int64, noun string) string {
	return words.Quantity(n, cmp.Or(noun, "row"))
}
