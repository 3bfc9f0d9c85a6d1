package queries

import (
	"cmp"
	"fmt"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/internal/sqltext"
)

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
	q.rows(&b)
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

// rows writes the keys row, card and hidden.
func (q *Query) rows(b *strings.Builder) {
	if q.Row != "" {
		total := ""
		if q.Total {
			total = ", with a total"
		}
		fmt.Fprintf(b, "-- row %s%s\n", q.Row, total)
	}
	if q.Card != nil {
		var lines []string
		for _, names := range q.Card {
			lines = append(lines, strings.Join(names, " "))
		}
		fmt.Fprintf(b, "-- card %s\n", strings.Join(lines, " | "))
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
