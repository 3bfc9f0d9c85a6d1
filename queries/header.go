package queries

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/pattern"
	"hindsql/internal/sqltext"
)

// shared lists the parameters for "-- takes".
var shared = []Param{
	{Name: "since", Type: "TIMESTAMPTZ", Default: "NULL", Doc: "first moment counted"},
	{Name: "until", Type: "TIMESTAMPTZ", Default: "NULL", Doc: "first moment no longer counted"},
	{Name: "agent", Type: "VARCHAR", Default: "NULL", Doc: "one agent only"},
	{Name: "project", Type: "VARCHAR", Default: "NULL", Doc: "part of the project's folder, in any case"},
}

// Shared returns the parameters that most queries take. agents are the values of agent.
func Shared(agents ...string) []Param {
	q := &Query{Params: slices.Clone(shared)}
	q.limitAgents(agents)
	return q.Params
}

// sharedParam returns the shared parameter with the given name.
func sharedParam(name string) (Param, bool) {
	at := slices.IndexFunc(shared, func(p Param) bool { return p.Name == name })
	if at < 0 {
		return Param{}, false
	}
	return shared[at], true
}

// parseTakes reads a "-- takes" line: the names of parameters that most queries share.
func (p *parser) parseTakes(s string, line int) {
	names := strings.Fields(s)
	if len(names) == 0 {
		p.fail(line, `"-- takes" is followed by names: %s`, sharedNames())
	}
	for _, name := range names {
		param, ok := sharedParam(name)
		param.line = line
		switch {
		case !ok:
			p.fail(line, `"-- takes" knows %s; declare %s with a line "-- param %s TYPE = default   what it is for"`, sharedNames(), name, name)
		case p.query.Param(name) != nil:
			p.fail(line, "parameter %s is declared twice", name)
		default:
			p.query.Params = append(p.query.Params, param)
		}
	}
}

func sharedNames() string {
	return (&Query{Params: shared}).paramNames()
}

var columnForm = pattern.Lazy(`^[\pL_][\pL\d_]*$`)

// parseCard reads a "-- card" line: the columns to show if a row is printed as a block of
// lines, with | before each new line.
func (p *parser) parseCard(s string, line int) {
	if p.query.Card != nil {
		p.fail(line, "a second card; one is enough")
	}
	for part := range strings.SplitSeq(s, "|") {
		names := strings.Fields(part)
		if len(names) == 0 {
			p.fail(line, `a card is written "-- card time tool | said": names of columns, and | where a new line begins`)
		}
		p.query.Card = append(p.query.Card, names)
	}
	p.checkNames("card", p.query.CardColumns(), line)
	p.query.cardLine = line
}

// parseHidden reads the columns that a table on a screen omits.
func (p *parser) parseHidden(s string, line int) {
	names := strings.Fields(s)
	switch {
	case p.query.Hidden != nil:
		p.fail(line, "a second hidden; name all columns in one line")
	case len(names) == 0:
		p.fail(line, `"-- hidden" is followed by names of columns`)
	}
	p.checkNames("hidden", names, line)
	p.query.Hidden, p.query.hiddenLine = names, line
}

func (p *parser) checkNames(key string, names []string, line int) {
	for i, name := range names {
		if !columnForm.MatchString(name) || containsName(names[:i], name) {
			p.fail(line, "%s: %s: columns are named with spaces between, each once", key, name)
		}
	}
}

// CardColumns lists the columns named in the query's "-- card" line, in order.
func (q *Query) CardColumns() []string { return slices.Concat(q.Card...) }

// CheckColumns returns an error if the result lacks a column named in the header. The
// result's columns are known only when the query runs.
func (q *Query) CheckColumns(names []string) error {
	for _, c := range []struct {
		key   string
		names []string
		line  int
	}{{"card", q.CardColumns(), q.cardLine}, {"hidden", q.Hidden, q.hiddenLine}} {
		for _, name := range c.names {
			if !containsName(names, name) {
				return fmt.Errorf("%s:%d: %s: no column %q; the result has %s", cmp.Or(q.Path, q.Name+".sql"), c.line, c.key, name, strings.Join(names, ", "))
			}
		}
	}
	return nil
}

