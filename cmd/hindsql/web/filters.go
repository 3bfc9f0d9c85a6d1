package web

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/queries/conversation"
)

// filters are what a list is narrowed to: the form of a query's parameters, whose state
// is the page's URL.
type filters struct {
	Span   span
	Fields []field
	Chips  []chip // what is set, each with the URL without it
	None   string // the URL without any; empty where none is set
	Page   int    // 1-based
}

// chip is a filter that is set.
type chip struct{ Name, Value, URL string }

// manner is how the form above a list shows a parameter.
type manner struct {
	name    string // of the parameter
	label   string
	first   []option // of its values those that stand first
	options []option // what is chosen from, in place of its values; nil: those
	hidden  bool     // only links set it
}

// field is that of the parameter, which is one of some. It has no prose: the list below
// shows what it does.
func (m *manner) field(params []queries.Param, text string) field {
	p := params[slices.IndexFunc(params, func(p queries.Param) bool { return p.Name == m.name })]
	f := fieldOf(p, text)
	f.Label, f.Doc, f.Size, f.Hidden = m.label, "", 14, m.hidden
	options := m.options
	if options == nil && f.Options != nil {
		options = slices.Clone(m.first)
		for _, o := range named(p.Values) {
			if !slices.ContainsFunc(options, func(first option) bool { return first.Value == o.Value }) {
				options = append(options, o)
			}
		}
	}
	if options != nil {
		f.offer("all", options)
	}
	return f
}

// filters reads those of a request: the fields are parameters, in the manner of the page.
func (q *request) filters(params []queries.Param, fields ...manner) *filters {
	if q.get("since") != "" || q.get("until") != "" {
		q.given.Del("during") // that of the form, of before somebody typed these
	}
	f := &filters{Span: q.span(""), Page: 1}
	for _, m := range fields {
		f.Fields = append(f.Fields, m.field(params, q.get(m.name)))
	}
	f.set(&q.asked)
	if text := q.get("page"); text != "" {
		page, err := strconv.Atoi(text)
		if f.Page = page; err != nil || page < 1 {
			f.Page = 1
			f.Span.Wrong["page"] = fmt.Sprintf("page=%s: pages are counted from 1", text)
		}
		f.Page = min(f.Page, 1<<30)
	}
	return f
}

// set lists what is set, with the links that take it away.
func (f *filters) set(a *asked) {
	for i := range f.Fields {
		if l := &f.Fields[i]; l.isSet() {
			f.Chips = append(f.Chips, chip{l.Label, l.shown(), a.without(l.Name, "page")})
		}
	}
	for _, l := range f.Span.Fields {
		if l.isSet() {
			f.Chips = append(f.Chips, chip{words.Capital(l.Name), l.Value, a.without(l.Name, "page")})
		}
	}
	if f.Span.During != "" {
		f.Chips = append(f.Chips, chip{"During", f.Span.During, a.without("during", "page")})
	}
	if len(f.Chips) > 0 {
		f.None = a.path
	}
}

// IsWrong says that something could not be read.
func (f *filters) IsWrong() bool {
	return f.Span.IsWrong() || slices.ContainsFunc(f.Fields, func(l field) bool { return l.Wrong != "" })
}

// given are the values, as the query's parameters take them.
func (f *filters) given() map[string]any {
	given := map[string]any{}
	for _, l := range f.Fields {
		if l.given != "" {
			given[l.Name] = l.given
		}
	}
	for name, at := range map[string]time.Time{"since": f.Span.Period.Since, "until": f.Span.Period.Until} {
		if !at.IsZero() {
			given[name] = at
		}
	}
	return given
}

// text is one of the values; empty for none.
func (f *filters) text(name string) string {
	for _, l := range f.Fields {
		if l.Name == name {
			return l.given
		}
	}
	return ""
}

// filter is what the engine's own lists take.
func (f *filters) filter() conversation.Filter {
	return conversation.Filter{
		Since: f.Span.Period.Since, Until: f.Span.Period.Until, Agent: f.text("agent"), Project: f.text("project"), Tool: f.text("tool"),
		Kind: f.text("kind"), Decision: f.text("decided_by"), Text: f.text("text"),
	}
}

// rowsURL leads to the saved query that gives the same as rows.
func (f *filters) rowsURL(query string) string {
	var more []string
	for _, l := range slices.Concat(f.Fields, f.Span.Fields) {
		if l.isSet() {
			more = append(more, l.Name, l.Value)
		}
	}
	return addressOf("/query/"+query, nil, append(more, "during", f.Span.During)...)
}

func agentField(there []option) manner {
	return manner{name: "agent", label: "Agent", options: append([]option{}, there...)}
}

func toolField(there []option) manner {
	return manner{name: "tool", label: "Tool", options: append([]option{}, there...)}
}

func kindField(there []option) manner {
	return manner{name: "kind", label: "What it does", first: there}
}

// The fields in which a text is typed.
var (
	projectField = manner{name: "project", label: "Project has"}
	textField    = manner{name: "text", label: "Text has"}
)

// paramOf is a parameter of pages that no saved query has.
func paramOf(name string, values ...string) queries.Param {
	return queries.Param{Name: name, Type: "VARCHAR", Default: "NULL", Values: values}
}

// there gives what values columns of a table have, each with how many rows have it.
func there(ctx context.Context, run queries.Run, table string, columns ...string) (map[string][]option, error) {
	var parts []string
	for _, c := range columns {
		parts = append(parts, "SELECT '"+c+"' AS name, CAST("+c+" AS VARCHAR) AS value, count(*) AS n FROM "+table+" WHERE "+c+" IS NOT NULL GROUP BY "+c)
	}
	set, err := run(ctx, "FROM ("+strings.Join(parts, " UNION ALL ")+") ORDER BY n DESC, value", nil)
	found := map[string][]option{}
	for _, row := range set.Rows {
		name, _ := row[0].(string)
		value, _ := row[1].(string)
		n, _ := row[2].(int64)
		found[name] = append(found[name], option{Value: value, Text: fmt.Sprintf("%s (%s)", value, words.Int(n))})
	}
	return found, err
}
