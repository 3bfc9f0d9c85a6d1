package web

import (
	"context"
	"net/http"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/result"
)

// longest is how long a statement of ours may take.
const longest = 30 * time.Second

// request is one request for a page: what it asks for, and the sessions in which it is
// answered.
type request struct {
	*http.Request
	asked
	server  *Server
	session *ask.Session // for SQL of ours; nil before the first
	closers []func() error
}

// pageFunc makes a page. Its error becomes one, too.
type pageFunc func(*request) (*view, error)

// sender is what makes a page, or answers by itself: then it gives no view, and
// its error is that of nothing having been sent.
type sender func(http.ResponseWriter, *request) (*view, error)

// page is the handler of a page.
func (s *Server) page(make pageFunc) http.Handler {
	return s.synced(func(_ http.ResponseWriter, q *request) (*view, error) { return make(q) })
}

// synced is the handler of what shows rows: logs are looked at before.
func (s *Server) synced(send sender) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, r, s.follower.fresh(r.Context()), send)
	})
}

// atOnce is the handler of what waits for no sync.
func (s *Server) atOnce(send sender) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, "", send) })
}

// answer answers a request; behind is why the rows may be old.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, behind string, send sender) {
	q := &request{Request: r, asked: askedBy(r), server: s}
	defer q.close()
	v, err := send(w, q)
	if err != nil {
		v = s.frame.failed(r, err)
	}
	if v != nil {
		v.Live = v.Live && r.Method != http.MethodPost // its address alone doesn't say what it shows
		s.frame.write(w, r, layout{view: v, Behind: behind, Inside: true})
	}
}

// run gives the result of SQL of ours, over the plain Source: in one session of the
// request, which it begins, and in a bounded time.
func (q *request) run(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
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

func (q *request) close() {
	for _, c := range q.closers {
		_ = c()
	}
}

// ask has a question answered in a session, among the statements that anybody may
// cancel.
func (q *request) ask(st *question, use func(context.Context, *ask.Session) error) error {
	return q.server.running.during(q.Context(), st.SQL, func(ctx context.Context) error {
		begin := q.safely
		if st.ours {
			begin = func(ctx context.Context) (*ask.Session, error) { return q.open(ctx, q.server.Source) }
		}
		session, err := begin(ctx)
		if err != nil {
			return err
		}
		return use(ctx, session)
	})
}
