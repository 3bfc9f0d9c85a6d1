package term

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/queries"
	"hindsql/tables"
)

// leastRoom is the width of a column that is too narrow for prose.
const leastRoom = 20

// Listing writes rows of short texts in aligned columns without borders. The last
// column is wrapped to the width columns. If no room is left for the last column, a
// value that doesn't fit begins a line. A width of 0 means no wrapping.
func Listing(w io.Writer, columns int, rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, s := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(s))
		}
	}
	b := bufio.NewWriter(w)
	for _, row := range rows {
		b.WriteString(strings.TrimRight(aligned(row, widths, columns), " ") + "\n")
	}
	return b.Flush()
}

func aligned(row []string, widths []int, columns int) string {
	var b strings.Builder
	indent := 0
	for i, s := range row {
		if i == len(row)-1 {
			if columns > 0 && indent+min(width(s), leastRoom) > columns {
				return folded(row, columns)
			}
			b.WriteString(Wrap(s, columns, indent))
			break
		}
		b.WriteString(s + strings.Repeat(" ", widths[i]-width(s)+2))
		indent += widths[i] + 2
	}
	return b.String()
}

// folded returns a row in lines that fit the width.
func folded(row []string, columns int) string {
	const indent = 2
	var b strings.Builder
	used := 0
	for i, s := range row {
		switch n := width(s); {
		case n == 0:
		case i == 0:
			b.WriteString(s)
			used = n
		case used+2+n <= columns:
			b.WriteString("  " + s)
			used += 2 + n
		default:
			s = Wrap(s, columns, indent)
			b.WriteString("\n" + strings.Repeat(" ", indent) + s)
			used = indent + width(s[strings.LastIndexByte(s, '\n')+1:])
		}
	}
	return b.String()
}

// Wrap breaks a text at spaces into lines of the width columns, and indents all lines
// after the first. It breaks nothing if the width is 0, or too narrow for prose.
func Wrap(s string, columns, indent int) string {
	room := columns - indent
	if columns == 0 || room < leastRoom {
		return s
	}
	var out strings.Builder
	used := 0
	for i, word := range strings.Fields(s) {
		n := width(word)
		switch {
		case i == 0:
		case used+1+n > room:
			out.WriteString("\n" + strings.Repeat(" ", indent))
			used = 0
		default:
			out.WriteByte(' ')
			used++
		}
		out.WriteString(word)
		used += n
	}
	return out.String()
}

// Queries lists saved queries, the rows of table queries. For people it leaves out the
// subjects, by which the rows are in order: one more column is too wide for a terminal.
func Queries(to *Output, set result.Set) error {
	if to.ForPeople() {
		for i, row := range set.Rows {
			set.Rows[i] = slices.Delete(row, 2, 3)
		}
	}
	return to.List(set)
}

// Tables lists the tables and functions whose names match.
func (v *View) Tables(ctx context.Context, to *Output, matches func(name string) bool) error {
	set, err := v.Collect(ctx, "FROM "+engine.Ours(tables.ListOfTables), nil)
	if err != nil {
		return err
	}
	set.Rows = slices.DeleteFunc(set.Rows, func(row []any) bool { return !matches(row[0].(string)) })
	return to.List(set)
}

// IsDescribed reports whether [Describe] knows a table or function of that name.
func IsDescribed(name string) bool {
	return slices.Contains(tables.ShownNames(), name) || slices.Contains(tables.MacroNames(), name)
}

// Describe writes the meaning of a table's columns, or the purpose of a function.
func Describe(to *Output, name string) error {
	for _, t := range tables.Shown() {
		if t.Name == name {
			return describeTable(to, t)
		}
	}
	for _, m := range tables.Macros() {
		if m.Name == name {
			return describeFunction(to, m)
		}
	}
	return fmt.Errorf("%q: neither a table nor a function", name)
}

func describeTable(to *Output, t *tables.Table) error {
	if to.ForPeople() {
		fmt.Fprintf(to, "%s\n\n", Wrap(t.Name+": "+t.Doc, to.Width, 0))
	}
	list := result.Set{Columns: result.Columns("column VARCHAR", "type VARCHAR", "what VARCHAR")}
	for _, c := range t.Columns {
		list.Rows = append(list.Rows, []any{c.Name, c.Type, c.Doc})
	}
	return to.List(list)
}

func describeFunction(to *Output, m tables.Macro) error {
	if !to.ForPeople() {
		return to.Set(result.Set{
			Columns: result.Columns("call VARCHAR", "what VARCHAR", "example VARCHAR"),
			Rows:    [][]any{{m.Call, m.Title + ". " + m.Doc, m.Example}},
		})
	}
	_, err := fmt.Fprintf(to, "%s: %s\n\n%s\n\n  %s\n", m.Call, m.Title, Wrap(m.Doc, to.Width, 0), strings.ReplaceAll(m.Example, "\n", "\n  "))
	return err
}

// QueryHelp writes a saved query's purpose, its parameters and defaults, and its use.
func QueryHelp(to *Output, q *queries.Query) error {
	fmt.Fprintf(to, "%s: %s\n\n", q.Name, q.Title)
	if q.Prose != "" {
		fmt.Fprintf(to, "%s\n\n", q.Prose)
	}
	if len(q.Params) > 0 {
		fmt.Fprintf(to, "Parameters, as param=value or as --param value:\n")
		if err := Listing(to, to.Width, params(q)); err != nil {
			return err
		}
		fmt.Fprintln(to)
	}
	if q.Example != "" {
		fmt.Fprintf(to, "Example:\n  %s\n\n", q.Example)
	}
	if q.HasMoment() {
		fmt.Fprintf(to, "%s\n\n", queries.Times)
	}
	_, err := io.WriteString(to, "hindsql queries "+q.Name+" shows its SQL, hindsql run --help the flags that all queries take.\n")
	return err
}

// params returns a row for each parameter: name, type, purpose.
func params(q *queries.Query) (rows [][]string) {
	for _, p := range q.AllParams() {
		takes := strings.ToLower(p.Type)
		switch {
		case p.Values != nil:
			takes = strings.Join(p.Values, ", ")
		case p.IsMoment():
			takes = "moment"
		case p.Type == "VARCHAR":
			takes = "text"
		}
		doc := p.Doc
		switch p.Default {
		case "":
			doc = strings.TrimSpace(doc + " (must be given)")
		case "NULL":
		default:
			doc += " (default " + strings.Trim(p.Default, "'") + ")"
		}
		rows = append(rows, []string{"  " + p.Name, doc, takes})
	}
	return rows
}
