// Package complete tells how a statement may go on at the cursor: tables, columns,
// functions, keywords, values of a column, names of files.
//
// In: SQL text, a position in the text, and a [Source] that asks DuckDB. Out: words.
// Nothing of the user's text is run.
package complete

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Source is a Completer's access to DuckDB.
type Source struct {
	// Each calls use for each row of a query of hindsql's own.
	Each func(ctx context.Context, query string, use func(scan func(...any) error) error) error
	// Describe returns the columns that a user's query would have; nil if the query is
	// wrong or not allowed.
	Describe func(ctx context.Context, query string) []string
	// Detach detaches the store. DuckDB then doesn't suggest the tables that users don't
	// see (inner tables).
	Detach func(ctx context.Context)
	// SyncedAt returns the time of the last sync. A later sync may change values.
	SyncedAt func() time.Time
	// Schema is the schema of the views and functions that need no schema's name.
	Schema string
}

// Words are the possible completions of a word of SQL.
type Words struct {
	Start int      // first byte of the word in the text
	Words []string // each replaces the whole word; the likeliest first
}

// Completer completes SQL. It keeps columns, by table and by a query's text, until a
// statement runs, and values, by table and column, until a sync. It is for one
// goroutine at a time.
type Completer struct {
	source       Source
	tableColumns map[string][]string
	described    map[string][]string
	columnValues map[string][]string
	valuesAt     time.Time
}

// New returns a Completer that asks the source.
func New(source Source) *Completer { return &Completer{source: source} }

// ResetColumns drops the columns, which a statement may have changed.
func (w *Completer) ResetColumns() { w.tableColumns, w.described = nil, nil }

// Complete returns the words that may stand at a byte position of SQL text. It runs
// nothing of the text: queries inside the text are only bound, to learn their columns.
// The error is DuckDB's.
func (w *Completer) Complete(ctx context.Context, text string, at int) (Words, error) {
	before, statement := statementAt(text, at)
	columns, err := w.knownColumns(ctx)
	if err != nil {
		return Words{}, err
	}
	named, c := namedTables(statement, columns), cursorAt(before)
	if found, done := w.completeString(ctx, c, before, text[at:], columns, named); done {
		found.Start += at - len(before)
		return found, nil
	}
	own := w.addRelations(ctx, c, statement, columns, named)
	if table, ok := named[c.owner()]; ok {
		return Words{at - len(c.word), withPrefix(columns[table], c.word)}, nil
	}
	if c.unknownOwner() && len(own) == 0 {
		return Words{at - len(c.word), withPrefix(columnsFor(c.owner(), columns), c.word)}, nil
	}
	w.source.Detach(ctx)
	found, err := w.suggest(ctx, before, columnsOf(named, columns))
	typed := before[min(found.Start, len(before)):]
	found.Words = withPrefix(append(own, found.Words...), typed)
	found.Start += at - len(before)
	return found, err
}

// schemas are the names before a point that are no table and no alias.
var schemas = []string{"main", "store", "memory", "temp", "system", tables.WithCopies}

// columnsFor returns the columns that may follow an alias whose table isn't typed yet:
// the columns of the tables that begin like the alias, or of all tables.
func columnsFor(alias string, columns map[string][]string) (list []string) {
	for _, begins := range []string{alias, ""} {
		for _, table := range slices.Sorted(maps.Keys(columns)) {
			if strings.HasPrefix(table, begins) && !strings.HasPrefix(table, tables.WithCopies) {
				list = append(list, columns[table]...)
			}
		}
		if list != nil {
			return list
		}
	}
	return nil
}

