package complete

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// comparedColumn returns the column that is compared with the value typed after the
// code, as the parts of its name. It is nil if the code doesn't end in a comparison.
func comparedColumn(code sqltext.Code) (name []string) {
	switch {
	case code.Drop("<", ">"), code.Drop("!", "="), code.Drop("=", "="), code.Drop("="):
	case code.Drop("is", "distinct", "from"), code.Drop("is", "not", "distinct", "from"):
	case code.Drop("like"), code.Drop("ilike"):
		code.Drop("not")
	default:
		if code = withoutStrings(code); !code.Drop("in", "(") {
			return nil
		}
		code.Drop("not")
	}
	for {
		part := code.Last().Name()
		if part == "" {
			return name
		}
		name, code = append([]string{part}, name...), code[:len(code)-1]
		if !code.Drop(".") {
			return name
		}
	}
}

// withoutStrings returns the code without the strings at its end, if each has a comma
// after it: the finished values of a list.
func withoutStrings(code sqltext.Code) sqltext.Code {
	for rest := code; rest.Drop(",") && rest.Last().Kind == sqltext.String; code = rest {
		rest = rest[:len(rest)-1]
	}
	return code
}

// ofSession reports whether the code ends in a call such as session(, after which the
// id of a session is expected.
func ofSession(code sqltext.Code) bool { return code.Drop("session", "(") || code.Drop("cost", "(") }

// readsFile reports whether the code ends in FROM, read_csv( or the like, after which
// the name of a file is possible.
func readsFile(code sqltext.Code) bool {
	if slices.Contains([]string{"from", "join", "to", "attach", "database", "load", "install"}, code.Last().Word()) {
		return true
	}
	code = withoutStrings(code)
	code.Drop("[")
	if !code.Drop("(") {
		return false
	}
	name := code.Last().Word()
	return strings.HasPrefix(name, "read_") || strings.HasSuffix(name, "_scan") || strings.HasPrefix(name, "parquet_") || name == "glob" || name == "sniff_csv"
}

// completeString completes a text that ends in a string: with values of the compared
// column, or ids of sessions. done is false for other texts, and for names of files,
// which DuckDB suggests.
func (w *Completer) completeString(ctx context.Context, c cursor, before, after string, columns map[string][]string, named map[string]string) (found Words, done bool) {
	quote := c.openString()
	if quote < 0 {
		return found, false
	}
	code := c.code[:len(c.code)-1]
	name := comparedColumn(code)
	if name == nil && readsFile(code) {
		return found, false
	}
	typed := strings.ReplaceAll(before[quote+1:], "''", "'")
	var values []string
	if name != nil {
		if table, column := sourceOf(name, columns, named); table != "" {
			values = w.Values(ctx, table, column)
		}
	} else if ofSession(code) {
		values = w.Values(ctx, "sessions", "session_id")
	}
	end := "'"
	if strings.HasPrefix(after, "'") {
		end = ""
	}
	found.Start = quote + 1
	for _, value := range withPrefix(values, typed) {
		found.Words = append(found.Words, strings.ReplaceAll(value, "'", "''")+end)
	}
	return found, true
}

// sourceOf returns the table to look up a column's values in: the table of the column's
// alias, otherwise the first table with the column, of the statement's tables and then
// of all tables. Columns of a session's properties are looked up in the small table
// sessions.
func sourceOf(name []string, columns map[string][]string, named map[string]string) (table, column string) {
	column = name[len(name)-1]
	has := func(table string) bool { return slices.Contains(columns[table], column) }
	if len(name) > 1 {
		table = named[name[len(name)-2]]
	}
	if table == "" {
		var candidates []string
		for _, t := range named {
			candidates = append(candidates, t)
		}
		slices.Sort(candidates)
		for _, t := range tables.Shown() {
			candidates = append(candidates, t.Name)
		}
		if i := slices.IndexFunc(candidates, has); i >= 0 {
			table = candidates[i]
		}
	}
	if has("sessions") && slices.Contains([]string{"agent", "project", "session_id", "model", "host"}, column) {
		table = "sessions"
	}
	if !has(table) {
		return "", ""
	}
	return table, column
}

