package web

import (
	"context"
	"net/http"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/result"
)

// longest is the time limit of hindsql's own statements.
const longest = 30 * time.Second

// request is a request for a page, with the parsed values and the open sessions.
type request struct {
	*http.Request
	asked
	server  *Server
	session *ask.Session // for hindsql's own SQL; nil before the first statement
	closers []func() error
	leave   func() // ends what stay began; nil if nothing did
}

// pageFunc returns a page. Its error becomes a page, too.
type pageFunc func(*request) (*view, error)

// sender returns a page, or answers the request itself and returns a nil view. An error
// means that nothing was sent.
type sender func(http.ResponseWriter, *request) (*view, error)

// page returns a page's handler.
func (s *Server) page(make pageFunc) http.Handler {
	return s.synced(func(_ http.ResponseWriter, q *request) (*view, error) { return make(q) })
}

// synced returns a handler that first syncs the logs, unless a sync began a moment ago.
// It is for answers with rows.
func (s *Server) synced(send sender) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := s.request(r)
		q.stay() // a look at the logs without news leaves the store attached
		s.answer(w, q, s.follower.fresh(r.Context()), send)
	})
}

func (s *Server) request(r *http.Request) *request {
	return &request{Request: r, asked: askedBy(r), server: s}
}

// atOnce returns a handler that waits for no sync.
func (s *Server) atOnce(send sender) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, s.request(r), "", send)
	})
}

// answer answers a request. behind says why the rows may be old.
func (s *Server) answer(w http.ResponseWriter, q *request, behind string, send sender) {
	defer q.close()
	r := q.Request
	v, err := send(w, q)
	q.letGo() // the browser may take the page slowly
	if err != nil {
		v = s.frame.failed(r, err)
	}
	if v != nil {
		v.Live = v.Live && r.Method != http.MethodPost // a form's values are missing in the page's address
		s.frame.write(w, r, layout{view: v, Behind: behind, Inside: true})
	}
}

// run returns the result of hindsql's own SQL, over the plain Source. All statements of
// a request share one session, which run opens. run bounds each statement's time.
func (q *request) run(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
	if q.session == nil {
		if q.session, err = q.open(ctx, q.server.Source); err != nil {
			return set, err
		}
	}
	q.stay()
	return q.session.Collect(engine.Within(ctx, longest), sql, args)
}

// stay keeps the plain store attached between the request's statements, until letGo.
func (q *request) stay() {
	if q.leave == nil {
		q.leave = q.server.Source.Store().Stay(q.Context())
	}
}

// letGo ends what stay began. Other processes can then write.
func (q *request) letGo() {
	if q.leave != nil {
		q.leave()
		q.leave = nil
	}
}

// safely opens a session of the safe Source, for SQL that the user typed or saved. That
// SQL may take long, so the plain store is let go.
func (q *request) safely(ctx context.Context) (*ask.Session, error) {
	q.letGo()
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
	q.letGo()
	for _, c := range q.closers {
		_ = c()
	}
}

// ask calls use with an open session for a question. During the call, the page /running
// lists the question's statement, and the user can cancel it there.
func (q *request) ask(st *question, use func(context.Context, *ask.Session) error) error {
	return q.server.running.during(q.Context(), st.SQL, func(ctx context.Context) error {
		begin := q.safely
		if st.ours {
			begin = func(ctx context.Context) (*ask.Session, error) {
				q.stay()
				return q.open(ctx, q.server.Source)
			}
		}
		session, err := begin(ctx)
		if err != nil {
			return err
		}
		return use(ctx, session)
	})
}
