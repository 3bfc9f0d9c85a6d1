package web

import (
	"cmp"
	"context"
	"errors"
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
	f := q.filters(params, manner{name: "kind", label: "In"}, manner{name: "agent", label: "Agent"}, projectField)
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
