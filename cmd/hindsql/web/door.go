package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// policy lets a page load what this server has, and nothing else: no script, style
// or image from elsewhere, none in the page itself, and no frame around it.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// closed gives every answer the headers that keep it to itself. A Referer goes to
// pages of ours only; without any, browsers would send forms of ours with the
// Origin "null".
func closed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			w.Header().Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}

// door is the way in of a server that listens at a port.
type door struct {
	frame   *frame
	tickets *tickets
	pass    string   // what the cookie holds
	cookie  string   // the cookie's name, with the port: all ports of a host share cookies
	token   string   // of the address that was written
	names   []string // NAME.localhost, or none
	there   string   // NAME.localhost with the port; empty for none
}

func (s *Server) doorAt(at net.Addr, token string) *door {
	_, port, _ := net.SplitHostPort(at.String())
	d := &door{frame: s.frame, tickets: &s.tickets, pass: s.pass, cookie: "hindsql_" + port, token: token}
	if s.Name != "" {
		d.names = []string{s.Name + ".localhost"}
		d.there = strings.TrimSuffix(d.names[0]+":"+port, ":80")
	}
	return d
}

// inside lets in who has the cookie. Style and scripts are anybody's: they stand in
// the program, and the welcome has some before there is a cookie.
func (d *door) inside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.known(r) && !strings.HasPrefix(r.URL.Path, "/static/") {
			d.frame.refuse(w, r, http.StatusUnauthorized, "Open the address that hindsql web wrote in the terminal: its token lets this browser in.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// known tells who has the cookie.
func (d *door) known(r *http.Request) bool {
	return slices.ContainsFunc(r.CookiesNamed(d.cookie), func(c *http.Cookie) bool { return same(c.Value, d.pass) })
}

// letIn gives the cookie, which no other site's page can send, and no script read.
func (d *door) letIn(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: d.cookie, Value: d.pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// same tells whether a secret was given, in a time that doesn't say how much of it
// was right.
func same(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// textOnly answers requests whose addresses and forms are text: DuckDB takes no other.
// No page is at any other path, and U+FFFD replaces bytes that are no text behind the
// path: elsewhere answers there.
func textOnly(elsewhere, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if values, clean := cleaned(r.URL.Query()); !clean {
			r = r.Clone(r.Context())
			r.URL.RawQuery = values.Encode()
		}
		if r.Method == http.MethodPost {
			if err := r.ParseForm(); err != nil {
				http.Error(w, "the form is none", http.StatusBadRequest)
				return
			}
			r.PostForm, _ = cleaned(r.PostForm)
		}
		if !utf8.ValidString(r.URL.Path) || strings.ContainsRune(r.URL.Path, 0) {
			elsewhere.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// cleaned are values with U+FFFD for what is no text. Clean says that there was no
// such thing.
func cleaned(given url.Values) (values url.Values, clean bool) {
	values, clean = url.Values{}, true
	for name, list := range given {
		for _, value := range list {
			clean = clean && utf8.ValidString(name) && utf8.ValidString(value)
			values.Add(strings.ToValidUTF8(name, "\uFFFD"), strings.ToValidUTF8(value, "\uFFFD"))
		}
	}
	return values, clean
}
