package queries

import (
	"fmt"
	"regexp"
	"strings"
)

var nameForm = regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// IsName says whether a saved query may have this name.
func IsName(name string) bool { return nameForm.MatchString(name) }

// Text is the file of a query whose SQL has no header yet; [Parse] reads it,
// and says what is wrong with the query's parts.
func Text(q *Query) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s: %s\n--\n", q.Name, q.Title)
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
		fmt.Fprintf(&b, "-- param %s %s = %s%s   %s\n", p.Name, p.Type, p.Default, values, p.Doc)
	}
	if q.Example != "" {
		fmt.Fprintf(&b, "-- example %s\n", q.Example)
	}
	if strings.HasPrefix(q.SQL, "--") {
		b.WriteString("\n") // its own comment is none of the header
	}
	return b.String() + strings.TrimSpace(q.SQL) + "\n"
}

// rows writes what a row is, and which columns of it are shown where.
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

// Body is the query's SQL without its header.
func (q *Query) Body() string { return WithoutHeader(q.SQL) }

// WithoutHeader is SQL without the lines of comment at its top.
func WithoutHeader(sql string) string {
	for strings.HasPrefix(sql, "--") {
		_, sql, _ = strings.Cut(sql, "\n")
	}
	return strings.TrimSpace(sql)
}
