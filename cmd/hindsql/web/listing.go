package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/queries"
	"hindsql/queries/conversation"
)

// perPage is the number of events on a page.
const perPage = 25

// listing is the data of a page that lists events, such as refusals.
type listing struct {
	*filters
	Pager
	Kinds  []place // links to the pages of other events; nil if the navigation has the page itself
	Events any
	Nouns  string // plural name of the events
	Rows   string // URL of the saved query with the same rows; empty if no query has the rows
	Hint   string // explains the events
}

// Pager holds the shown part of a list, and links to other parts.
type Pager struct {
	First, To, Count int64 // 1-based; a First of 0 means an empty part
	Prev, Next, Last string
	Missing          bool // the list has no such page
}

func (a *requestValues) pager(page, each int, count int64) Pager {
	p := Pager{Count: count, First: int64(page-1)*int64(each) + 1}
	p.To = min(p.First+int64(each)-1, count)
	at := func(n int64) string { return a.with("page", fmt.Sprint(n)) }
	last := max(1, (count+int64(each)-1)/int64(each))
	if p.First > count {
		p.Missing, p.First, p.To = page > 1, 0, 0
		if p.Missing {
			p.Last = at(last)
		}
		return p
	}
	if page > 1 {
		p.Prev = at(int64(page) - 1)
	}
	if int64(page) < last {
		p.Next = at(int64(page) + 1)
	}
	return p
}

// reading is a function that reads events of one kind, such as refusals: at most limit
// events, after the first from. It also returns the number of all events that match the
// page's filters.
type reading[T any] func(ctx context.Context, from, limit int64) ([]T, int64, error)

// inQuery returns a reading of the events in a built-in query. read reads the rows.
func inQuery[T any](q *request, f *filters, name string, read func(e *events, ctx context.Context, given map[string]any, from, limit int64) ([]T, error)) reading[T] {
	return func(ctx context.Context, from, limit int64) ([]T, int64, error) {
		given, e := f.values(), q.events()
		count, err := e.count(ctx, name, given)
		if err != nil || count <= from {
			return nil, count, err
		}
		list, err := read(e, ctx, given, from, limit)
		return list, count, err
	}
}

// inEngine returns a reading for a list without a saved query. read is a function of
// package conversation.
func inEngine[T any](q *request, f *filters, read func(context.Context, conversation.Run, conversation.Filter) ([]T, int64, error)) reading[T] {
	return func(ctx context.Context, from, most int64) ([]T, int64, error) {
		filter := f.filter()
		filter.Offset, filter.Top = int(from), int(most)
		return read(ctx, q.run, filter)
	}
}

// listed returns a page that lists events of one kind, such as refusals. name is both
// the template's name and the page's path.
func listed[T any](q *request, title, name string, f *filters, l listing, read reading[T]) (*view, error) {
	l.filters = f
	v := &view{Title: title, Template: name, Nav: "/" + name, Live: true}
	if slices.ContainsFunc(eventPages, func(p place) bool { return p.URL == v.Nav }) {
		for _, p := range eventPages {
			p.Here = p.URL == v.Nav
			l.Kinds = append(l.Kinds, p)
		}
		v.Nav = eventPages[0].URL
	}
	if f.IsWrong() {
		v.Data, v.Status = l, http.StatusBadRequest
		return v, nil
	}
	list, count, err := read(q.Context(), int64(f.Page-1)*perPage, perPage)
	if err != nil {
		return nil, err
	}
	l.Events, l.Pager = list, q.pager(f.Page, perPage, count)
	if v.Data = l; l.Missing {
		v.Status = http.StatusNotFound
	}
	return v, nil
}

// builtIn returns the parameters of a built-in query.
func (q *request) builtIn(name string) []queries.Param {
	query, _ := queries.Find("", name, q.server.Agents...)
	return query.Params
}

// byYou lists the first options of the fields "Refused by" and "Stopped by": the user,
// or any person or mechanism.
var byYou = []option{{Value: "user", Text: "you"}, {Value: "all", Text: "anybody"}}

