package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Completions are the ways in which a word of SQL may go on.
type Completions struct {
	Start int      // where the word begins, in bytes of the text
	Words []string // each in place of the whole word, the likeliest first
}

// Complete gives the words that may stand at a place of SQL text, which is in
// bytes: tables, columns, functions, keywords, values of a column, names of files
// where some are read. Behind an alias or a table and a point they are its
// columns; where the statement names tables, no columns but theirs are given. It
// runs nothing of the text: what that makes itself is bound only.
func (s *Session) Complete(ctx context.Context, text string, at int) (Completions, error) {
	return s.in.complete(ctx, text, at)
}

func (s *connection) complete(ctx context.Context, text string, at int) (Completions, error) {
	if err := s.take(ctx); err != nil {
		return Completions{}, err
	}
	defer s.give(ctx)
	before, statement := around(text, at)
	columns, err := s.words.knownColumns(ctx)
	if err != nil {
		return Completions{}, err
	}
	named, c := namedTables(statement, columns), cursorAt(before)
	if found, done := s.words.completeString(ctx, c, before, text[at:], columns, named); done {
		found.Start += at - len(before)
		return found, nil
	}
	own := s.words.own(ctx, c, statement, columns, named)
	if table, ok := named[c.owner()]; ok {
		return Completions{at - len(c.word), withPrefix(columns[table], c.word)}, nil
	}
	s.letGo(ctx) // the store's inner tables are nobody's to complete
	found, err := s.words.suggest(ctx, before, columnsOf(named, columns))
	typed := before[min(found.Start, len(before)):]
	found.Words = withPrefix(append(own, found.Words...), typed)
	found.Start += at - len(before)
	return found, err
}

// own makes known what the statement makes itself: in columns and named, as if it
// were tables, under names that no table has. Words are those of it that may stand
// at the cursor: names of tables behind FROM, else columns.
func (w *completer) own(ctx context.Context, c cursor, statement string, columns map[string][]string, named map[string]string) (words []string) {
	owner, afterFrom := c.owner(), c.afterFrom()
	for _, r := range relations(statement) {
		if afterFrom {
			if r.with {
				words = append(words, r.names[0])
			}
			continue
		}
		if owner != "" && !slices.Contains(r.names, owner) {
			continue // another's columns are asked for
		}
		list := w.columnsOfQuery(ctx, r.sql)
		if list == nil {
			continue
		}
		columns[r.sql] = list
		for _, name := range r.names {
			named[name] = r.sql
		}
		if owner == "" {
			words = append(words, list...)
		}
	}
	if c.startsName() || afterFrom {
		return words
	}
	return nil
}

// around is the statement that a place of the text is in, and what of it comes
// before that place.
func around(text string, at int) (before, statement string) {
	_, rest := sqltext.Split(text[:at])
	_, last := sqltext.Split(text)
	statement = text[len(rest.Before):]
	if len(last.Before) > at {
		if ended, _ := sqltext.Split(statement); len(ended) > 0 {
			statement = ended[0].Text
		}
	}
	return rest.Text, statement
}

// knownColumns are those of columns, for the caller to add to. They are looked up
// once between two statements, which may make tables.
func (w *completer) knownColumns(ctx context.Context) (map[string][]string, error) {
	if w.tableColumns == nil {
		columns, err := w.columns(ctx)
		if err != nil {
			return nil, err
		}
		w.tableColumns = columns
	}
	return maps.Clone(w.tableColumns), nil
}

// columns are those of each table and view that has a plain name, or one in
// with_copies, under that name in small letters. Of two with one name the
// user's counts, a temporary one before the other.
func (w *completer) columns(ctx context.Context) (map[string][]string, error) {
	rows, err := w.s.conn.QueryContext(ctx, `SELECT if(schema_name = ?, schema_name || '.', '') || lower(table_name), list(column_name ORDER BY column_index)
		FROM duckdb_columns() WHERE NOT internal AND database_name IN ('temp', 'memory')
		GROUP BY database_name, schema_name, table_name, table_oid
		ORDER BY schema_name = ? DESC, database_name, table_oid`, tables.WithCopies, ourNames)
	if err != nil {
		return nil, sqlError(ctx, err)
	}
	defer rows.Close()
	columns := map[string][]string{}
	for rows.Next() {
		var table string
		var list []any
		if err := rows.Scan(&table, &list); err != nil {
			return nil, err
		}
		columns[table] = nil
		for _, column := range list {
			columns[table] = append(columns[table], fmt.Sprint(column))
		}
	}
	return columns, rows.Err()
}

