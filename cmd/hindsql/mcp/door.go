package mcp

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"
)

// hosts are the names under which a listener of this machine is asked, with its
// port.
func hosts(at net.Addr) []string {
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return nil
	}
	var list []string
	for _, name := range []string{"127.0.0.1", "localhost", "::1", host} {
		if list = append(list, net.JoinHostPort(name, port)); port == "80" {
			list = append(list, strings.TrimSuffix(net.JoinHostPort(name, port), ":80"))
		}
	}
	return list
}

// fromHere refuses requests that were meant for another host: a page of the web
// whose name was made to lead here. And those that a page sent, but for pages of
// this address.
func fromHere(at net.Addr, next http.Handler) http.Handler {
	names := hosts(at)
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

// withToken answers requests that bear the token (RFC 6750). How long it takes to
// refuse one doesn't tell how much of it was right.
func withToken(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.Header.Values("Authorization")
		challenge := `Bearer realm="hindsql"`
		if len(given) == 1 {
			scheme, text, _ := strings.Cut(given[0], " ")
			got := sha256.Sum256([]byte(strings.TrimSpace(text)))
			if strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
				next.ServeHTTP(w, r)
				return
			}
			challenge += `, error="invalid_token"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
		http.Error(w, "send the token as Authorization: Bearer TOKEN; where it is was said when the server was started", http.StatusUnauthorized)
	})
}
