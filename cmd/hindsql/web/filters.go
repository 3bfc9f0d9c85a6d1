package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hindsql/engine/conversation"
	"hindsql/internal/words"
	"hindsql/near"
)

// filters are what a list is narrowed to: a form, whose state is the page's URL.
type filters struct {
	Span   span
	Fields []*filterField
	Chips  []chip // what is set, each with the URL without it
	None   string // the URL without any; empty where none is set
	Page   int    // 1-based
	Filter conversation.Filter
}

// filterField is one of the form.
type filterField struct {
	Name, Label string
	Value       string
	Options     []choice // of a select; nil: a text is typed
	Wrong       string   // what is wrong with the value
	Hidden      bool     // only links set it

	usual string             // value where the URL says nothing
	check func(string) error // nil: any value will do
	into  func(*conversation.Filter, string)
}

type choice struct {
	Value, Name string
	Chosen      bool
}

// chip is a filter that is set.
type chip struct{ Name, Value, URL string }

// filters reads those of a request.
func (q *request) filters(usual string, fields ...*filterField) *filters {
	if q.get("since") != "" || q.get("until") != "" {
		q.given.Del("during") // that of the form, of before somebody typed these
	}
	f := &filters{Span: q.span(usual), Fields: fields, Page: 1}
	f.Filter.Since, f.Filter.Until = f.Span.Period.Since, f.Span.Period.Until
	for _, l := range fields {
		q.read(l, f)
	}
	f.rangeChips(q, usual)
	if text := q.get("page"); text != "" {
		page, err := strconv.Atoi(text)
		if f.Page = page; err != nil || page < 1 {
			f.Page = 1
			f.Span.Wrong["page"] = fmt.Sprintf("page=%s: pages are counted from 1", text)
		}
		f.Page = min(f.Page, 1<<30)
	}
	if len(f.Chips) > 0 {
		f.None = q.path
	}
	return f
}

// read reads a field.
func (q *request) read(l *filterField, f *filters) {
	if l.Value = q.get(l.Name); l.Value == "" {
		l.Value = l.usual
	}
	if l.check != nil && l.Value != l.usual {
		if err := l.check(l.Value); err != nil {
			l.Wrong = err.Error()
		}
	}
	if l.Options != nil {
		l.choose()
	}
	l.into(&f.Filter, l.Value)
	if l.Value != l.usual {
		f.Chips = append(f.Chips, chip{l.Label, l.shown(), q.without(l.Name, "page")})
	}
}

// choose marks the option that is chosen. One that isn't there is added: nothing
// that was asked for is lost.
func (l *filterField) choose() {
	at := slices.IndexFunc(l.Options, func(o choice) bool { return strings.EqualFold(o.Value, l.Value) })
	if at < 0 {
		l.Options, at = append(l.Options, choice{Value: l.Value, Name: l.Value}), len(l.Options)
	}
	l.Options[at].Chosen = true
}

func (l *filterField) shown() string {
	for _, o := range l.Options {
		if o.Chosen && o.Value != o.Name {
			name, _, _ := strings.Cut(o.Name, " (")
			return name
		}
	}
	return l.Value
}

func (f *filters) rangeChips(q *request, usual string) {
	s := &f.Span
	for _, p := range [][2]string{{"Since", s.Since}, {"Until", s.Until}} {
		if p[1] != "" {
			f.Chips = append(f.Chips, chip{p[0], p[1], q.without(strings.ToLower(p[0]), "page")})
		}
	}
	if s.During != "" && s.During != usual {
		f.Chips = append(f.Chips, chip{"During", s.During, q.without("during", "page")})
	}
}

// IsWrong says that something could not be read.
func (f *filters) IsWrong() bool {
	return f.Span.IsWrong() || slices.ContainsFunc(f.Fields, func(l *filterField) bool { return l.Wrong != "" })
}

// theAgent is the field of one agent.
func theAgent(q *request, there []choice) *filterField {
	return &filterField{
		Name: "agent", Label: "Agent", Options: append([]choice{{Name: "all"}}, there...),
		into: func(f *conversation.Filter, v string) { f.Agent = strings.ToLower(v) },
		check: func(v string) error {
			if slices.Contains(q.server.Agents, strings.ToLower(v)) {
				return nil
			}
			return fmt.Errorf("agent %s: unknown%s", v, near.Ask(v, q.server.Agents, "one of "+strings.Join(q.server.Agents, ", ")))
		},
	}
}

// oneOf is a field whose values are a closed set; an empty usual is all of them.
func oneOf(name, label, usual string, values []choice, into func(*conversation.Filter, string)) *filterField {
	options := values
	if usual == "" {
		options = append([]choice{{Name: "all"}}, values...)
	}
	return &filterField{Name: name, Label: label, usual: usual, Options: slices.Clone(options), into: into, check: func(v string) error {
		var names []string
		for _, o := range values {
			if o.Value == v {
				return nil
			}
			names = append(names, o.Value)
		}
		return fmt.Errorf("%s %s: unknown%s", name, v, near.Ask(v, names, "one of "+strings.Join(names, ", ")))
	}}
}

// named are options that are called what they are.
func named(values ...string) (list []choice) {
	for _, v := range values {
		list = append(list, choice{Value: v, Name: v})
	}
	return list
}

func toolField(there []choice) *filterField {
	return &filterField{Name: "tool", Label: "Tool", Options: append([]choice{{Name: "all"}}, there...), into: func(f *conversation.Filter, v string) { f.Tool = v }}
}

// sessionField narrows to one session, as links do.
func sessionField() *filterField {
	return &filterField{Name: "session", Label: "Session", Hidden: true, into: func(f *conversation.Filter, v string) { f.Session = v }}
}

func projectField() *filterField {
	return &filterField{Name: "project", Label: "Project has", into: func(f *conversation.Filter, v string) { f.Project = v }}
}

func textField() *filterField {
	return &filterField{Name: "text", Label: "Text has", into: func(f *conversation.Filter, v string) { f.Text = v }}
}

// there gives what values columns of a table have, each with how many rows have it.
func (q *request) there(table string, columns ...string) (map[string][]choice, error) {
	var parts []string
	for _, c := range columns {
		parts = append(parts, "SELECT '"+c+"' AS name, CAST("+c+" AS VARCHAR) AS value, count(*) AS n FROM "+table+" WHERE "+c+" IS NOT NULL GROUP BY "+c)
	}
	set, err := q.run(q.Context(), "FROM ("+strings.Join(parts, " UNION ALL ")+") ORDER BY n DESC, value", nil)
	found := map[string][]choice{}
	for _, row := range set.Rows {
		name, _ := row[0].(string)
		value, _ := row[1].(string)
		n, _ := row[2].(int64)
		found[name] = append(found[name], choice{Value: value, Name: fmt.Sprintf("%s (%s)", value, words.Int(n))})
	}
	return found, err
}