// namedTables are the known tables that a statement names, by their names and
// by the aliases that follow them, in small letters.
func namedTables(statement string, columns map[string][]string) map[string]string {
	code := sqltext.CodeOf(statement)
	named := map[string]string{}
	for i, word := range code {
		table, known := tableAt(code, i, columns)
		if !known {
			continue
		}
		named[word.Name()] = table
		if name := aliasAt(code, i+1); name != "" {
			named[name] = table
		}
		if name := code.At(i - 2).Name(); name != "" && code.At(i-1).Word() == ":" {
			named[name] = table
		}
	}
	return named
}

// tableAt is the known table whose name ends with a word; what stands before a
// point is main or with_copies, of any database.
func tableAt(code sqltext.Code, i int, columns map[string][]string) (table string, known bool) {
	table = code[i].Name()
	if code.At(i-1).Word() == "." {
		switch code.At(i - 2).Name() {
		case "main", "store", "memory":
		case tables.WithCopies:
			table = tables.WithCopies + "." + table
		default:
			return "", false
		}
	}
	_, known = columns[table]
	return table, known
}

// afterTable are words that may follow a table and are no alias of it.
var afterTable = strings.Fields(`select where group order having limit offset qualify window using on join inner left right
	full cross natural semi anti asof positional lateral union except intersect sample tablesample pivot unpivot set values from at
	returning and or as`)

// withPrefix are the names that begin so, in any case; a keyword, which a space
// follows, isn't told beside a name that is spelt like it.
func withPrefix(names []string, prefix string) []string {
	var list []string
	for _, name := range names {
		if len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) && !slices.Contains(list, strings.TrimSpace(name)) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// columnsOf are the columns of the tables named; nil when there are none.
func columnsOf(named map[string]string, columns map[string][]string) map[string]bool {
	if len(named) == 0 {
		return nil
	}
	list := map[string]bool{}
	for _, table := range named {
		for _, c := range columns[table] {
			list[c] = true
		}
	}
	return list
}

// suggest asks DuckDB how a text goes on. It also names what is but alike, and
// columns of any table: those are left out.
func (w *completer) suggest(ctx context.Context, before string, columns map[string]bool) (Completions, error) {
	found := Completions{Start: len(before)}
	rows, err := w.s.conn.QueryContext(ctx, "SELECT suggestion, suggestion_start, suggestion_type FROM sql_auto_complete("+sqltext.Literal(before)+")")
	if err != nil {
		return found, sqlError(ctx, err)
	}
	defer rows.Close()
	var words []string
	ours, inner := declaredNames(), innerTables()
	for rows.Next() {
		var word, kind string
		if err := rows.Scan(&word, &found.Start, &kind); err != nil {
			return found, err
		}
		word = plainName(word, ours)
		if strings.HasPrefix(word, ourNames) || inner[strings.TrimSpace(word)] {
			continue // the names in it need no schema; a safe Store can't let go of the inner tables
		}
		if kind != "column" || columns == nil || columns[word] {
			words = append(words, word)
		}
	}
	typed := before[min(found.Start, len(before)):]
	found.Words = slices.DeleteFunc(withPrefix(words, typed), func(w string) bool { return typed == "" && isSign(w) })
	return found, rows.Err()
}

// isSign says that a word is no name, neither of SQL nor of a file: nobody looks
// for those.
func isSign(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return !unicode.IsLetter(first) && !strings.ContainsRune(`_"/~.`, first)
}

// plainName takes the quotes off a name of ours, as each works without.
func plainName(word string, ours map[string]bool) string {
	if name := strings.Trim(word, `"`); ours[name] {
		return name
	}
	return word
}

// innerTables are those that users don't see.
func innerTables() map[string]bool {
	inner := map[string]bool{}
	for _, t := range tables.All() {
		inner[t.Name] = t.Internal
	}
	return inner
}

// declaredNames are the functions and columns that the tables package declares.
func declaredNames() map[string]bool {
	ours := map[string]bool{}
	for _, m := range tables.Macros() {
		ours[m.Name] = true
	}
	for _, t := range tables.All() {
		for _, c := range t.Columns {
			ours[c.Name] = true
		}
	}
	return ours
}
