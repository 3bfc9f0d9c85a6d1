// Package web is the face for people who look rather than read: pages over HTTP,
// for this machine only.
//
// In: the store, the saved queries and the reports. Out: pages rendered here,
// each with a URL that says all that it shows; a little script of ours makes them
// handier, and none is needed. Pages of ours read the plain Store. SQL that
// somebody typed or saved runs in a safe one, as SECURITY.md's table has it. What
// logs hold is text, never HTML: room markup sees to that. The package knows no
// flag.
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

// Config says what the pages show.
type Config struct {
	Source  *ask.Source   // plain: for SQL of ours
	Safe    engine.Config // of the Source for SQL of others: opened when that is first needed
	Version string        // of the program
	Reports func() ([]*report.Report, error)
	Home    string                           // shown as ~; empty when there is none
	Agents  []string                         // their names, in the order that people see
	NoSync  bool                             // shows what is loaded
	Every   time.Duration                    // how often logs are looked at while a page is open; zero for 2 s
	Notice  func(format string, args ...any) // tells the person who started it; nil: nobody
	// Name is a secret of the user's: the pages answer at NAME.localhost, too. Empty for
	// none.
	Name string
}

// Server answers requests, any number at once.
type Server struct {
	Config
	frame    *frame
	follower *follower
	pass     string // what the cookie holds: made anew by each process
	sign     string // what forms carry that run SQL: likewise
	tickets  tickets

	safeOnce sync.Once
	safe     *ask.Source
	safeErr  error

	running   running // statements of users
	completer completer
}

// New makes a server. It opens nothing before the first request.
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

// Close gives up what the server opened. No request may be running.
func (s *Server) Close() error {
	s.safeOnce.Do(func() { s.safeErr = http.ErrServerClosed })
	s.completer.close()
	if s.safe == nil {
		return nil
	}
	return s.safe.Close()
}

// Serve answers at the listener, and at those beside it, until the context ends, who
// comes with the token.
func (s *Server) Serve(ctx context.Context, l net.Listener, token string, beside ...net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, s.follower.end) // else open pages would hold the end up
	return loopback.Serve(ctx, endingWith(ctx, s.Handler(l.Addr(), token)), append(beside, l)...)
}

// Address is the URL that lets a browser in, where the server answers at a
// listener's address.
func Address(at net.Addr, token string) string { return fmt.Sprintf("http://%s/?token=%s", at, token) }

// Handler is the whole of what stands before a page, from the outside in, for a
// server that listens at the address.
func (s *Server) Handler(at net.Addr, token string) http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.pattern, r.handler)
	}
	d := s.doorAt(at, token)
	return closed(loopback.FromHere(at, d.probed(d.sites(d.entered(d.inside(loopback.Whole(textOnly(s.page(nowhere), mux)))))), d.names...))
}

// safeSource is where SQL of others runs.
func (s *Server) safeSource(ctx context.Context) (*ask.Source, error) {
	s.safeOnce.Do(func() { s.safe, s.safeErr = ask.Open(context.WithoutCancel(ctx), s.Safe, s.Source.Queries) })
	return s.safe, s.safeErr
}

// words are what messages propose on a page.
var phrases = ask.Words{
	ask.SeeTables: "/tables", ask.SeeColumns: "/table/NAME", ask.SeeQueries: "/queries", ask.Refresh: "hindsql sync", ask.OtherStore: "--store",
}
