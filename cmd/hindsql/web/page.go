package web

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries/html"
)

//go:embed templates/*.html
var templateFiles embed.FS

// view is what a page shows.
type view struct {
	Title    string
	Template string // what makes its main part of Data: a name in templates
	Nav      string // the path of the page's place in the navigation; empty for none
	Live     bool   // an open page follows the logs
	Data     any
	Status   int // zero for 200
	// Headless: the main part has a heading of its own, h1.
	Headless bool
}

// frame is around every page. It sends them.
type frame struct {
	version string
	source  *ask.Source                      // whose rows the pages show
	notice  func(format string, args ...any) // tells the person who started the server
}

// failed is the page of an error.
func (f *frame) failed(r *http.Request, err error) *view {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return &view{Title: "Cancelled", Template: "error", Data: "cancelled", Status: 499} // nobody reads it
	}
	status := statusOf(err)
	if status == http.StatusInternalServerError {
		f.notice("%s: %v", r.URL.Path, err)
	}
	return &view{Title: titles[status], Template: "error", Data: phrases.Explain(err), Status: status}
}

// titles are the headings of errors' pages, by status.
var titles = map[int]string{
	http.StatusNotFound: "Not here", http.StatusBadRequest: "That can’t be answered", http.StatusForbidden: "Not let in", http.StatusUnauthorized: "Not let in",
	http.StatusServiceUnavailable: "Too much at once", http.StatusInternalServerError: "Something went wrong",
}

// refuse is the page of who isn't let in: it shows nothing of what there is.
func (f *frame) refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	f.write(w, r, layout{view: &view{Title: titles[status], Template: "error", Data: text, Status: status}})
}

// layout is what a page with its frame is made of. Who sends one gives the view, and
// what hangs on the asker; the frame sets the rest.
type layout struct {
	*view
	Behind  string // why the rows may be old; empty where they aren't
	Inside  bool   // the asker was let in
	Main    template.HTML
	Places  []place
	Static  string // where style and scripts are
	Version string
	Synced  time.Time
}

// place is an entry of the navigation.
type place struct {
	URL, Name string
	Here      bool
}

// navigation is that of every page.
var navigation = []place{
	{URL: "/", Name: "Home"}, {URL: "/refusals", Name: "Refusals"}, {URL: "/sessions", Name: "Sessions"}, {URL: "/interruptions", Name: "Interruptions"},
	{URL: "/compactions", Name: "Compactions"}, {URL: "/clears", Name: "Clears"}, {URL: "/approvals", Name: "Approvals"}, {URL: "/queries", Name: "Queries"},
	{URL: "/tables", Name: "Tables"}, {URL: "/sql", Name: "SQL"},
}

// write renders a page whole before its first byte goes out, so that an error
// can't be half of one.
func (f *frame) write(w http.ResponseWriter, r *http.Request, l layout) {
	l.Static, l.Version, l.Synced = staticPath(), f.version, f.source.Store().SyncedAt()
	for _, p := range navigation {
		p.Here = p.URL == l.Nav
		l.Places = append(l.Places, p)
	}
	var main, all bytes.Buffer
	err := parsed().ExecuteTemplate(&main, l.Template, l.Data)
	if err == nil {
		l.Main = template.HTML(main.String()) //nolint:gosec // made by a template of ours
		err = parsed().ExecuteTemplate(&all, "layout", l)
	}
	if err != nil {
		f.notice("%s: %v", r.URL.Path, err)
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if l.Status != 0 {
		w.WriteHeader(l.Status)
	}
	// A name that turns the line around it is shown for what it is, wherever a template
	// put it: templates escape what means something in HTML, and such a character doesn't.
	_, _ = w.Write(html.Seen(all.Bytes(), "\r"))
}

// parsed are the templates, with the functions that need no server.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions()).Funcs(eventFunctions()).ParseFS(templateFiles, "templates/*.html"))
})

// functions are what templates call. Rooms of pages add theirs here.
func functions() template.FuncMap {
	return template.FuncMap{
		"clock":      clock,
		"iso":        func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"amount":     words.Int[int64],
		"session":    sessionURL,
		"refusal":    refusalURL,
		"visible":    printable.Text,
		"table":      func(r *result.Set) template.HTML { return html.Table(r, html.TableOptions{}) },
		"paragraphs": func(text string) []string { return strings.Split(text, "\n\n") },
		"less":       func(n int64) int64 { return n - 1 },
	}
}

// clock is a moment for people, to the minute; empty for none.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return words.Moment(t)
}
