package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hindsql/chart"
	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/engine/result"
	"hindsql/queries"
	"hindsql/visible"
)

// statement is SQL whose result a page shows, and files hold.
type statement struct {
	name    string // of its files
	sql     string
	args    map[string]any
	wrapped map[string]string // see [queries.Query.Wrapped]
	saved   *queries.Query    // that it is; nil: none
	chart   *chart.Declaration
	ours    bool // it is SQL of ours: everything else runs safely
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

// sessionFor is where a statement runs.
func (q *request) sessionFor(ctx context.Context, st *statement) (*engine.Session, error) {
	if !st.ours {
		return q.safely(ctx)
	}
	return q.open(ctx, q.server.Store)
}

// rows runs a statement, and gives some rows of it.
func (st *statement) rows(ctx context.Context, session *engine.Session, from, most int64) (*answer, error) {
	a, began := &answer{From: from}, time.Now()
	err := session.Page(engine.Within(ctx, longest), st.sql, st.args, engine.Page{Offset: from, Rows: most + 1}, func(rows *result.Rows) (err error) {
		a.Set, err = result.Collect(rows)
		a.Synced = rows.SyncedAt
		return err
	})
	a.Took = time.Since(began)
	if a.More = int64(len(a.Rows)) > most; a.More {
		a.Rows = a.Rows[:most]
	}
	return a, st.restored(err)
}

// restored is an error with the user's own words.
func (st *statement) restored(err error) error {
	var wrong *engine.Error
	if errors.As(err, &wrong) {
		wrong.Restore(st.wrapped)
	}
	return err
}

// patience is how long the rows of a result are counted for those who only see
// some of them.
const patience = 2 * time.Second

// total is the number of all rows; -1 where counting takes too long, or can't be.
func (st *statement) total(ctx context.Context, session *engine.Session) int64 {
	return counted(ctx, session, "SELECT count(*) FROM (\n"+strings.TrimRight(st.sql, "; \t\r\n")+"\n)", st.args)
}

// counted runs SQL that counts.
func counted(ctx context.Context, session *engine.Session, sql string, args map[string]any) int64 {
	set, err := collecting(session)(engine.Within(ctx, patience), sql, args)
	if err != nil || len(set.Rows) != 1 {
		return -1
	}
	n, ok := set.Rows[0][0].(int64)
	if !ok {
		return -1
	}
	return n
}

// bound is a saved query with values for its parameters, and what is to be said
// of those.
func (q *request) bound(ctx context.Context, session *engine.Session, saved *queries.Query, given map[string]any) (show.Statement, []string, error) {
	var told bytes.Buffer
	v := &show.View{Session: session, Home: q.server.Home, Agents: q.server.Agents, Words: words, Err: &told}
	s, err := v.Bound(ctx, saved, given)
	var notes []string
	for line := range strings.Lines(told.String()) {
		notes = append(notes, sentence(strings.TrimPrefix(strings.TrimSpace(line), "hindsql: ")))
	}
	return s, notes, err
}

// sentence is what a text face says in a line.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

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
		t := &trouble{Snippet: visible.Text(wrong.Snippet), Line: wrong.Line, Column: wrong.Column}
		wrong.Snippet = ""
		t.Text = visible.Text(words.Explain(err))
		return t
	}
	return &trouble{Text: visible.Text(strings.TrimPrefix(words.Explain(err), "safe: "))}
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
	return render.Quantity(n, cmp.Or(noun, "row"))
}
