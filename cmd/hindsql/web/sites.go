package web

import (
	"html/template"
	"net/http"
	"slices"
	"strings"
)

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

// isUnsaid reports whether a request lacks the header Sec-Fetch-Site, as from curl and
// old browsers.
func isUnsaid(r *http.Request) bool { return len(r.Header.Values("Sec-Fetch-Site")) == 0 }

// isNavigation reports whether the browser opens the address in a whole window.
func isNavigation(r *http.Request) bool {
	is := func(name, want string) bool { return slices.Equal(r.Header.Values(name), []string{want}) }
	return r.Method == http.MethodGet && is("Sec-Fetch-Mode", "navigate") && is("Sec-Fetch-Dest", "document")
}

// sites refuses requests from pages of another address, except for opening one of this
// server's pages in a whole window.
func (d *door) sites(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := strings.Join(r.Header.Values("Sec-Fetch-Site"), ", ")
		if isFromHere(r) || isUnsaid(r) || (site == "same-site" || site == "cross-site") && isNavigation(r) {
			next.ServeHTTP(w, r)
			return
		}
		d.frame.refuse(w, r, http.StatusForbidden, "A page of another address asked for this: it may lead here by a link, and no more.")
	})
}

// fieldSign is the field with the sign, a secret in forms that run the user's own SQL or save it.
const fieldSign = "_sign"

// mostOfAddress is the maximum length in bytes of an address to which a sent form is
// redirected.
const mostOfAddress = 16 << 10

// sealed accepts a form only if it carries this server's sign.
func (s *Server) sealed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given := r.PostForm[fieldSign]; len(given) != 1 || !same(given[0], s.sign) {
			s.frame.refuse(w, r, http.StatusForbidden, "The form is none of a page of this server's. Open the page anew, and send it from there.")
			return
		}
		r.PostForm.Del(fieldSign)
		next.ServeHTTP(w, r)
	})
}

// sent accepts a form of this server's pages: if the browser doesn't say where the form
// is from, the form needs the sign.
func (s *Server) sent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isFromHere(r) {
			next.ServeHTTP(w, r)
			return
		}
		s.sealed(next).ServeHTTP(w, r)
	})
}

// signed does the same as sealed, for a form that runs SQL. If the browser's headers also say that
// the form is on a page of this server, signed redirects to an address with the form's
// values. The result then has a URL.
func (s *Server) signed(next http.Handler) http.Handler {
	return s.sealed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at := addressOf(r.URL.EscapedPath(), r.PostForm); isFromHere(r) && len(at) < mostOfAddress {
			http.Redirect(w, r, at, http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// mayRun reports whether the user's own SQL may run for this request. A request from
// this page may run SQL; so may a posted form, as function signed has checked the form
// before.
func (q *request) mayRun() bool { return q.Method == http.MethodPost || isFromHere(q.Request) }

// sending is how a form with SQL is sent. With GET the result has a URL. If a GET
// request would not run the SQL, the form uses POST with the sign.
type sending struct{ Method, Sign string }

func (q *request) sending() sending {
	if isFromHere(q.Request) {
		return sending{Method: "get"}
	}
	return sending{Method: "post", Sign: q.server.sign}
}

// unrun is the data of the page for SQL that wasn't run because of the request's
// origin.
type unrun struct {
	Why    string
	Action string // target of the button that sends the values
	Fields []unrunField
	Sign   string
	Code   []template.HTML
}

// unrunField is a value of the request.
type unrunField struct {
	Name, Value string
	Shown       bool // false if the page shows the value elsewhere, or the value says how to show the result
}

// unrun returns the page with the user's own SQL, the request's values, and a button
// that runs the SQL. shown names the value that the code already shows.
func (q *request) unrun(title, nav, shown string, code ...template.HTML) *view {
	p := &unrun{
		Why: "A page of another address led here, so this was not run. Run it if it is what you want.", Action: q.path, Sign: q.server.sign, Code: code,
	}
	v := &view{Title: title, Template: "unrun", Nav: nav, Data: p}
	if isUnsaid(q.Request) {
		p.Why = "This browser doesn’t say which page led here, so this was not run. Run it if it is what you want."
		v.Status = http.StatusForbidden
	}
	for name, values := range q.given {
		for _, value := range values {
			p.Fields = append(p.Fields, unrunField{name, value, name != shown && !strings.HasPrefix(name, "_") && value != ""})
		}
	}
	slices.SortStableFunc(p.Fields, func(a, b unrunField) int { return strings.Compare(a.Name, b.Name) })
	return v
}
