// Package loopback serves HTTP to this machine only, for the web pages and the MCP
// server. It decides what happens before their own handlers: at which addresses the
// server listens, from which hosts and pages requests may come, how long a request may
// take to arrive, and how a server ends.
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

// The bounds of a request. They don't limit how long an answer takes, because a first
// load of logs may be long. Only the bounds of the statement do.
const (
	mostBody    = 1 << 20          // bytes; for SQL and its parameters
	mostHeaders = 64 << 10         // bytes
	mostPatient = 10 * time.Second // for the headers, and for the body, to arrive
	mostIdle    = 2 * time.Minute  // between two requests
	lastWords   = time.Second      // for answers in progress when the server ends
)

// Listen opens a port at an address of this machine only. For any other address it
// returns a [*NotOurs] error: over plain HTTP, others could read the prompts and the
// token on the way.
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

// Beside opens the port of a listener at 127.0.0.1 also at ::1. Browsers try ::1 first
// for names of this machine. Without Beside, another user could open the port at ::1
// and get the requests. On a machine without ::1, Beside returns no listener. If the
// port at ::1 is taken, it returns an error.
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

// NotOurs is the error for an address that Listen refuses.
type NotOurs struct{ Address, why string }

// Error returns the address and the reason.
func (n *NotOurs) Error() string { return n.Address + ": " + n.why }

// Serve answers at the listeners until the context ends. Then it accepts no more
// requests, and gives running answers a moment to finish. It cancels those that don't.
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

// Whole reads the whole body of a request within a time limit, before next handles the
// request. A time limit on the whole request would also end long answers.
func Whole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deadline := http.NewResponseController(w)
		_ = deadline.SetReadDeadline(time.Now().Add(mostPatient)) // only a test's recorder refuses
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
