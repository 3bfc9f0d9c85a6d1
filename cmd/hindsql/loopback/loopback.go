// Package loopback serves HTTP to this machine only, for the web pages and the MCP
// server. It decides what happens before their own handlers: at which addresses the
// server listens, from which hosts and pages requests may come, how long a request may
// take to arrive, and how a server ends.
package loopback

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"hindsql/internal/atomicfile"
	"hindsql/internal/pattern"
	"hindsql/internal/regular"
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

// ListenIPv6 opens the port of a listener at 127.0.0.1 also at ::1. Browsers try ::1 first
// for names of this machine. Without ListenIPv6, another user could open the port at ::1
// and get the requests. On a machine without ::1, ListenIPv6 returns no listener. If the
// port at ::1 is taken, it returns an error.
func ListenIPv6(l net.Listener) ([]net.Listener, error) {
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

// ReadBody reads the whole body of a request within a time limit, before next handles the
// request. A time limit on the whole request would also end long answers.
func ReadBody(next http.Handler) http.Handler {
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

// hosts returns the values of the Host header that mean this server: the usual names of
// this machine and more, each with the listener's port.
func hosts(at net.Addr, more []string) []string {
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return nil
	}
	var list []string
	for _, name := range append([]string{"127.0.0.1", "localhost", "::1", host}, more...) {
		if list = append(list, net.JoinHostPort(name, port)); port == "80" {
			list = append(list, strings.TrimSuffix(net.JoinHostPort(name, port), ":80"))
		}
	}
	return list
}

// LocalOnly refuses requests whose Host isn't this machine. Web pages send these after
// DNS rebinding. It also refuses requests that a page of another address sent. more are
// further names of this machine.
func LocalOnly(at net.Addr, next http.Handler, more ...string) http.Handler {
	names, next := hosts(at, more), http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(names, strings.ToLower(r.Host)) {
			http.Error(w, "the Host is not "+names[0], http.StatusForbidden)
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			name, ok := strings.CutPrefix(strings.ToLower(origin), "http://")
			if !ok || !slices.Contains(names, name) {
				http.Error(w, "pages of other addresses are not answered", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// Recovering keeps the server alive if a handler panics: the request gets an error, with
// the words that panicked returns. An answer that has begun breaks off. If panicked is
// nil, Recovering does nothing.
func Recovering(panicked func(value any) string, next http.Handler) http.Handler {
	if panicked == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &begun{ResponseWriter: w}
		defer func() {
			value := recover()
			if value == nil {
				return
			}
			if value == http.ErrAbortHandler { //nolint:errorlint // the server compares so, too
				panic(value)
			}
			text := panicked(value)
			if answer.is {
				panic(http.ErrAbortHandler)
			}
			http.Error(w, text, http.StatusInternalServerError)
		}()
		next.ServeHTTP(answer, r)
	})
}

// begun notes whether an answer has begun.
type begun struct {
	http.ResponseWriter
	is bool
}

// WriteHeader begins the answer.
func (b *begun) WriteHeader(status int) {
	b.is = true
	b.ResponseWriter.WriteHeader(status)
}

// Write begins the answer, if it hasn't begun.
func (b *begun) Write(text []byte) (int, error) {
	b.is = true
	return b.ResponseWriter.Write(text)
}

// Flush begins the answer, for handlers that ask for an [http.Flusher].
func (b *begun) Flush() {
	b.is = true
	_ = http.NewResponseController(b.ResponseWriter).Flush()
}

// Unwrap is for [http.ResponseController].
func (b *begun) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// fewestCharacters is the least length of a token that the user chose.
const fewestCharacters = 16

// Token is the secret that a client has to send.
type Token struct {
	Text string
	Path string // of the file that holds Text; empty if the user chose the token
}

// CheckToken returns an error if a text isn't a valid token (RFC 6750, section 2.1), or
// is short enough to guess.
func CheckToken(text string) error {
	const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="
	if len(text) < fewestCharacters || strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(characters, r) }) {
		return fmt.Errorf("%d or more letters, digits and -._~+/=", fewestCharacters)
	}
	return nil
}

// NewToken makes a token for the clients of an address, and writes it to a file in
// folder.
func NewToken(folder string, at net.Addr) (Token, error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return Token{}, err
	}
	t := Token{hex.EncodeToString(random), filepath.Join(folder, "mcp-"+port+".token")}
	return t, errors.Join(os.MkdirAll(folder, 0o700), atomicfile.Write(t.Path, []byte(t.Text+"\n")))
}

// Remove removes the token's file, unless the file holds another server's token.
func (t Token) Remove() {
	if text, err := regular.Read(t.Path, regular.Own); err == nil && strings.TrimSpace(string(text)) == t.Text {
		_ = os.Remove(t.Path)
	}
}

// nameForm matches a name made by rand.Text, in small letters.
var nameForm = pattern.Lazy(`^[a-z2-7]{26,60}$`)

// Name returns the user's own NAME for the address NAME.localhost, which other users
// don't know. The first call makes the name and stores it in folder. Later calls return
// the same name, to keep bookmarks working.
func Name(folder string) (string, error) {
	path := filepath.Join(folder, "web-name")
	made := strings.ToLower(rand.Text())
	err := errors.Join(os.MkdirAll(folder, 0o700), atomicfile.WriteNew(path, []byte(made+"\n")))
	if err == nil {
		return made, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	text, err := regular.Read(path, regular.Own)
	if err = errors.Join(err, atomicfile.MakePrivate(path)); err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(text))
	if !nameForm.MatchString(name) {
		return "", fmt.Errorf("%s: holds no name; remove it, and one is made", path)
	}
	return name, nil
}
