package web

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/lists"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/queries/html"
)

// savedPage is the data of a saved query's page.
type savedPage struct {
	*queries.Query
	formMethod
	Origin  string
	Prose   []string
	Fields  []field
	Times   string // explains how to write times; empty if no parameter takes a time
	Trouble *statementError
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
	name, file := splitFormat(q.PathValue("name"))
	query, err := q.server.Source.Saved(name)
	if err != nil {
		return nil, notFound(words.Sentence(phrases.Explain(err)))
	}
	if query.Path != "" && !q.mayRun() {
		return q.refuseRun(query.Name, "/queries", "", html.Code("sql", query.Body())), nil
	}
	p := &savedPage{
		Query: query, formMethod: q.sendingOf(query), Origin: ask.Origin(q.server.Home, query.Path, query.Overrides), Prose: html.Paragraphs(query.Prose),
		Fields: fieldsOf(&q.requestValues, query), Code: html.Code("sql", query.Body()),
	}
	for i := range p.Fields {
		p.Fields[i].Apart = p.Fields[i].Doc != ""
	}
	if query.HasMoment() {
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
			p.Trouble = statementErrorOf(err)
		}
	}
	return v, nil
}

// sendingOf returns how the form of a saved query is sent. The form of a built-in query
// uses GET, because even a link on another site may run a built-in query.
func (q *request) sendingOf(query *queries.Query) formMethod {
	if query.Path == "" {
		return formMethod{Method: "get"}
	}
	return q.formMethod()
}

// paramsOf returns the parameters of a query from the URL: as values for the query, and
// as URL fields. It leaves out empty fields, and fields that begin with an underscore.
func (q *request) paramsOf(saved *queries.Query) (map[string]any, url.Values, error) {
	var params []string
	values := url.Values{}
	for name := range q.given {
		if value := q.get(name); value != "" && !strings.HasPrefix(name, "_") {
			params = append(params, name+"="+value)
			values.Set(name, value)
		}
	}
	slices.Sort(params)
	given, err := saved.ParseArgs(params)
	return given, values, err
}

func savedResult(w http.ResponseWriter, q *request, p *savedPage, file *download) error {
	given, values, err := q.paramsOf(p.Query)
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
	p.Result.Downloads = downloadLinks(func(format string) string { return addressOf("/query/"+p.Name+"."+format, values) })
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

// queryGroup is a group of saved queries about one subject.
type queryGroup struct {
	Title   string
	Queries []queryLink
}

// queryLink is a saved query in the list.
type queryLink struct {
	*queries.Query
	Origin string // empty for a built-in query
}

// listQueries returns the page of all saved queries.
func listQueries(q *request) (*view, error) {
	all, err := q.server.Source.Queries()
	var groups []queryGroup
	for _, of := range queries.Groups(all) {
		g := queryGroup{Title: of.Title}
		for _, saved := range of.Queries {
			link := queryLink{Query: saved}
			if saved.Path != "" {
				link.Origin = ask.Origin(q.server.Home, saved.Path, saved.Overrides)
			}
			g.Queries = append(g.Queries, link)
		}
		groups = append(groups, g)
	}
	data := struct {
		Groups  []queryGroup
		Trouble string
	}{Groups: groups}
	if err != nil {
		data.Trouble = err.Error()
	}
	return &view{Title: "Queries", Template: "queries", Nav: "/queries", Data: data}, nil
}

// field is a field of a form: a parameter with its value from the address.
type field struct {
	Name, Label string
	Value       string // the text from the address; empty if missing
	Usual       string // the value that applies if Value is empty
	Example     string // shown if Value is empty and no usual value applies
	Doc         string
	Apart       bool     // the page shows Doc elsewhere
	Wrong       string   // error of the value
	Options     []option // to choose from; nil means a text field
	Proposed    []string // suggestions; other values are allowed, too
	Number      bool
	Hidden      bool // only links set it
	Size        int  // width in letters; 0 means the form's default

	given string // the value as the query takes it; empty if missing or wrong
}

// option is a value that the user can choose.
type option struct {
	Value, Text string
	Chosen      bool
}

// fieldOf returns the form's field for a parameter. text is the value in the page's
// URL; empty if missing.
func fieldOf(p queries.Param, text string) field {
	f := field{Name: p.Name, Label: words.Spaced(p.Name), Value: text, Doc: p.Doc}
	if p.Default != "NULL" && p.Default != "" {
		f.Usual = strings.Trim(p.Default, "'")
	}
	var err error
	if f.given, err = p.Value(text); err != nil {
		f.blame(err)
	}
	values := p.Values
	if p.Type == "BOOLEAN" {
		values = []string{"true", "false"}
	}
	if values == nil {
		f.Proposed = p.Proposals()
		f.Number = strings.HasSuffix(p.Type, "INT") || p.Type == "INTEGER"
		return f
	}
	f.offer("any", valuesAsOptions(values))
	return f
}

// valuesAsOptions returns options whose texts are their values.
func valuesAsOptions(values []string) []option {
	return lists.Map(values, func(v string) option { return option{Value: v, Text: v} })
}

// offer makes the field a choice among values. An empty option comes first: it stands
// for the usual value, or has the text of parameter none if no value is usual. If
// values lack the value from the URL, offer adds it.
func (f *field) offer(none string, values []option) {
	f.Options, f.Proposed = []option{{Text: cmp.Or(f.Usual, none)}}, nil
	chosen := 0
	for _, v := range values {
		if v.Value == f.Usual {
			f.Options[0].Text = v.Text
			continue
		}
		if chosen == 0 && f.isSet() && strings.EqualFold(v.Value, f.Value) {
			chosen = len(f.Options)
		}
		f.Options = append(f.Options, v)
	}
	if chosen == 0 && f.isSet() {
		chosen = len(f.Options)
		f.Options = append(f.Options, option{Value: f.Value, Text: f.Value})
	}
	f.Options[chosen].Chosen = true
}

// isSet reports whether the field has a value other than the usual one.
func (f *field) isSet() bool { return f.Value != "" && !strings.EqualFold(f.Value, f.Usual) }

// shown returns the text of the chosen option without its number of rows: Bash for
// "Bash (12)". Without options it returns the value.
func (f *field) shown() string {
	for _, o := range f.Options {
		if o.Chosen && o.Value != o.Text {
			name, _, _ := strings.Cut(o.Text, " (")
			return name
		}
	}
	return f.Value
}

// blame sets an error to be shown beside the field, if the error is about the field's
// value. It reports whether it is.
func (f *field) blame(err error) bool {
	var value *queries.ValueError
	if !errors.As(err, &value) || value.Name != f.Name {
		return false
	}
	f.Wrong = value.Err.Error()
	return true
}

// fieldsOf returns the form's fields for a query's parameters, with the values of the
// request.
func fieldsOf(a *requestValues, saved *queries.Query) (list []field) {
	for _, p := range saved.Params {
		list = append(list, fieldOf(p, a.get(p.Name)))
		if p.Name == "until" { // during, which can replace since and until, stands after until
			for _, both := range saved.AllParams()[len(saved.Params):] {
				list = append(list, fieldOf(both, a.get(both.Name)))
			}
		}
	}
	return list
}

// blame puts an error beside the field with the wrong value. It returns false if the
// error is about no field.
func blame(fields []field, err error) bool {
	for i := range fields {
		if fields[i].blame(err) {
			return true
		}
	}
	return false
}
