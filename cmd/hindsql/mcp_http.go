package main

import (
	"context"
	"errors"
	"net"
	"path/filepath"

	"hindsql/cmd/hindsql/loopback"
	"hindsql/cmd/hindsql/mcp"
)

// tokenVariable names the environment variable with a token that the user chose.
// Without it, the server makes a token.
const tokenVariable = "HINDSQL_TOKEN"

// listenHTTP opens the address of --http.
func listenHTTP(address string) (net.Listener, error) {
	l, err := loopback.Listen(address)
	if errors.As(err, new(*loopback.NotOurs)) {
		return nil, usagef("--http %v", err)
	}
	return l, err
}

// serveHTTP answers at the listener until an interrupt. It tells the user on stderr the
// address, and where the token is, because another program may read standard output.
func serveHTTP(ctx context.Context, w *world, s *mcp.Server, l net.Listener) error {
	token, err := serverToken(w, l.Addr())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	from := "$" + tokenVariable
	if token.Path != "" {
		from = w.short(token.Path)
		defer token.Forget()
	}
	w.notice("http://%s%s answers who sends the token of %s (Authorization: Bearer TOKEN); Ctrl-C ends it", l.Addr(), mcp.Path, from)
	return s.ServeHTTP(ctx, l, token.Text)
}

// serverToken returns the token of the environment, or a new token.
func serverToken(w *world, at net.Addr) (loopback.Token, error) {
	if text := w.getenv(tokenVariable); text != "" {
		if err := loopback.CheckToken(text); err != nil {
			return loopback.Token{}, usagef("$%s: %v; without the variable one is made", tokenVariable, err)
		}
		return loopback.Token{Text: text}, nil
	}
	folder := runtimeFolder(w)
	if folder == "" {
		return loopback.Token{}, usagef("mcp: no home folder is known to keep a token in; give one in $%s", tokenVariable)
	}
	return loopback.NewToken(folder, at)
}

// runtimeFolder returns the folder for files that exist only while a process runs:
// $XDG_RUNTIME_DIR, which is private to the user and emptied at shutdown, otherwise
// hindsql's state folder; empty if no home folder is known.
func runtimeFolder(w *world) string {
	if folder := w.getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(folder) {
		return filepath.Join(folder, "hindsql")
	}
	return w.stateFolder()
}
