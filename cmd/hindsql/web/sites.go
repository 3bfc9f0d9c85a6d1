package web

import (
	"html/template"
	"net/http"
	"slices"
	"strings"
)

// Where requests come from is what browsers say in headers that no page can set
// (https://www.w3.org/TR/fetch-metadata/). A page of ours may ask for everything, and
// so may the user's own hand: the address bar, a bookmark, another program. A page of
// another address, which a port of this machine is, too, may have the whole window go
// to a page of ours, and that runs no SQL but ours. Who says nothing, as curl and old
// browsers do, is told by the cookie; SQL of the user's own then runs by a form of
// ours alone, which carries what no page elsewhere knows.

// isFromHere says that a page of ours, or the user's own hand, asks.
func isFromHere(r *http.Request) bool {
	site := r.Header.Values("Sec-Fetch-Site")
	return len(site) == 1 && (site[0] == "same-origin" || site[0] == "none")
}

// isUnsaid tells a request without the header: curl sends none, and old browsers.
func isUnsaid(r *http.Request) bool { return len(r.Header.Values("Sec-Fetch-Site")) == 0 }

// isNavigation says that a window goes to the address.
func isNavigation(r *http.Request) bool {
	is := func(name, want string) bool { return slices.Equal(r.Header.Values(name), []string{want}) }
	return r.Method == http.MethodGet && is("Sec-Fetch-Mode", "navigate") && is("Sec-Fetch-Dest", "document")
}

// sites refuses what a page of another address asks for, but for a window that goes
// to a page of ours.
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

// fieldSign is the field of forms that run SQL of the user's own.
const fieldSign = "_sign"

// mostOfAddress is how long an address may get that a form was sent for.
const mostOfAddress = 16 << 10

// signed answers forms of ours alone. A browser that names the form's page as ours is
// sent on to the result's own address.
func (s *Server) signed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given := r.PostForm[fieldSign]; len(given) != 1 || !same(given[0], s.sign) {
			s.frame.refuse(w, r, http.StatusForbidden, "The form is none of a page of this server's. Open the page anew, and run it from there.")
			return
		}
		r.PostForm.Del(fieldSign)
		if at := addressOf(r.URL.EscapedPath(), r.PostForm); isFromHere(r) && len(at) < mostOfAddress {
			http.Redirect(w, r, at, http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// mayRun says that SQL of the user's own runs for this request: a form came, which
// was looked at before, or it is from here.
func (q *request) mayRun() bool { return q.Method == http.MethodPost || isFromHere(q.Request) }

// sending is how a form with SQL is sent: by GET, which gives the result an address, or
// by POST with the sign, if a GET would not run it.
type sending struct{ Method, Sign string }

func (q *request) sending() sending {
	if isFromHere(q.Request) {
		return sending{Method: "get"}
	}
	return sending{Method: "post", Sign: q.server.sign}
}

// unrun is the page of SQL that isn't run for who asks now.
type unrun struct {
	Why    string
	Action string // where its button sends what was given
	Fields []unrunField
	Sign   string
	Code   []template.HTML
}

// unrunField is something that was given.
type unrunField struct {
	Name, Value string
	Shown       bool // else the page shows it elsewhere, or it is how the result is looked at
}

// unrun is the page that shows SQL of the user's own, with what was given, and a
// button that runs it. Not all of it is shown again: shown is what stands in the code.
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