// containsName reports whether a list contains a name, in any case.
func containsName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

var nameForm = pattern.Lazy(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// IsName reports whether a saved query may have this name.
func IsName(name string) bool { return nameForm.MatchString(name) }

// Draft returns a query around a statement without a header: its title is the name's
// words. Each $name in the statement is a parameter: a shared one with its type and
// default, any other a text that must be given.
func Draft(name, sql string) *Query {
	sql = strings.TrimRight(strings.TrimSpace(sql), ";")
	q := &Query{Name: name, Title: strings.ReplaceAll(name, "-", " "), SQL: sql}
	for token := range sqltext.Tokens(sql) {
		if name := token.Parameter(); token.Kind == sqltext.Parameter && name != "" && q.Param(name) == nil {
			param, shared := sharedParam(name)
			if !shared {
				param = Param{Name: name, Type: "VARCHAR"}
			}
			q.Params = append(q.Params, param)
		}
	}
	return q
}

// Copy returns the file of a query under another name: title and example have the new
// name.
func (q *Query) Copy(name string) string {
	text := q.SQL
	if rest, ok := strings.CutPrefix(text, "-- "+q.Name+":"); ok {
		text = "-- " + name + ":" + rest
	}
	return strings.Replace(text, "\n-- example hindsql run "+q.Name+" ", "\n-- example hindsql run "+name+" ", 1)
}

// Text returns a query's file. The query's SQL must have no header yet. [Parse] can
// read the file and reports errors in the query's parts.
func Text(q *Query) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s: %s\n", q.Name, q.Title)
	if q.Prose != "" {
		b.WriteString("--\n")
	}
	for line := range strings.Lines(q.Prose) {
		b.WriteString(strings.TrimRight("-- "+strings.TrimSpace(line), " ") + "\n")
	}
	if q.Format != "" || q.Row != "" || q.Card != nil || q.Hidden != nil || q.Chart != nil || len(q.Params) > 0 || q.Example != "" {
		b.WriteString("--\n")
	}
	if q.Format != "" {
		fmt.Fprintf(&b, "-- format %s\n", q.Format)
	}
	q.writeKeys(&b)
	if q.Chart != nil {
		fmt.Fprintf(&b, "-- chart %s\n", q.Chart)
	}
	for _, p := range q.Params {
		values := ""
		if p.Values != nil {
			values = " {" + strings.Join(p.Values, ",") + "}"
		}
		usual := ""
		if p.Default != "" {
			usual = " = " + p.Default
		}
		fmt.Fprintf(&b, "-- param %s %s%s%s   %s\n", p.Name, p.Type, usual, values, cmp.Or(p.Doc, p.Name))
	}
	if q.Example != "" {
		fmt.Fprintf(&b, "-- example %s\n", q.Example)
	}
	if strings.HasPrefix(q.SQL, "--") {
		b.WriteString("\n") // the SQL's own comment isn't part of the header
	}
	return b.String() + strings.TrimSpace(q.SQL) + "\n"
}

// writeKeys writes the keys row, card and hidden.
func (q *Query) writeKeys(b *strings.Builder) {
	if q.Row != "" {
		total := ""
		if q.Total {
			total = ", with a total"
		}
		fmt.Fprintf(b, "-- row %s%s\n", q.Row, total)
	}
	if q.Card != nil {
		fmt.Fprintf(b, "-- card %s\n", lists.Join(q.Card, " | ", func(names []string) string { return strings.Join(names, " ") }))
	}
	if q.Hidden != nil {
		fmt.Fprintf(b, "-- hidden %s\n", strings.Join(q.Hidden, " "))
	}
}

// Body returns the query's SQL without its header.
func (q *Query) Body() string { return WithoutHeader(q.SQL) }

// WithoutHeader returns SQL without the comment lines at the top.
func WithoutHeader(sql string) string {
	for strings.HasPrefix(sql, "--") {
		_, sql, _ = strings.Cut(sql, "\n")
	}
	return strings.TrimSpace(sql)
}
