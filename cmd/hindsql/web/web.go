// Package web is hindsql's interface in the browser: pages over HTTP, for this machine
// only.
//
// In: the store, the saved queries and the reports. Out: rendered pages. A page's URL
// determines the page's whole content. A small script makes pages handier, but no page
// needs it. hindsql's own SQL reads the plain store. SQL that a user typed or saved
// runs in a safe store, which can't do harm (see the table in SECURITY.md). Recorded
// content is text, never HTML: package html ensures that. The package parses no flags.
package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/loopback"
	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/queries/report"
)

// Config holds the pages' data sources and settings.
type Config struct {
	Source  *ask.Source   // plain: for hindsql's own SQL
	Safe    engine.Config // for the Source of the user's SQL, opened at its first use
	Version string        // of the program
	Reports func() ([]*report.Report, error)
	Own     ask.Own                          // folder of the user's queries, and names that none may have
	Home    string                           // shown as ~; empty if no home folder is known
	Agents  []string                         // names of the agents, in display order
	NoSync  bool                             // pages show the loaded rows, without a sync
	Every   time.Duration                    // interval of syncs with the logs while a page is open; zero means 2 s
	Notice  func(format string, args ...any) // tells the person who started the server; nil means no messages
	// Panicked saves the stack of a panic, and returns the words for the browser. If nil, a
	// panic is left to net/http.
	Panicked func(value any) string
	// Name is a secret of the user's: the pages answer at NAME.localhost, too. Empty means
	// no name.
	Name string
}

// Server answers any number of requests at once.
type Server struct {
	Config
	frame    *frame
	follower *follower
	pass     string // value of the cookie; new in each process
	sign     string // sign of forms that run SQL; new in each process
	tickets  tickets

	safeOnce sync.Once
	safe     *ask.Source
	safeErr  error

	running   running // users' statements
	completer completer
	names     projectNames
}

// New makes a server. The server opens nothing before the first request.
func New(c Config) *Server {
	c.Every = cmp.Or(c.Every, 2*time.Second)
	if c.Notice == nil {
		c.Notice = func(string, ...any) {}
	}
	s := &Server{Config: c, pass: rand.Text(), sign: rand.Text(), tickets: tickets{mark: rand.Text()}, follower: newFollower(&c)}
	s.frame = &frame{version: c.Version, source: c.Source, notice: c.Notice}
	s.completer.source = s.safeSource
	return s
}

// Close closes the sources that the server opened. No request may be running.
func (s *Server) Close() error {
	s.safeOnce.Do(func() { s.safeErr = http.ErrServerClosed })
	s.completer.close()
	if s.safe == nil {
		return nil
	}
	return s.safe.Close()
}

// Serve answers browsers with the token at the listener, and at the listeners beside
// it, until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener, token string, beside ...net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, s.follower.end) // otherwise open pages would delay the end
	return loopback.Serve(ctx, endingWith(ctx, s.Handler(l.Addr(), token)), append(beside, l)...)
}

// Address returns the URL that lets a browser in, for a server at a listener's address.
func Address(at net.Addr, token string) string { return fmt.Sprintf("http://%s/?token=%s", at, token) }

// Handler returns the whole server for an address: the handlers that check a request,
// in front of the pages' handlers. The outermost check is [withSecurityHeaders].
func (s *Server) Handler(at net.Addr, token string) http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.pattern, r.handler)
	}
	d := s.gateAt(at, token)
	return loopback.Recovering(s.Panicked, withSecurityHeaders(loopback.LocalOnly(at, d.handleProbe(d.checkSite(d.handleEntry(d.requireCookie(loopback.ReadBody(requireValidText(s.page(noPage), mux)))))), d.names...)))
}

// safeSource returns the Source for the user's SQL.
func (s *Server) safeSource(ctx context.Context) (*ask.Source, error) {
	s.safeOnce.Do(func() { s.safe, s.safeErr = ask.Open(context.WithoutCancel(ctx), s.Safe, s.Source.Queries) })
	return s.safe, s.safeErr
}

// phrases holds the addresses and commands that messages propose on a page.
var phrases = ask.Words{
	ask.SeeTables: "/tables", ask.SeeColumns: "/table/NAME", ask.SeeQueries: "/queries", ask.Refresh: "hindsql sync", ask.OtherStore: "--store",
}

