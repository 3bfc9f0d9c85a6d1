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

// filters is the form above a list of events. Its fields are parameters of a query, and
// their values are in the page's URL.
type filters struct {
	Span   span
	Fields []field
	Chips  []chip // set filters, each with the URL that removes it
	None   string // URL without any filter; empty if no filter is set
	Page   int    // 1-based
}

// chip is the label of a set filter. Its URL removes the filter.
type chip struct{ Name, Value, URL string }

// manner is how the form above a list shows a parameter.
type manner struct {
	name    string // name of the parameter
	label   string
	first   []option // options that stand before the parameter's other values
	options []option // replace the parameter's values; nil keeps the values
	hidden  bool     // only links set it
}

// field returns the form's field for the parameter. text is the value in the URL. The
// field has no explanation (Doc), because the list below the form shows its effect.
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

// filters reads the filters of a request. params are the parameters of the list's
// query; fields says which of them the form shows, and how.
func (q *request) filters(params []queries.Param, fields ...manner) *filters {
	if q.get("since") != "" || q.get("until") != "" {
		q.given.Del("during") // during is left from the form, before the user typed since or until
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

// set fills in Chips and None: a chip for each set filter.
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

// IsWrong reports whether a value is wrong.
func (f *filters) IsWrong() bool {
	return f.Span.IsWrong() || slices.ContainsFunc(f.Fields, func(l field) bool { return l.Wrong != "" })
}

// given returns the set values by parameter, as the query takes them.
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

// text returns the value of the named field; empty if missing or wrong.
func (f *filters) text(name string) string {
	for _, l := range f.Fields {
		if l.Name == name {
			return l.given
		}
	}
	return ""
}

// filter returns the set values for a list that package conversation reads.
func (f *filters) filter() conversation.Filter {
	return conversation.Filter{
		Since: f.Span.Period.Since, Until: f.Span.Period.Until, Agent: f.text("agent"), Project: f.text("project"), Tool: f.text("tool"),
		Kind: f.text("kind"), Decision: f.text("decided_by"), Text: f.text("text"),
	}
}

// rowsURL returns the URL of a saved query's page, with the same filters.
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

// The fields that take a text.
var (
	projectField = manner{name: "project", label: "Project contains"}
	textField    = manner{name: "text", label: "Contains"}
)

// paramOf returns a parameter for a page's filter that no saved query has.
func paramOf(name string, values ...string) queries.Param {
	return queries.Param{Name: name, Type: "VARCHAR", Default: "NULL", Values: values}
}

// there returns the distinct values in some columns of a table, by column, the most
// frequent first. The option's text includes the number of rows: "Bash (12)".
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