// addRelations adds the relations that the statement itself makes (see relation) to
// columns and named, as if they were tables. The key of a relation is its SQL, which is
// no table's name. words are the names of common table expressions if the cursor stands
// after FROM, otherwise the relations' columns.
func (w *Completer) addRelations(ctx context.Context, c cursor, statement string, columns map[string][]string, named map[string]string) (words []string) {
	owner, afterFrom := c.owner(), c.afterFrom()
	for _, r := range relations(statement) {
		if afterFrom {
			if r.with {
				words = append(words, r.names[0])
			}
			continue
		}
		if owner != "" && !slices.Contains(r.names, owner) {
			continue // the cursor asks for columns of another relation
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

// statementAt returns the statement at a position of the text, and the statement's part
// before the position.
func statementAt(text string, at int) (before, statement string) {
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

// knownColumns returns a copy of the known columns, for the caller to add to. The
// columns are looked up again after each statement, because a statement may make
// tables.
func (w *Completer) knownColumns(ctx context.Context) (map[string][]string, error) {
	if w.tableColumns == nil {
		columns, err := w.columns(ctx)
		if err != nil {
			return nil, err
		}
		w.tableColumns = columns
	}
	return maps.Clone(w.tableColumns), nil
}

// columns returns the columns of each table and view with a plain name, or in
// with_copies, by the name in small letters. If names collide, the user's table wins,
// and a temporary table before another.
func (w *Completer) columns(ctx context.Context) (map[string][]string, error) {
	columns := map[string][]string{}
	err := w.source.Each(ctx, fmt.Sprintf(`SELECT if(schema_name = %[1]s, schema_name || '.', '') || lower(table_name), list(column_name ORDER BY column_index)
		FROM duckdb_columns() WHERE NOT internal AND database_name IN ('temp', 'memory')
		GROUP BY database_name, schema_name, table_name, table_oid
		ORDER BY schema_name = %[2]s DESC, database_name, table_oid`, sqltext.Literal(tables.WithCopies), sqltext.Literal(w.source.Schema)),
		func(scan func(...any) error) error {
			var table string
			var list []any
			if err := scan(&table, &list); err != nil {
				return err
			}
			columns[table] = nil
			for _, column := range list {
				columns[table] = append(columns[table], fmt.Sprint(column))
			}
			return nil
		})
	return columns, err
}

// namedTables returns the known tables in a statement, by their names and by the
// aliases after them, in small letters.
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

// tableAt returns the table whose name ends at token i of the code. A schema or
// database before the name must be main, store, memory or with_copies; otherwise known
// is false.
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

// afterTable are words that may follow a table without being an alias.
var afterTable = strings.Fields(`select where group order having limit offset qualify window using on join inner left right
	full cross natural semi anti asof positional lateral union except intersect sample tablesample pivot unpivot set values from at
	returning and or as`)

// withPrefix returns the names that begin with the prefix, in any case. A keyword ends
// with a space, and is left out if an earlier name is the same word.
func withPrefix(names []string, prefix string) []string {
	var list []string
	for _, name := range names {
		if len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) && !slices.Contains(list, strings.TrimSpace(name)) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// columnsOf returns the columns of the named tables; nil if no table is named.
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

// suggest asks DuckDB how a text goes on. It leaves out words that don't begin with the
// typed letters, and columns that aren't in columns, unless columns is nil.
func (w *Completer) suggest(ctx context.Context, before string, columns map[string]bool) (Words, error) {
	found := Words{Start: len(before)}
	var words []string
	ours, inner := declaredNames(), innerTables()
	err := w.source.Each(ctx, "SELECT suggestion, suggestion_start, suggestion_type FROM sql_auto_complete("+sqltext.Literal(before)+")", func(scan func(...any) error) error {
		var word, kind string
		if err := scan(&word, &found.Start, &kind); err != nil {
			return err
		}
		word = plainName(word, ours)
		if strings.HasPrefix(word, w.source.Schema) || inner[strings.TrimSpace(word)] {
			return nil // names in the schema need no prefix; a safe Store can't detach the inner tables
		}
		if kind != "column" || columns == nil || columns[word] {
			words = append(words, word)
		}
		return nil
	})
	typed := before[min(found.Start, len(before)):]
	found.Words = slices.DeleteFunc(withPrefix(words, typed), func(w string) bool { return typed == "" && isSign(w) })
	return found, err
}

// isSign reports whether a word is a sign such as (, and neither a name of SQL nor of a
// file. Users don't look for signs.
func isSign(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return !unicode.IsLetter(first) && !strings.ContainsRune(`_"/~.`, first)
}

// plainName removes the quotes from a word that is one of ours, hindsql's functions and
// columns: they need no quotes. It returns other words unchanged.
func plainName(word string, ours map[string]bool) string {
	if name := strings.Trim(word, `"`); ours[name] {
		return name
	}
	return word
}

// innerTables marks the tables that users don't see.
func innerTables() map[string]bool {
	inner := map[string]bool{}
	for _, t := range tables.All() {
		inner[t.Name] = t.Internal
	}
	return inner
}

// declaredNames returns the functions and columns that package tables declares.
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
