package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
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

// cookieName has the port: cookies of a host are those of all its ports.
func cookieName(at net.Addr) string {
	_, port, _ := net.SplitHostPort(at.String())
	return "hindsql_" + port
}

// door lets in who has the cookie, and gives it to who comes with the token. The
// token leaves the URL at once, so that no history, bookmark or shared address
// has it. Where a page of another site led here, or a file, browsers would not
// send the cookie along with a redirect: a page of ours leads on.
func (s *Server) door(at net.Addr, token string, next http.Handler) http.Handler {
	name := cookieName(at)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given := r.URL.Query()["token"]; given != nil && r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			if len(given) != 1 || !same(given[0], token) {
				s.refuse(w, r, http.StatusForbidden, "That token is not this server's: each start makes a new one. Open the address that the newest hindsql web wrote.")
				return
			}
			http.SetCookie(w, &http.Cookie{Name: name, Value: s.pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
			if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
				s.write(w, &request{Request: r, server: s}, &view{Title: "Welcome", Template: "enter"})
				return
			}
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		for _, c := range r.CookiesNamed(name) {
			if same(c.Value, s.pass) {
				next.ServeHTTP(w, r)
				return
			}
		}
		s.refuse(w, r, http.StatusUnauthorized, "Open the address that hindsql web wrote in the terminal: its token lets this browser in.")
	})
}

// same tells whether a secret was given, in a time that doesn't say how much of it
// was right.
func same(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// texts answers requests whose addresses are text: DuckDB takes no other. No page
// is at any other path, and U+FFFD replaces bytes that are no text behind the path.
func (s *Server) texts(next http.Handler) http.Handler {
	elsewhere := s.page(nowhere)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		values, clean := url.Values{}, true
		for name, list := range r.URL.Query() {
			for _, value := range list {
				clean = clean && utf8.ValidString(name) && utf8.ValidString(value)
				values.Add(strings.ToValidUTF8(name, "\uFFFD"), strings.ToValidUTF8(value, "\uFFFD"))
			}
		}
		if !clean {
			r = r.Clone(r.Context())
			r.URL.RawQuery = values.Encode()
		}
		if !utf8.ValidString(r.URL.Path) || strings.ContainsRune(r.URL.Path, 0) {
			elsewhere.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
