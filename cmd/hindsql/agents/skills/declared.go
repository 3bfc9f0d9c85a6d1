package skills

import (
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/tables"
)

// telling is how many columns of a table a skill lists. Tables declare the most useful
// columns first.
const telling = 18

// keys are the columns by which tables are joined. A skill always lists them.
var keys = []string{"session_id", "message_index", "tool_use_id"}

// tableLines returns a line with the main columns for each table shown to users, and
// one line for the tables with copied rows.
func tableLines() string {
	var lines strings.Builder
	var whole []string
	for _, t := range tables.Shown() {
		if strings.HasPrefix(t.Name, tables.WithCopies) {
			whole = append(whole, t.Name)
			continue
		}
		fmt.Fprintf(&lines, "- **%s**: %s %s\n", t.Name, words.FirstSentence(t.Doc), columns(t))
	}
	fmt.Fprintf(&lines, "- **%s**: the same tables with all rows, including rows copied by resumed and forked sessions (is_copy) and rows that are only inferred (is_inferred).\n", strings.Join(whole, "**, **"))
	return lines.String()
}

// columns lists a table's main columns. It adds a column's type, except for the most
// frequent types.
func columns(t *tables.Table) string {
	var names []string
	left := 0
	for i, c := range t.Columns {
		if i >= telling && !slices.Contains(keys, c.Name) || c.Name == "source_id" {
			left++
			continue
		}
		name := c.Name
		if c.Type != "VARCHAR" && c.Type != "BIGINT" && c.Type != "TIMESTAMPTZ" {
			name += " " + c.Type
		}
		names = append(names, name)
	}
	text := "`" + strings.Join(names, ", ") + "`"
	if left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}

// enumerated lists columns that have only a few values, which a skill names.
var enumerated = []struct{ table, column string }{
	{"sessions", "kind"}, {"messages", "kind"}, {"messages", "typed_by"}, {"tool_calls", "tool_kind"}, {"tool_calls", "status"},
	{"tool_calls", "decision"}, {"tool_calls", "decided_by"}, {"tool_calls", "decision_scope"}, {"rejections", "decided_by"}, {"interruptions", "phase"},
}

// wordLines returns a line for each enumerated column with its values.
func wordLines() string {
	var lines strings.Builder
	for _, w := range enumerated {
		fmt.Fprintf(&lines, "- %s.%s: %s\n", w.table, w.column, columnOf(w.table, w.column).Doc)
	}
	return lines.String()
}

func columnOf(table, column string) tables.Column {
	for _, t := range tables.Shown() {
		for _, c := range t.Columns {
			if t.Name == table && c.Name == column {
				return c
			}
		}
	}
	panic(table + "." + column + ": no such column")
}

// functionLines returns a line for each function.
func functionLines() string {
	var lines strings.Builder
	for _, m := range tables.Macros() {
		fmt.Fprintf(&lines, "- `%s`: %s\n", m.Call, m.Title)
	}
	return lines.String()
}

// titleOf returns a saved query's title, for templates.
func titleOf(query string) string {
	q, _ := queries.Find("", query)
	if q == nil {
		panic(query + ": no such saved query")
	}
	return q.Title
}
