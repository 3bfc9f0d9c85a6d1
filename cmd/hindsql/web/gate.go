package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"html/template"
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

// withSecurityHeaders adds the headers that protect every answer against other sites. A
// Referer goes only to this server's pages. Without any Referer, browsers would send
// this server's forms with the Origin "null".
func withSecurityHeaders(next http.Handler) http.Handler {
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

// gate checks the requests to a server at a port. A browser needs the cookie, and gets
// the cookie by the token in the address that hindsql web wrote.
type gate struct {
	frame   *frame
	tickets *tickets
	pass    string   // value of the cookie
	cookie  string   // the cookie's name, with the port: all ports of a host share cookies
	token   string   // from the address that hindsql web wrote
	names   []string // NAME.localhost, or empty
	there   string   // NAME.localhost with the port; empty if the server has no name
}

func (s *Server) gateAt(at net.Addr, token string) *gate {
	_, port, _ := net.SplitHostPort(at.String())
	d := &gate{frame: s.frame, tickets: &s.tickets, pass: s.pass, cookie: "hindsql_" + port, token: token}
	if s.Name != "" {
		d.names = []string{s.Name + ".localhost"}
		d.there = strings.TrimSuffix(d.names[0]+":"+port, ":80")
	}
	return d
}

// requireCookie passes on requests with the cookie, and refuses all others. Style and
// scripts are public: they are part of the program, and the welcome page needs some
// before the browser has a cookie.
func (d *gate) requireCookie(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.hasCookie(r) && !strings.HasPrefix(r.URL.Path, "/static/") {
			d.frame.refuse(w, r, http.StatusUnauthorized, "Open the address that hindsql web wrote in the terminal: its token lets this browser in.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hasCookie reports whether a request has the cookie.
func (d *gate) hasCookie(r *http.Request) bool {
	return slices.ContainsFunc(r.CookiesNamed(d.cookie), func(c *http.Cookie) bool { return equalSecrets(c.Value, d.pass) })
}

// setCookie sets the cookie in the browser. No other site's page can send the cookie, and
// no script can read it.
func (d *gate) setCookie(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: d.cookie, Value: d.pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// equalSecrets reports whether a given secret is the wanted one. The time of the comparison
// doesn't reveal how much of a wrong secret was right.
func equalSecrets(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// requireValidText makes addresses and forms valid text, because DuckDB requires valid text.
// U+FFFD replaces invalid bytes in values. The handler elsewhere answers an invalid
// path, because no page has such a path.
func requireValidText(elsewhere, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if values, clean := validValues(r.URL.Query()); !clean {
			r = r.Clone(r.Context())
			r.URL.RawQuery = values.Encode()
		}
		if r.Method == http.MethodPost {
			if err := r.ParseForm(); err != nil {
				http.Error(w, "the form is none", http.StatusBadRequest)
				return
			}
			r.PostForm, _ = validValues(r.PostForm)
		}
		if !utf8.ValidString(r.URL.Path) || strings.ContainsRune(r.URL.Path, 0) {
			elsewhere.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// validValues returns the values with U+FFFD in place of invalid bytes. clean is false if a
// value or a name had invalid bytes.
func validValues(given url.Values) (values url.Values, clean bool) {
	values, clean = url.Values{}, true
	for name, list := range given {
		for _, value := range list {
			clean = clean && utf8.ValidString(name) && utf8.ValidString(value)
			values.Add(strings.ToValidUTF8(name, "\uFFFD"), strings.ToValidUTF8(value, "\uFFFD"))
		}
	}
	return values, clean
}

// Browsers send headers that say where a request comes from, and no page can set them
// (https://www.w3.org/TR/fetch-metadata/). A request from this server's pages may ask
// for everything. So may a request that the user makes directly: by the address bar, a
// bookmark or another program. A page of another address, even of another port of this
// machine, may only open one of this server's pages in the whole window, and then only
// hindsql's own SQL runs.
//
// curl and old browsers don't send these headers, so only the cookie identifies them.
// Their requests run the user's own SQL only if they come from a form of this server.
// The form carries a secret (the sign) that other pages don't know.

// isFromHere reports whether a page of this server, or the user directly, sent the
// request.
func isFromHere(r *http.Request) bool {
	site := r.Header.Values("Sec-Fetch-Site")
	return len(site) == 1 && (site[0] == "same-origin" || site[0] == "none")
}

// isWithoutSite reports whether a request lacks the header Sec-Fetch-Site, as from curl and
// old browsers.
func isWithoutSite(r *http.Request) bool { return len(r.Header.Values("Sec-Fetch-Site")) == 0 }

// isNavigation reports whether the browser opens the address in a whole window.
func isNavigation(r *http.Request) bool {
	is := func(name, want string) bool { return slices.Equal(r.Header.Values(name), []string{want}) }
	return r.Method == http.MethodGet && is("Sec-Fetch-Mode", "navigate") && is("Sec-Fetch-Dest", "document")
}

// checkSite refuses requests from pages of another address, except for opening one of this
// server's pages in a whole window.
func (d *gate) checkSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := strings.Join(r.Header.Values("Sec-Fetch-Site"), ", ")
		if isFromHere(r) || isWithoutSite(r) || (site == "same-site" || site == "cross-site") && isNavigation(r) {
			next.ServeHTTP(w, r)
			return
		}
		d.frame.refuse(w, r, http.StatusForbidden, "A page of another address asked for this: it may lead here by a link, and no more.")
	})
}

// fieldSign is the field with the sign, a secret in forms that run the user's own SQL
// or save it.
const fieldSign = "_sign"

// mostOfAddress is the maximum length in bytes of an address to which a sent form is
// redirected.
const mostOfAddress = 16 << 10

// requireSign accepts a form only if it carries this server's sign.
func (s *Server) requireSign(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given := r.PostForm[fieldSign]; len(given) != 1 || !equalSecrets(given[0], s.sign) {
			s.frame.refuse(w, r, http.StatusForbidden, "The form is none of a page of this server's. Open the page anew, and send it from there.")
			return
		}
		r.PostForm.Del(fieldSign)
		next.ServeHTTP(w, r)
	})
}

// requireOwnForm accepts a form of this server's pages: if the browser doesn't say
// where the form is from, the form needs the sign.
func (s *Server) requireOwnForm(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isFromHere(r) {
			next.ServeHTTP(w, r)
			return
		}
		s.requireSign(next).ServeHTTP(w, r)
	})
}

// requireSignedSQL does the same as requireSign, for a form that runs SQL. If the
// browser's headers also say that the form is on a page of this server, it redirects to
// an address with the form's values. The result then has a URL.
func (s *Server) requireSignedSQL(next http.Handler) http.Handler {
	return s.requireSign(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at := addressOf(r.URL.EscapedPath(), r.PostForm); isFromHere(r) && len(at) < mostOfAddress {
			http.Redirect(w, r, at, http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// mayRun reports whether the user's own SQL may run for this request. A request from
// this page may run SQL; so may a posted form, as requireSignedSQL has checked the form
// before.
func (q *request) mayRun() bool { return q.Method == http.MethodPost || isFromHere(q.Request) }

// formMethod is how a form with SQL is sent. With GET the result has a URL. If a GET
// request would not run the SQL, the form uses POST with the sign.
type formMethod struct{ Method, Sign string }

func (q *request) formMethod() formMethod {
	if isFromHere(q.Request) {
		return formMethod{Method: "get"}
	}
	return formMethod{Method: "post", Sign: q.server.sign}
}

// refusedRun is the data of the page for SQL that wasn't run because of the request's
// origin.
type refusedRun struct {
	Why    string
	Action string // target of the button that sends the values
	Fields []refusedField
	Sign   string
	Code   []template.HTML
}

// refusedField is a value of the request.
type refusedField struct {
	Name, Value string
	Shown       bool // false if the page shows the value elsewhere, or the value says how to show the result
}

// refuseRun returns the page with the user's own SQL, the request's values, and a button
// that runs the SQL. shown names the value that the code already shows.
func (q *request) refuseRun(title, nav, shown string, code ...template.HTML) *view {
	p := &refusedRun{
		Why: "A page of another address led here, so this was not run. Run it if it is what you want.", Action: q.path, Sign: q.server.sign, Code: code,
	}
	v := &view{Title: title, Template: "unrun", Nav: nav, Data: p}
	if isWithoutSite(q.Request) {
		p.Why = "This browser doesn’t say which page led here, so this was not run. Run it if it is what you want."
		v.Status = http.StatusForbidden
	}
	for name, values := range q.given {
		for _, value := range values {
			p.Fields = append(p.Fields, refusedField{name, value, name != shown && !strings.HasPrefix(name, "_") && value != ""})
		}
	}
	slices.SortStableFunc(p.Fields, func(a, b refusedField) int { return strings.Compare(a.Name, b.Name) })
	return v
}
