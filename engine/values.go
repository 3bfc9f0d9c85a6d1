package engine

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"hindsql/tables"
)

// openString is where the string begins in which a text ends, with its quote; -1
// where it ends in none.
func openString(text string) int {
	longer, i := text+"'", 0
	for i < len(text) {
		n, _ := token(longer[i:])
		if i+n > len(text) {
			if longer[i] == '\'' {
				return i
			}
			return -1
		}
		i += n
	}
	return -1
}

var (
	// compared is what stands before a value of a column.
	compared = regexp.MustCompile(`(?is)([\pL_][\pL\d_.]*|"[^"]+")\s*(=|==|<>|!=|(?:NOT\s+)?I?LIKE|IS\s+(?:NOT\s+)?DISTINCT\s+FROM|(?:NOT\s+)?IN\s*\((?:\s*'(?:[^']|'')*'\s*,)*)\s*$`)
	// identified is what stands before the id of a session.
	identified = regexp.MustCompile(`(?i)\b(session|cost)\s*\(\s*$`)
	// readsFiles is what stands before the name of a file.
	readsFiles = regexp.MustCompile(`(?i)((\bread_\w+|_scan|\bglob|\bsniff_csv|\bparquet_\w+)\s*\(\s*\[?(\s*'[^']*'\s*,)*|\b(FROM|JOIN|TO|ATTACH|DATABASE|LOAD|INSTALL))\s*$`)
)

// completeString completes a text that ends in a string: values of the column that
// it is compared with, ids of sessions, names of files where SQL reads some. done
// says that nothing else may stand there.
func (w *completer) completeString(ctx context.Context, before, after string, columns map[string][]string, named map[string]string) (found Completions, done bool) {
	quote := openString(before)
	if quote < 0 {
		return found, false
	}
	code := before[:quote]
	m := compared.FindStringSubmatch(code)
	if m == nil && readsFiles.MatchString(code) {
		return found, false
	}
	typed := strings.ReplaceAll(before[quote+1:], "''", "'")
	var values []string
	if m != nil {
		if table, column := sourceOf(m[1], columns, named); table != "" {
			values = w.valuesOf(ctx, table, column)
		}
	} else if identified.MatchString(code) {
		values = w.valuesOf(ctx, "sessions", "session_id")
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
func sourceOf(name string, columns map[string][]string, named map[string]string) (table, column string) {
	parts := strings.Split(strings.ToLower(strings.ReplaceAll(name, `"`, "")), ".")
	column = parts[len(parts)-1]
	has := func(table string) bool { return slices.Contains(columns[table], column) }
	if len(parts) > 1 {
		table = named[parts[len(parts)-2]]
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

// Values are those of a column, as text: the latest ids, and of another column
// those that stand most often, at most some hundred. It gives none where that
// would take long, and where the store can't be read.
func (s *Session) Values(ctx context.Context, table, column string) []string {
	return s.in.valuesOf(ctx, table, column)
}

func (s *connection) valuesOf(ctx context.Context, table, column string) []string {
	if err := s.take(ctx); err != nil {
		return nil
	}
	defer s.give(ctx)
	return s.words.valuesOf(ctx, table, column)
}

// lookUp is how long the values of a column may be looked for, and mostValues how
// many are given.
const (
	lookUp     = 300 * time.Millisecond
	mostValues = 500
)

// valuesOf remembers what it found until the next sync: a person presses Tab again.
func (w *completer) valuesOf(ctx context.Context, table, column string) (list []string) {
	key := table + "." + column
	if at := w.s.syncedAt(); !at.Equal(w.valuesAt) || w.columnValues == nil {
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
	name := tables.Identifier(column)
	query := fmt.Sprintf("SELECT CAST(%[1]s AS VARCHAR) FROM %[2]s WHERE %[1]s IS NOT NULL AND length(CAST(%[1]s AS VARCHAR)) <= 200 GROUP BY %[1]s ORDER BY %[3]s LIMIT %[4]d", name, table, order, mostValues)
	err := w.s.each(ctx, query, func(scan func(...any) error) error {
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
