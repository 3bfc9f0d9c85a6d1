package web

import (
	"context"
	"hindsql/internal/words"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/queries"
	"hindsql/queries/html"
)

// savedPage is the data of a saved query's page.
type savedPage struct {
	*queries.Query
	sending
	Origin  string
	Prose   []string
	Fields  []field
	Times   string // explains how to write times; empty if no parameter takes a time
	Trouble *trouble
	Result  *shown
	Code    template.HTML
}

// Asked reports whether a field has a value.
func (p *savedPage) Asked() bool {
	return slices.ContainsFunc(p.Fields, func(f field) bool { return f.Value != "" })
}

// Documented reports whether a field has an explanation.
func (p *savedPage) Documented() bool {
	return slices.ContainsFunc(p.Fields, func(f field) bool { return f.Doc != "" })
}

// showSaved returns the page of a saved query, or sends a file of its result.
func showSaved(w http.ResponseWriter, q *request) (*view, error) {
	name, file := parted(q.PathValue("name"))
	query, err := q.server.Source.Saved(name)
	if err != nil {
		return nil, notFound(words.Sentence(phrases.Explain(err)))
	}
	if query.Path != "" && !q.mayRun() {
		return q.unrun(query.Name, "/queries", "", html.Code("sql", query.Body())), nil
	}
	p := &savedPage{
		Query: query, sending: q.sendingOf(query), Origin: ask.Origin(q.server.Home, query.Path, query.Overrides), Prose: paragraphs(query.Prose),
		Fields: fieldsOf(&q.asked, query), Code: html.Code("sql", query.Body()),
	}
	for i := range p.Fields {
		p.Fields[i].Apart = p.Fields[i].Doc != ""
	}
	if takesMoments(query) {
		p.Times = queries.Times
	}
	v := &view{Title: query.Name, Template: "saved", Nav: "/queries", Data: p, Headless: true}
	err = savedResult(w, q, p, file)
	if err == nil && p.Result == nil {
		return nil, nil // the result went out as a file
	}
	if err != nil {
		if q.Context().Err() != nil {
			return nil, err
		}
		v.Status = statusOfSQL(err)
		if !blame(p.Fields, err) {
			p.Trouble = troubleOf(err)
		}
	}
	return v, nil
}

// paragraphs splits a query's prose; nil if there is none.
func paragraphs(prose string) []string {
	if prose == "" {
		return nil
	}
	return strings.Split(prose, "\n\n")
}

// sendingOf returns how the form of a saved query is sent. The form of a built-in query
// uses GET, because even a link on another site may run a built-in query.
func (q *request) sendingOf(query *queries.Query) sending {
	if query.Path == "" {
		return sending{Method: "get"}
	}
	return q.sending()
}

// givenOf returns the parameters of a query from the URL: as values for the query, and
// as URL fields. It leaves out empty fields, and fields that begin with an underscore.
func (q *request) givenOf(saved *queries.Query) (map[string]any, url.Values, error) {
	var words []string
	values := url.Values{}
	for name := range q.given {
		if value := q.get(name); value != "" && !strings.HasPrefix(name, "_") {
			words = append(words, name+"="+value)
			values.Set(name, value)
		}
	}
	slices.Sort(words)
	given, err := saved.Given(words)
	return given, values, err
}

func savedResult(w http.ResponseWriter, q *request, p *savedPage, file *download) error {
	given, values, err := q.givenOf(p.Query)
	if err != nil {
		return err
	}
	l := q.look("/query/"+p.Name, values)
	if l.chart {
		given = p.ForChart(given)
	}
	st := &question{Statement: ask.Statement{SQL: p.SQL}, file: p.Name, given: values}
	err = q.ask(st, func(ctx context.Context, session *ask.Session) error {
		if st.Statement, err = session.Bind(ctx, p.Query, given); err != nil {
			return err
		}
		st.Name = "" // the page's heading has the name
		p.Result, err = q.resultIn(ctx, session, w, st, l, file)
		return err
	})
	if p.Result == nil || err != nil {
		return err
	}
	for _, n := range st.Notices {
		p.Result.Notes = append(p.Result.Notes, words.Sentence(phrases.Text(n)))
	}
	p.Result.Downloads = offered(func(format string) string { return addressOf("/query/"+p.Name+"."+format, values) })
	p.Result.SQL = st.address()
	return nil
}

// address returns the URL of the page /sql with the statement and its parameters, where
// the user can change the statement. The chart stays declared.
func (st *question) address() string {
	values, sql := url.Values{}, queries.WithoutHeader(st.SQL)
	if st.Saved != nil && st.Saved.Chart != nil {
		sql += "\n-- chart " + st.Saved.Chart.String()
	}
	values.Set("sql", sql)
	for name, value := range st.Args {
		if text := textOf(value); text != "" {
			values.Set(argument+name, text)
		}
	}
	return "/sql?" + values.Encode()
}