// longest is the time limit of hindsql's own statements.
const longest = 30 * time.Second

// request is a request for a page, with the parsed values and the open sessions.
type request struct {
	*http.Request
	requestValues
	server  *Server
	session *ask.Session // for hindsql's own SQL; nil before the first statement
	closers []func() error
	leave   func() // ends what keepAttached began; nil if nothing did
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
		q.keepAttached() // a look at the logs without news leaves the store attached
		s.answer(w, q, s.follower.syncIfDue(r.Context()), send)
	})
}

func (s *Server) request(r *http.Request) *request {
	return &request{Request: r, requestValues: readValues(r), server: s}
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
	q.detach() // the browser may take the page slowly
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
	q.keepAttached()
	return q.session.Collect(engine.Within(ctx, longest), sql, args)
}

// keepAttached keeps the plain store attached between the request's statements, until
// detach.
func (q *request) keepAttached() {
	if q.leave == nil {
		q.leave = q.server.Source.Store().Stay(q.Context())
	}
}

// detach ends the attachment of keepAttached. Other processes can then write.
func (q *request) detach() {
	if q.leave != nil {
		q.leave()
		q.leave = nil
	}
}

// safeSession opens a session of the safe Source, for SQL that the user typed or saved. That
// SQL may take long, so the plain store is let go.
func (q *request) safeSession(ctx context.Context) (*ask.Session, error) {
	q.detach()
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
	q.detach()
	for _, c := range q.closers {
		_ = c()
	}
}

// ask calls use with an open session for a question. During the call, the page /running
// lists the question's statement, and the user can cancel it there.
func (q *request) ask(st *question, use func(context.Context, *ask.Session) error) error {
	return q.server.running.during(q.Context(), st.SQL, func(ctx context.Context) error {
		begin := q.safeSession
		if st.ours {
			begin = func(ctx context.Context) (*ask.Session, error) {
				q.keepAttached()
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

// requestValues holds the path and the values of a request. The values come from the URL or,
// for a POST, from the form.
type requestValues struct {
	path  string // in escaped form, as links have it
	given url.Values
}

// readValues reads the path and values of a request. It drops the secret of this server's
// forms ([fieldSign]).
func readValues(r *http.Request) requestValues {
	a := requestValues{path: r.URL.EscapedPath(), given: r.URL.Query()}
	if r.Method == http.MethodPost {
		a.given = r.PostForm
	}
	a.given.Del(fieldSign)
	return a
}

// get returns the value of a field without surrounding spaces; empty if the request
// lacks the field.
func (a *requestValues) get(name string) string { return strings.TrimSpace(a.given.Get(name)) }

// with returns the page's URL with the value of one field replaced, and with the fields
// in without removed.
func (a *requestValues) with(name, value string, without ...string) string {
	v := a.valuesWithout(without)
	v.Set(name, value)
	return a.path + "?" + v.Encode()
}

// without returns the page's URL with the named fields removed.
func (a *requestValues) without(names ...string) string {
	return addressOf(a.path, a.valuesWithout(names))
}

// valuesWithout returns the values without the named fields.
func (a *requestValues) valuesWithout(names []string) url.Values {
	v := url.Values{}
	maps.Copy(v, a.given)
	maps.DeleteFunc(v, func(n string, _ []string) bool { return slices.Contains(names, n) })
	return v
}

// look returns how the page at a path shall show a result, by the fields _show and
// _from of the request. values holds the page's other URL fields, such as the SQL.
func (a *requestValues) look(path string, values url.Values) look {
	l := look{path: path, values: values, chart: a.get(fieldShow) == "chart"}
	if n, err := strconv.ParseInt(a.get(fieldFrom), 10, 64); err == nil && n > 0 {
		l.from = n
	}
	return l
}

// cell returns the cell that the field _cell asks for: the index of its row in the
// whole result, and of its column. ok is false if the field is missing or malformed.
func (a *requestValues) cell() (row int64, column int, ok bool) {
	r, c, ok := strings.Cut(a.get(fieldCell), ".")
	if !ok {
		return 0, 0, false
	}
	row, err := strconv.ParseInt(r, 10, 64)
	column, err2 := strconv.Atoi(c)
	return row, column, err == nil && err2 == nil && row >= 0 && column >= 0
}