// listRefusals returns the page that lists refused calls.
func listRefusals(q *request) (*view, error) {
	there, err := valueOptions(q.Context(), q.run, "rejections", "agent", "tool_name", "tool_kind")
	if err != nil {
		return nil, err
	}
	f := q.filters(q.builtIn("rejections"), agentField(there["agent"]), toolField(there["tool_name"]), kindField(there["tool_kind"]),
		filterField{name: "decided_by", label: "Refused by", first: byYou}, projectField, filterField{name: "session", label: "Session", hidden: true}, textField)
	return listed(q, "Refusals", "refusals", f, listing{Nouns: "refusals", Rows: f.rowsURL("rejections")}, inQuery(q, f, "rejections", (*events).refusals))
}

// listInterruptions returns the page that lists where the agent was stopped.
func listInterruptions(q *request) (*view, error) {
	there, err := valueOptions(q.Context(), q.run, "interruptions", "agent", "tool_name")
	if err != nil {
		return nil, err
	}
	f := q.filters(q.builtIn("interruptions"), agentField(there["agent"]), toolField(there["tool_name"]), filterField{name: "phase", label: "During"},
		filterField{name: "type", label: "Stopped by", first: byYou}, projectField, textField)
	return listed(q, "Interruptions", "interruptions", f, listing{Nouns: "interruptions", Rows: f.rowsURL("interruptions"),
		Hint: "Where the agent was stopped, and what was cut. A refusal that also stopped it stands among refusals."}, inQuery(q, f, "interruptions", (*events).interruptions))
}

// listCompactions returns the page that lists compactions: a summary replaced older
// messages in the agent's context.
func listCompactions(q *request) (*view, error) {
	there, err := valueOptions(q.Context(), q.run, "compactions", "agent")
	if err != nil {
		return nil, err
	}
	f := q.filters(q.builtIn("compactions"), agentField(there["agent"]), filterField{name: "trigger", label: "Trigger"}, projectField, textField)
	return listed(q, "Compactions", "compactions", f, listing{Nouns: "compactions", Rows: f.rowsURL("compactions"),
		Hint: "Older messages made way for a summary. What went out is counted since the compaction before."}, inQuery(q, f, "compactions", (*events).compactions))
}

// listClears returns the page that lists clears: a typed command, or an accepted plan,
// emptied the agent's context.
func listClears(q *request) (*view, error) {
	there, err := valueOptions(q.Context(), q.run, "clears", "agent")
	if err != nil {
		return nil, err
	}
	ways := []option{{Value: "command", Text: "typed"}, {Value: "plan", Text: "a plan accepted"}}
	f := q.filters(q.builtIn("clears"), agentField(there["agent"]), filterField{name: "trigger", label: "How", first: ways}, projectField, textField)
	return listed(q, "Clears", "clears", f, listing{Nouns: "clears", Rows: f.rowsURL("clears")}, inQuery(q, f, "clears", (*events).clears))
}

// listApprovals returns the page that lists calls for which the agent asked a person.
func listApprovals(q *request) (*view, error) {
	there, err := valueOptions(q.Context(), q.run, "(FROM tool_calls WHERE decided_by = 'user' AND decision IN ('granted', 'refused'))", "agent", "tool_name", "tool_kind")
	if err != nil {
		return nil, err
	}
	params := append(q.builtIn("approvals"), paramOf("decided_by", "granted", "refused"), paramOf("text"))
	f := q.filters(params, agentField(there["agent"]), toolField(there["tool_name"]), kindField(there["tool_kind"]),
		filterField{name: "decided_by", label: "Decision"}, projectField, textField)
	return listed(q, "Approvals", "approvals", f, listing{Nouns: "questions", Rows: "/query/approvals",
		Hint: "What you were asked, and granted or refused. Of most agents the log tells only some grants, and of some none."}, inEngine(q, f, conversation.Approvals))
}

// listSessions returns the page that lists sessions begun by people.
func listSessions(q *request) (*view, error) {
	there, err := valueOptions(q.Context(), q.run, "(FROM sessions WHERE kind = 'main')", "agent")
	if err != nil {
		return nil, err
	}
	f := q.filters(append(q.builtIn("sessions"), paramOf("text")), agentField(there["agent"]), projectField, textField)
	return listed(q, "Sessions", "sessions", f, listing{Nouns: "sessions", Rows: f.rowsURL("sessions")}, inEngine(q, f, conversation.Sessions))
}

// hitsPerPage is the number of hits on a page of a search.
const hitsPerPage = 100

