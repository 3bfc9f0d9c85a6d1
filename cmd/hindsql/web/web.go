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
	"net"
	"net/http"
	"sync"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/loopback"
	"hindsql/engine"
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
// in front of the pages' handlers. The outermost check is [closed].
func (s *Server) Handler(at net.Addr, token string) http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.pattern, r.handler)
	}
	d := s.doorAt(at, token)
	return loopback.Recovering(s.Panicked, closed(loopback.FromHere(at, d.probed(d.sites(d.entered(d.inside(loopback.Whole(textOnly(s.page(nowhere), mux)))))), d.names...)))
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
