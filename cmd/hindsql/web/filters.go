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
	"hindsql/queries/report"
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

// filterField is how the form above a list shows a parameter.
type filterField struct {
	name    string // name of the parameter
	label   string
	first   []option // options that stand before the parameter's other values
	options []option // replace the parameter's values; nil keeps the values
	hidden  bool     // only links set it
}

// field returns the form's field for the parameter. text is the value in the URL. The
// field has no explanation (Doc), because the list below the form shows its effect.
func (m *filterField) field(params []queries.Param, text string) field {
	p := params[slices.IndexFunc(params, func(p queries.Param) bool { return p.Name == m.name })]
	f := fieldOf(p, text)
	f.Label, f.Doc, f.Size, f.Hidden = m.label, "", 14, m.hidden
	options := m.options
	if options == nil && f.Options != nil {
		options = slices.Clone(m.first)
		for _, o := range valuesAsOptions(p.Values) {
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
func (q *request) filters(params []queries.Param, fields ...filterField) *filters {
	if q.get("since") != "" || q.get("until") != "" {
		q.given.Del("during") // during is left from the form, before the user typed since or until
	}
	f := &filters{Span: q.span(""), Page: 1}
	for _, m := range fields {
		f.Fields = append(f.Fields, m.field(params, q.get(m.name)))
	}
	f.set(&q.requestValues)
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
func (f *filters) set(a *requestValues) {
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

// values returns the set values by parameter, as the query takes them.
func (f *filters) values() map[string]any {
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

func agentField(there []option) filterField {
	return filterField{name: "agent", label: "Agent", options: append([]option{}, there...)}
}

func toolField(there []option) filterField {
	return filterField{name: "tool", label: "Tool", options: append([]option{}, there...)}
}

func kindField(there []option) filterField {
	return filterField{name: "kind", label: "What it does", first: there}
}

// The fields that take a text.
var (
	projectField = filterField{name: "project", label: "Project contains"}
	textField    = filterField{name: "text", label: "Contains"}
)

// paramOf returns a parameter for a page's filter that no saved query has.
func paramOf(name string, values ...string) queries.Param {
	return queries.Param{Name: name, Type: "VARCHAR", Default: "NULL", Values: values}
}

// valueOptions returns the distinct values in some columns of a table, by column, the most
// frequent first. The option's text includes the number of rows: "Bash (12)".
func valueOptions(ctx context.Context, run queries.Run, table string, columns ...string) (map[string][]option, error) {
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

// span is a page's time range from its URL: during, or since and until. Their values
// are words for times such as 7d, as in all of hindsql.
type span struct {
	During, Since, Until string
	report.Period                          // a zero end is open
	Fields               []field           // fields of since and until
	Wrong                map[string]string // errors of parameters without a field, by the parameter's name
	Presets              []preset
}

// preset is a range that a link sets.
type preset struct {
	Name, URL string
	Here      bool
}

// presets lists the ranges with links: the link's text, and the value of during.
var presets = [][2]string{
	{"Today", "today"}, {"7 days", "7d"}, {"28 days", "28d"}, {"90 days", "90d"}, {"This month", "this month"}, {"Last month", "last month"}, {"All", ""},
}

// span reads the range of a request. usual is the value of during if the request has no
// range. An explicitly empty during means all time.
func (q *request) span(usual string) span {
	s := span{During: q.get("during"), Since: q.get("since"), Until: q.get("until"), Wrong: map[string]string{}}
	s.Fields = []field{endOf("since", s.Since, "From", "7d, monday"), endOf("until", s.Until, "until", "now")}
	if !q.given.Has("during") && s.Since == "" && s.Until == "" {
		s.During = usual
	}
	var err error
	switch {
	case s.During != "" && (s.Since != "" || s.Until != ""):
		s.Wrong["during"] = "during is since and until at once; give either it or those"
	case s.During != "":
		s.Period, err = report.During(q.Context(), q.run, s.During)
	default:
		s.Period.Since, s.Period.Until, err = queries.Bounds(q.Context(), q.run, s.Since, s.Until)
	}
	if err != nil && !blame(s.Fields, err) {
		s.Wrong["during"] = err.Error()
	}
	for _, p := range presets {
		s.Presets = append(s.Presets, preset{p[0], q.with("during", p[1], "since", "until", "page"), s.During == p[1] && s.Since == "" && s.Until == ""})
	}
	return s
}

// endOf returns the form's field for since or until, which most queries take.
func endOf(name, text, label, example string) field {
	m := filterField{name: name, label: label}
	f := m.field(queries.Shared(), text)
	f.Example, f.Size = example, 12
	return f
}

// IsWrong reports whether a value of the range is wrong.
func (s *span) IsWrong() bool {
	return len(s.Wrong) > 0 || slices.ContainsFunc(s.Fields, func(f field) bool { return f.Wrong != "" })
}