// searchPage is the result of a search, by session.
type searchPage struct {
	*filters
	Pager
	Text     string
	Regex    bool
	Wrong    string
	Sessions []hitSession
	Hits     int
	Took     time.Duration
}

// hitSession is a session with its hits.
type hitSession struct {
	Agent, Session, Project, About string
	Hits                           []foundHit
}

type foundHit struct {
	conversation.Hit
	Line template.HTML
}

// showSearch searches all texts.
func showSearch(q *request) (*view, error) {
	of := conversation.Search{Text: q.given.Get("q"), Regex: q.get("regex") != ""}
	params := append(queries.Shared(q.server.Agents...), paramOf("kind", conversation.Kinds()...))
	f := q.filters(params, filterField{name: "kind", label: "In"}, filterField{name: "agent", label: "Agent"}, projectField)
	if kind := f.text("kind"); kind != "" {
		of.Kinds = []string{kind}
	}
	p := &searchPage{filters: f, Text: of.Text, Regex: of.Regex}
	v := &view{Title: "Search", Template: "search", Data: p}
	if f.IsWrong() {
		v.Status = http.StatusBadRequest
		return v, nil
	}
	if strings.TrimSpace(of.Text) == "" {
		p.Text = ""
		return v, nil
	}
	v.Title = "Search: " + oneLine(of.Text, 60)
	of.Since, of.Until, of.Agent, of.Project = f.Span.Period.Since, f.Span.Period.Until, f.text("agent"), f.text("project")
	of.Top, of.Offset = hitsPerPage, (f.Page-1)*hitsPerPage
	began := time.Now()
	hits, more, err := q.find(&of)
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		p.Wrong, v.Status = string(bad.Code)+", at “"+printable.Line(bad.Expr)+"”", http.StatusBadRequest
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	p.Took, p.Hits, p.Sessions = time.Since(began), len(hits), grouped(hits)
	if p.pages(q, f.Page, more); p.Missing {
		v.Status = http.StatusNotFound
	}
	return v, nil
}

// find searches, and names the hits' projects.
func (q *request) find(of *conversation.Search) (hits []conversation.Hit, more bool, err error) {
	hits, more, err = of.Find(q.Context(), func(ctx context.Context, sql string, args map[string]any) (result.Set, error) {
		return q.run(ctx, nameless+"FROM (\n"+sql+"\n)", args)
	})
	if err != nil || len(hits) == 0 {
		return nil, false, err
	}
	names, err := q.names(q.Context())
	for i, h := range hits {
		hits[i].ProjectName = cmp.Or(names[h.Project], h.ProjectName)
	}
	return hits, more, err
}

func (p *searchPage) pages(q *request, page int, more bool) {
	first := int64(page-1)*hitsPerPage + 1
	end := int64(p.Hits) + first - 1
	p.Pager = q.pager(page, hitsPerPage, end)
	if more {
		p.Next = q.pager(page, hitsPerPage, end+1).Next
	}
	if p.Hits == 0 && page > 1 {
		p.Pager = Pager{Missing: true, Last: q.without("page")}
	}
}

// grouped groups hits by session. The sessions stand in the order of their first hits.
func grouped(hits []conversation.Hit) (list []hitSession) {
	for _, h := range hits {
		at := slices.IndexFunc(list, func(s hitSession) bool { return s.Agent == h.Agent && s.Session == h.Session })
		if at < 0 {
			at = len(list)
			list = append(list, hitSession{Agent: h.Agent, Session: h.Session, Project: h.ProjectName, About: h.About})
		}
		list[at].Hits = append(list[at].Hits, foundHit{h, marked(h.Line, h.Matches)})
	}
	return list
}

// marked returns a line with its matches marked.
func marked(line string, matches [][2]int) template.HTML {
	var b strings.Builder
	matches = slices.Clone(matches)
	slices.SortFunc(matches, func(a, b [2]int) int { return a[0] - b[0] })
	text := func(s string) string { return template.HTMLEscapeString(printable.Line(s)) }
	at := 0
	for _, m := range matches {
		if m[0] < at || m[1] > len(line) || m[0] >= m[1] {
			continue
		}
		b.WriteString(text(line[at:m[0]]) + "<mark>" + text(line[m[0]:m[1]]) + "</mark>")
		at = m[1]
	}
	return template.HTML(b.String() + text(line[at:])) //nolint:gosec // the code above escapes every part of the line
}