// lookUp is the time bound of a lookup of values, and mostValues the most values
// returned.
const (
	lookUp     = 300 * time.Millisecond
	mostValues = 500
)

// Values returns values of a column as text: the latest session ids, or the most
// frequent values of another column, at most some hundred. It returns nil if the lookup
// takes long, or if the store can't be read. Values are kept until the next sync, for a
// user who presses Tab again.
func (w *Completer) Values(ctx context.Context, table, column string) (list []string) {
	key := table + "." + column
	if at := w.source.SyncedAt(); !at.Equal(w.valuesAt) || w.columnValues == nil {
		w.columnValues, w.valuesAt = map[string][]string{}, at
	}
	if list, ok := w.columnValues[key]; ok {
		return list
	}
	ctx, stop := context.WithTimeout(ctx, lookUp)
	defer stop()
	order := "count(*) DESC, 1"
	if column == "session_id" && table == "sessions" {
		order = "max(started_at) DESC"
	}
	name := sqltext.Identifier(column)
	query := fmt.Sprintf("SELECT CAST(%[1]s AS VARCHAR) FROM %[2]s WHERE %[1]s IS NOT NULL AND length(CAST(%[1]s AS VARCHAR)) <= 200 GROUP BY %[1]s ORDER BY %[3]s LIMIT %[4]d", name, table, order, mostValues)
	err := w.source.Each(ctx, query, func(scan func(...any) error) error {
		var value string
		err := scan(&value)
		list = append(list, value)
		return err
	})
	if err != nil {
		list = nil
	}
	w.columnValues[key] = list
	return list
}

// cursor is the end of a text, where a word is typed.
type cursor struct {
	code    sqltext.Code  // before the word
	touched sqltext.Token // token right before the word: also space, a comment
	word    string        // the typed part of the word
}

func cursorAt(text string) cursor {
	var c cursor
	all := slices.Collect(sqltext.Tokens(text))
	if last := len(all) - 1; last >= 0 && all[last].Kind == sqltext.Word {
		c.word, all = all[last].Text, all[:last]
	}
	for _, t := range all {
		if c.touched = t; t.IsCode() {
			c.code = append(c.code, t)
		}
	}
	return c
}

// afterFrom reports whether a table's name is expected.
func (c cursor) afterFrom() bool {
	return !c.touched.Open && slices.Contains([]string{"from", "join"}, c.code.Last().Word())
}

// startsName reports whether a name may begin with the word at the cursor.
func (c cursor) startsName() bool {
	if c.touched.IsCode() {
		return len(c.touched.Text) == 1 && strings.Contains("(,=<>+*/-", c.touched.Text)
	}
	return !c.touched.Open
}

// owner returns the table or alias before a point at the cursor, in small letters;
// empty if the cursor follows no point.
func (c cursor) owner() string {
	code := c.code
	if c.touched.Text != "." || !code.Drop(".") {
		return ""
	}
	return code.Last().Name()
}

// unknownOwner reports whether the owner may be an alias whose table isn't typed yet: it
// follows no other point, and isn't the beginning of a table's name after FROM.
func (c cursor) unknownOwner() bool {
	before := c.code.At(len(c.code) - 3).Word()
	return c.owner() != "" && !slices.Contains(schemas, c.owner()) && !slices.Contains([]string{".", "from", "join"}, before)
}

// openString returns the position of the opening quote if the text ends in a string,
// otherwise -1. A text that ends right after a closing quote also ends in the string:
// one more quote would continue the string.
func (c cursor) openString() int {
	if c.word == "" && c.touched.Kind == sqltext.String && c.touched.Text[0] == '\'' {
		return c.touched.At
	}
	return -1
}
