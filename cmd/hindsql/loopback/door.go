package loopback

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

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

// FromHere refuses requests whose Host isn't this machine. Web pages send these after
// DNS rebinding. It also refuses requests that a page of another address sent. more are
// further names of this machine.
func FromHere(at net.Addr, next http.Handler, more ...string) http.Handler {
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
