package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/lists"
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

// rows runs a statement, and returns at most limit rows of its result, after the first
// from.
func (st *question) rows(ctx context.Context, session *ask.Session, from, limit int64) (*answer, error) {
	a, run := &answer{From: from}, st.Statement
	run.Page = engine.Page{Offset: from, Rows: limit + 1}
	began := time.Now()
	err := session.Run(engine.Within(ctx, longest), run, func(given *ask.Answer) (err error) {
		a.Set, err = result.Collect(given.Rows)
		a.Synced = given.Rows.SyncedAt
		return err
	})
	a.Took = time.Since(began)
	if a.More = int64(len(a.Rows)) > limit; a.More {
		a.Rows = a.Rows[:limit]
	}
	return a, err
}

// patience bounds the time for counting the rows of a result that has more rows than
// the page.
const patience = 2 * time.Second

// statementError is an error of SQL in the form of its page.
type statementError struct {
	Text         string
	Snippet      string // the line, and a caret below the place of the error
	Line, Column int    // zero if unknown
}

// statementErrorOf returns a statement's error, with its line and column in the SQL if
// known.
func statementErrorOf(err error) *statementError {
	if wrong, ok := errors.AsType[*engine.Error](err); ok {
		t := &statementError{Snippet: printable.Text(wrong.Snippet), Line: wrong.Line, Column: wrong.Column}
		wrong.Snippet = ""
		t.Text = printable.Text(phrases.Explain(err))
		return t
	}
	return &statementError{Text: printable.Text(strings.TrimPrefix(phrases.Explain(err), "safe: "))}
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
func rowsText(n int64, noun string) string { return words.Quantity(n, cmp.Or(noun, "row")) }

// problem is an error of the request, with its status.
type problem struct {
	status int
	text   string
}

// Error returns the text for the page.
func (p *problem) Error() string { return p.text }

// notFound returns the error for an address without a page.
func notFound(text string) error { return &problem{http.StatusNotFound, text} }

// wrong returns the error for a request with wrong values.
func wrong(text string) error { return &problem{http.StatusBadRequest, text} }

// statusOf returns the status of an error's page.
func statusOf(err error) int {
	var p *problem
	switch {
	case errors.As(err, &p):
		return p.status
	case errors.As(err, new(*engine.Error)):
		return http.StatusBadRequest
	case errors.As(err, new(*engine.Limit)):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// running lists the running statements of users, to let another page cancel each.
type running struct {
	mutex sync.Mutex
	list  map[string]*run
}

// run is a running statement.
type run struct {
	ID, SQL string
	Since   time.Time
	cancel  context.CancelCauseFunc
}

// errCancelled is the error of a cancelled statement.
var errCancelled = &problem{http.StatusServiceUnavailable, "The statement was cancelled."}

// during calls answer with a context that ends if a user cancels the statement, the
// client is gone, or the server ends. For a cancelled statement it returns
// errCancelled.
func (r *running) during(ctx context.Context, sql string, answer func(context.Context) error) error {
	inside, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if server, ok := ctx.Value(serverKey{}).(context.Context); ok {
		defer context.AfterFunc(server, func() { cancel(errCancelled) })()
	}
	one := &run{ID: rand.Text(), SQL: sql, Since: time.Now(), cancel: cancel}
	r.add(one)
	defer func() {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		delete(r.list, one.ID)
	}()
	err := answer(inside)
	if err != nil && errors.Is(context.Cause(inside), errCancelled) {
		return errCancelled
	}
	return err
}

func (r *running) add(one *run) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.list == nil {
		r.list = map[string]*run{}
	}
	r.list[one.ID] = one
}

// all returns the running statements, the oldest first.
func (r *running) all() (list []run) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, one := range r.list {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b run) int { return a.Since.Compare(b.Since) })
	return list
}

// cancel ends a statement. It returns false if no statement with the id runs.
func (r *running) cancel(id string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	one := r.list[id]
	if one != nil {
		one.cancel(errCancelled)
	}
	return one != nil
}

// serverKey is the key of the server's context in a request's context.
type serverKey struct{}

// endingWith cancels running statements when the server's context ends. Otherwise the
// server would wait for them.
func endingWith(server context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, server)))
	})
}

// showRunning lists the running statements. It doesn't sync, so it answers at once.
func showRunning(_ http.ResponseWriter, q *request) (*view, error) {
	type row struct {
		run
		For string
	}
	rows := lists.Map(q.server.running.all(), func(one run) row { return row{one, words.Duration(time.Since(one.Since))} })
	return &view{Title: "Running statements", Template: "running", Data: rows}, nil
}

// cancelRun ends a statement, and redirects to the list of running statements.
func cancelRun(w http.ResponseWriter, q *request) (*view, error) {
	q.server.running.cancel(q.PathValue("id")) // if not found, the statement already ended
	http.Redirect(w, q.Request, "/running", http.StatusSeeOther)
	return nil, nil
}
