package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"path"
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

// view is a page without its frame: the head, the navigation and the foot.
type view struct {
	Title    string
	Template string // name of the template that renders Data
	Nav      string // path of the page's place in the navigation; empty for none
	Live     bool   // an open page follows the logs
	Data     any
	Status   int // zero means 200
	// Headless says that the main part contains the page's h1.
	Headless bool
}

// frame renders every page with its navigation, and sends it.
type frame struct {
	version string
	source  *ask.Source                      // source of the pages' rows
	notice  func(format string, args ...any) // tells the person who started the server
}

// failed returns the page of an error.
func (f *frame) failed(r *http.Request, err error) *view {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return &view{Title: "Cancelled", Template: "error", Data: "cancelled", Status: 499} // the browser is gone
	}
	status := statusOf(err)
	if status == http.StatusInternalServerError {
		f.notice("%s: %v", r.URL.Path, err)
	}
	return &view{Title: titles[status], Template: "error", Data: phrases.Explain(err), Status: status}
}

// titles maps statuses to the headings of error pages.
var titles = map[int]string{
	http.StatusNotFound: "Not here", http.StatusBadRequest: "That can’t be answered", http.StatusForbidden: "Not let in", http.StatusUnauthorized: "Not let in",
	http.StatusServiceUnavailable: "Too much at once", http.StatusInternalServerError: "Something went wrong",
}

// refuse sends the page for a refused request. The page shows no data.
func (f *frame) refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	f.write(w, r, layout{view: &view{Title: titles[status], Template: "error", Data: text, Status: status}})
}

// layout is the data of a page with its frame. The sender sets view, and the fields
// that depend on the request. write sets the rest.
type layout struct {
	*view
	Behind  string // why the rows may be old; empty if they are current
	Inside  bool   // the request was let in
	Main    template.HTML
	Places  []place
	Static  string // URL of the folder with style and scripts
	Version string
	Synced  time.Time
}

// place is a link to a page, for example in the navigation. Here is true for the shown
// page.
type place struct {
	URL, Name string
	Here      bool
}

// navigation lists the entries of every page's navigation.
var navigation = []place{
	{URL: "/", Name: "Home"}, {URL: "/refusals", Name: "Refusals"}, {URL: "/sessions", Name: "Sessions"}, {URL: "/interruptions", Name: "Events"},
	{URL: "/queries", Name: "Queries"}, {URL: "/tables", Name: "Tables"}, {URL: "/sql", Name: "SQL"},
}

// eventPages lists the pages under the navigation's entry Events, whose path is the first's.
var eventPages = []place{
	{URL: "/interruptions", Name: "Interruptions"}, {URL: "/compactions", Name: "Compactions"}, {URL: "/clears", Name: "Clears"}, {URL: "/approvals", Name: "Approvals"},
}

// write renders the whole page before it sends the first byte, to keep errors out of
// half a page.
func (f *frame) write(w http.ResponseWriter, r *http.Request, l layout) {
	l.Static, l.Version, l.Synced = staticPath(), f.version, f.source.Store().SyncedAt()
	for _, p := range navigation {
		p.Here = p.URL == l.Nav
		l.Places = append(l.Places, p)
	}
	var main, all bytes.Buffer
	err := parsed().ExecuteTemplate(&main, l.Template, l.Data)
	if err == nil {
		l.Main = template.HTML(main.String()) //nolint:gosec // from hindsql's own template
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
	// A name can have characters that turn the line's direction. Templates escape only
	// HTML's own characters. So EscapeUnprintable makes direction characters visible,
	// wherever a template put the name.
	_, _ = w.Write(html.EscapeUnprintable(all.Bytes(), "\r"))
}

// parsed returns the templates, with the functions that need no server.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions()).Funcs(eventFunctions()).ParseFS(templateFiles, "templates/*.html"))
})

// functions returns the functions for all templates. Pages of events also have
// eventFunctions.
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

// clock returns a time for people, to the minute; empty for the zero time.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return words.Moment(t)
}

//go:embed static
var staticFiles embed.FS

// stylesheet is the name of the combined stylesheet: package html's and the pages' own.
const stylesheet = "style.css"

// styles returns the combined stylesheet.
var styles = sync.OnceValue(func() []byte {
	all := bytes.NewBufferString(html.Style())
	for _, name := range []string{"page.css", "sql.css", "events.css", "session.css"} {
		text, err := staticFiles.ReadFile("static/" + name)
		if err != nil {
			panic(err)
		}
		all.Write(text)
	}
	return all.Bytes()
})

// staticPath returns the folder of style and scripts, with a hash of their content.
// Browsers may keep the files, because a new build has a new hash.
var staticPath = sync.OnceValue(func() string {
	hash := sha256.New()
	_ = fs.WalkDir(staticFiles, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := staticFiles.ReadFile(name)
		hash.Write(text)
		return err
	})
	hash.Write(styles())
	return "/static/" + hex.EncodeToString(hash.Sum(nil)[:8])
})

// kinds maps the extensions of static files to media types.
var kinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// static sends style and scripts.
func static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	text, err := staticFiles.ReadFile("static/" + name)
	if name == stylesheet {
		text, err = styles(), nil
	}
	if err != nil || kinds[path.Ext(name)] == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kinds[path.Ext(name)])
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
