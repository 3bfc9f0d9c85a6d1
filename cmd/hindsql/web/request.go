package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/engine/result"
)

// longest is how long a statement of ours may take.
const longest = 30 * time.Second

// request is one request for a page.
type request struct {
	*http.Request
	server  *Server
	given   url.Values // what is asked behind the path, or by a form
	session *ask.Session
	closers []func() error
	behind  string // why the rows may be old; empty where they aren't
}

// get is a value of the query, without the spaces around it.
func (q *request) get(name string) string { return strings.TrimSpace(q.given.Get(name)) }

// collect gives the result of SQL of ours, over the plain Source.
func (q *request) collect(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
	if q.session == nil {
		if q.session, err = q.open(ctx, q.server.Source); err != nil {
			return set, err
		}
	}
	return q.session.Collect(engine.Within(ctx, longest), sql, args)
}

// safely gives a session of the safe Source, up to date, in which SQL of others
// runs.
func (q *request) safely(ctx context.Context) (*ask.Session, error) {
	st, err := q.server.safeSource(ctx)
	if err != nil {
		return nil, err
	}
	return q.open(ctx, st)
}

// open opens a session that ends with the request.
func (q *request) open(ctx context.Context, source *ask.Source) (*ask.Session, error) {
	session, err := source.Session(ctx)
	if err == nil {
		q.closers = append(q.closers, session.Close)
	}
	return session, err
}

// asked is the request that came. Whoever asks for it closes it.
func (s *Server) asked(r *http.Request) *request {
	q := &request{Request: r, server: s, given: r.URL.Query()}
	if r.Method == http.MethodPost {
		q.given = r.PostForm
	}
	q.given.Del(fieldSign)
	return q
}

func (q *request) close() {
	for _, c := range q.closers {
		_ = c()
	}
}

// problem is an error that is the asker's, with its status.
type problem struct {
	status int
	text   string
}

// Error is what the page says.
func (p *problem) Error() string { return p.text }

// notFound is the error of an address that leads nowhere.
func notFound(text string) error { return &problem{http.StatusNotFound, text} }

// wrong is the error of a request that can't be answered as it is.
func wrong(text string) error { return &problem{http.StatusBadRequest, text} }

// statusOf is the status of an error's page.
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
