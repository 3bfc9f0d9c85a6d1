// Package loopback serves HTTP to this machine only: the faces that have a port
// share it. What stands before a face's own handlers is decided here: which
// addresses are listened at, which hosts and pages may ask, how long a request may
// take to come, and how a server ends.
package loopback

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// The bounds of a request. Nothing bounds how long an answer takes but what bounds
// its statement: a first load may take a while.
const (
	mostBody    = 1 << 20          // bytes; SQL and its parameters
	mostHeaders = 64 << 10         // bytes
	mostPatient = 10 * time.Second // for the headers, and for the body, to come
	mostIdle    = 2 * time.Minute  // between two requests
	lastWords   = time.Second      // for answers that are being made when the server ends
)

// Listen opens a port of this machine's own. Another address is an error, a
// [*NotOurs]: over plain HTTP, prompts and the token would be read on the way.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &NotOurs{address, "write it as 127.0.0.1:8321; port 0 takes a free one"}
	}
	if ip := net.ParseIP(host); host != "localhost" && !ip.IsLoopback() {
		return nil, &NotOurs{address, "only this machine is answered, at 127.0.0.1: over plain HTTP, prompts and the token would be read on the way; from elsewhere, forward the port with ssh -L"}
	}
	return net.Listen("tcp", address)
}

// Beside opens the same port at ::1, for a listener at 127.0.0.1. Browsers look at ::1
// first for a name of this machine: another user's server there would get what is
// meant for the listener. A machine without ::1 needs none. A port that is taken is an
// error.
func Beside(l net.Listener) ([]net.Listener, error) {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, err
	}
	beside, err := net.Listen("tcp6", net.JoinHostPort("::1", port))
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []net.Listener{beside}, nil
}

// NotOurs is the error of an address that is none to answer at.
type NotOurs struct{ Address, why string }

// Error says why.
func (n *NotOurs) Error() string { return n.Address + ": " + n.why }

// Serve answers at the listeners until the context ends. Then it takes no more
// requests, gives what is being answered a moment, and ends the contexts of the
// rest.
func Serve(ctx context.Context, h http.Handler, listeners ...net.Listener) error {
	open, shut := context.WithCancel(context.WithoutCancel(ctx))
	defer shut()
	server := &http.Server{
		Handler: h, BaseContext: func(net.Listener) context.Context { return open },
		ReadHeaderTimeout: mostPatient, IdleTimeout: mostIdle, MaxHeaderBytes: mostHeaders,
	}
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { failed <- server.Serve(l) }()
	}
	select {
	case err := <-failed:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(open, lastWords)
	defer cancel()
	if err := server.Shutdown(end); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	shut() // ends the statements
	return server.Close()
}

// Whole reads a request's body before anything looks at it, in bounded time: a
// bound of the whole request's time would end long answers.
func Whole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deadline := http.NewResponseController(w)
		_ = deadline.SetReadDeadline(time.Now().Add(mostPatient)) // what can't is a recorder of a test
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			http.Error(w, "the request is longer than 1 MB", http.StatusRequestEntityTooLarge)
			return
		case err != nil:
			http.Error(w, "the request did not come whole", http.StatusBadRequest)
			return
		}
		_ = deadline.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
