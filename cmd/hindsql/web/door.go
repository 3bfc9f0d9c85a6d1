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

// policy lets a page load only this server's files. It forbids scripts, styles and
// images from other places and inside the page, and frames around the page.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// closed adds the headers that protect every answer against other sites. A Referer goes
// only to this server's pages. Without any Referer, browsers would send this server's
// forms with the Origin "null".
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

// door checks the requests to a server at a port. A browser needs the cookie, and gets
// the cookie by the token in the address that hindsql web wrote.
type door struct {
	frame   *frame
	tickets *tickets
	pass    string   // value of the cookie
	cookie  string   // the cookie's name, with the port: all ports of a host share cookies
	token   string   // from the address that hindsql web wrote
	names   []string // NAME.localhost, or empty
	there   string   // NAME.localhost with the port; empty if the server has no name
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

// inside passes on requests with the cookie, and refuses all others. Style and scripts
// are public: they are part of the program, and the welcome page needs some before the
// browser has a cookie.
func (d *door) inside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.known(r) && !strings.HasPrefix(r.URL.Path, "/static/") {
			d.frame.refuse(w, r, http.StatusUnauthorized, "Open the address that hindsql web wrote in the terminal: its token lets this browser in.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// known reports whether a request has the cookie.
func (d *door) known(r *http.Request) bool {
	return slices.ContainsFunc(r.CookiesNamed(d.cookie), func(c *http.Cookie) bool { return same(c.Value, d.pass) })
}

// letIn sets the cookie in the browser. No other site's page can send the cookie, and
// no script can read it.
func (d *door) letIn(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: d.cookie, Value: d.pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// same reports whether a given secret is the wanted one. The time of the comparison
// doesn't reveal how much of a wrong secret was right.
func same(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// textOnly makes addresses and forms valid text, because DuckDB requires valid text.
// U+FFFD replaces invalid bytes in values. The handler elsewhere answers an invalid
// path, because no page has such a path.
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

// cleaned returns the values with U+FFFD in place of invalid bytes. clean is false if a
// value or a name had invalid bytes.
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
