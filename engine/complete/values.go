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

// compared is the column with which a value behind the code is compared, as the
// parts of its name; none where it is no such value.
func compared(code sqltext.Code) (name []string) {
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

// withoutStrings is the code without the strings at its end that a comma follows.
func withoutStrings(code sqltext.Code) sqltext.Code {
	for rest := code; rest.Drop(",") && rest.Last().Kind == sqltext.String; code = rest {
		rest = rest[:len(rest)-1]
	}
	return code
}

// ofSession says that the id of a session stands behind the code.
func ofSession(code sqltext.Code) bool {
	return code.Drop("session", "(") || code.Drop("cost", "(")
}

// readsFile says that the name of a file stands behind the code.
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

// completeString completes a text that ends in a string: values of the column that
// it is compared with, ids of sessions, names of files where SQL reads some. done
// says that nothing else may stand there.
func (w *Completer) completeString(ctx context.Context, c cursor, before, after string, columns map[string][]string, named map[string]string) (found Words, done bool) {
	quote := c.openString()
	if quote < 0 {
		return found, false
	}
	code := c.code[:len(c.code)-1]
	name := compared(code)
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

// sourceOf gives the table that the values of a column are looked up in: the one
// of its alias, else the first that has it of those that the statement names, else
// of all. Columns that say of what session something is are looked up in sessions,
// which is small.
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

// lookUp is how long the values of a column may be looked for, and mostValues how
// many are given.
const (
	lookUp     = 300 * time.Millisecond
	mostValues = 500
)

// Values are the values of a column, as text: the latest ids, and of another column
// those that stand most often, at most some hundred; nil where that would take long,
// and where the store can't be read. They are kept until the next sync: a person
// presses Tab again.
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
