package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"

	"hindsql/cmd/hindsql/loopback"
	"hindsql/cmd/hindsql/mcp"
	"hindsql/readers/files"
)

// tokenVariable has the token of who doesn't want one made.
const tokenVariable = "HINDSQL_TOKEN"

// fewestCharacters is how long such a token is at least.
const fewestCharacters = 16

// listen opens the address of --http.
func listenHTTP(address string) (net.Listener, error) {
	l, err := loopback.Listen(address)
	var wrong *loopback.NotOurs
	if errors.As(err, &wrong) {
		return nil, usagef("--http %v", err)
	}
	return l, err
}

// serveHTTP answers at the listener until an interrupt. Where, and with which token,
// goes to stderr: standard output may be anybody's.
func serveHTTP(ctx context.Context, w *world, s *mcp.Server, l net.Listener) error {
	token, path, err := serverToken(w, l.Addr())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	from := "$" + tokenVariable
	if path != "" {
		from = w.short(path)
		defer forgetToken(path, token)
	}
	w.notice("http://%s%s answers who sends the token of %s (Authorization: Bearer TOKEN); Ctrl-C ends it", l.Addr(), mcp.Path, from)
	return s.ServeHTTP(ctx, l, token)
}

// token is that of the environment; else one that is made now, and the file that
// holds it.
func serverToken(w *world, at net.Addr) (token, path string, err error) {
	if token = w.getenv(tokenVariable); token != "" {
		if len(token) < fewestCharacters || strings.ContainsFunc(token, notOfToken) {
			return "", "", usagef("$%s: %d or more letters, digits and -._~+/=; without the variable one is made", tokenVariable, fewestCharacters)
		}
		return token, "", nil
	}
	folder := runtimeFolder(w)
	if folder == "" {
		return "", "", usagef("mcp: no home folder is known to keep a token in; give one in $%s", tokenVariable)
	}
	bytes := make([]byte, 32)
	_, _ = rand.Read(bytes) // never fails
	token = hex.EncodeToString(bytes)
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return "", "", err
	}
	path = filepath.Join(folder, "mcp-"+port+".token")
	return token, path, errors.Join(os.MkdirAll(folder, 0o700), files.Write(path, []byte(token+"\n")))
}

// notOfToken tells what no token has (RFC 6750, section 2.1).
func notOfToken(r rune) bool {
	return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=", r)
}

// forgetToken removes the file, unless another server has written its own.
func forgetToken(path, token string) {
	if text, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(text)) == token {
		_ = os.Remove(path)
	}
}

// runtimeFolder is for what lives as long as a process: $XDG_RUNTIME_DIR, which is
// the user's own and gone with the machine's power, else hindsql's state folder.
// Empty when no home is known.
func runtimeFolder(w *world) string {
	if folder := w.getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(folder) {
		return filepath.Join(folder, "hindsql")
	}
	if history := historyPath(w); history != "" {
		return filepath.Dir(history)
	}
	return ""
}
