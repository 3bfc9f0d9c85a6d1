package tables_test

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/tables"
)

var update = flag.Bool("update", false, "rewrite README.md")

func TestDocs(t *testing.T) {
	if *update {
		if err := os.WriteFile("README.md", []byte(tables.Docs()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(page), "\n"), strings.Split(tables.Docs(), "\n")); diff != "" {
		t.Errorf("README.md is out of date; run go test ./tables -run Docs -update\n%s", diff)
	}
}

// reserved lists the words that DuckDB accepts as a column or table only in quotes: its
// keyword classes reserved and type_function.
var reserved = strings.Fields(`
	all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create
	default deferrable desc describe distinct do else end except false fetch for foreign from group having in
	initially intersect into lambda lateral leading limit not null offset on only or order pivot pivot_longer
	pivot_wider placing primary qualify references returning select show some summarize symmetric table then to
	trailing true union unique unpivot using variadic when where window with
	anti asof at authorization binary by collation concurrently cross freeze full generated glob ilike inner is
	isnull join left like map natural notnull outer overlaps positional right semi similar struct tablesample
	try_cast unpack verbose`)

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

func checkName(t *testing.T, name string) {
	t.Helper()
	if !snakeCase.MatchString(name) {
		t.Errorf("%s: not in snake_case", name)
	}
	if slices.Contains(reserved, name) {
		t.Errorf("%s: DuckDB takes it only in quotes", name)
	}
}

func TestNamesWorkUnquoted(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range append(tables.All(), tables.Lists()...) {
		checkName(t, table.Name)
		if seen[table.Name] {
			t.Errorf("%s is declared twice", table.Name)
		}
		seen[table.Name] = true
		columns := map[string]bool{}
		for _, c := range table.Columns {
			checkName(t, c.Name)
			if columns[c.Name] {
				t.Errorf("%s.%s is declared twice", table.Name, c.Name)
			}
			columns[c.Name] = true
		}
		for _, key := range table.Key {
			if !columns[key] {
				t.Errorf("%s: no column %s, which is in its key", table.Name, key)
			}
		}
	}
}

func TestProse(t *testing.T) {
	for _, table := range append(tables.All(), tables.Lists()...) {
		if !strings.HasSuffix(table.Doc, ".") {
			t.Errorf("%s: its doc is made of sentences, which end with a full stop: %q", table.Name, table.Doc)
		}
		for _, c := range table.Columns {
			if c.Doc == "" || strings.HasSuffix(c.Doc, ".") || strings.TrimSpace(c.Doc) != c.Doc {
				t.Errorf("%s.%s: its doc is a phrase without a final full stop: %q", table.Name, c.Name, c.Doc)
			}
		}
	}
}

// TestSharedColumnsAgree checks that a column name has the same type in all tables, so
// joins need no casts.
func TestSharedColumnsAgree(t *testing.T) {
	first := map[string]string{}
	for _, table := range append(tables.All(), tables.Lists()...) {
		for _, c := range table.Columns {
			if typ, ok := first[c.Name]; ok && typ != c.Type {
				t.Errorf("%s.%s is %s, elsewhere %s", table.Name, c.Name, c.Type, typ)
			}
			first[c.Name] = c.Type
		}
	}
}

func TestDDL(t *testing.T) {
	for _, table := range tables.All() {
		if ddl := table.DDL("store.x"); table.View == "" && !strings.HasPrefix(ddl, "CREATE TABLE store.x."+table.Name+" (") {
			t.Errorf("%s: statement makes another table: %s", table.Name, ddl)
		}
	}
	for _, view := range tables.Views() {
		name := "store." + view.Name
		statements := append([]string{view.ViewDDL(name, tables.Schema)}, view.Comments(name)...)
		want := 2 + len(view.Columns)
		if view.HasCopies() {
			want = 3
		}
		if view.HasGuesses() {
			want = 4
		}
		if len(statements) != want {
			t.Errorf("%s: %d statements, want %d: CREATE, and comments for the view and each column of its own", view.Name, len(statements), want)
		}
		for _, statement := range statements {
			if !strings.Contains(statement, " "+name) {
				t.Errorf("%s: statement names another view: %s", view.Name, statement)
			}
			if strings.Count(statement, "'")%2 != 0 || strings.Contains(statement, "{schema}") {
				t.Errorf("%s: bad statement: %s", view.Name, statement)
			}
		}
	}
}

// TestShownTables checks three rules: plain tables have neither copies nor guesses,
// with_copies has both, and internal tables are hidden.
func TestShownTables(t *testing.T) {
	shown := map[string]*tables.Table{}
	for _, table := range tables.Shown() {
		shown[table.Name] = table
	}
	for _, table := range tables.All() {
		plain, whole := shown[table.Name], shown[tables.WithCopies+"."+table.Name]
		switch {
		case table.Internal:
			if plain != nil || whole != nil {
				t.Errorf("%s is shown", table.Name)
			}
		case plain == nil:
			t.Errorf("%s is not shown", table.Name)
		case plain.HasCopies() || plain.HasGuesses() || (whole != nil) != (table.HasCopies() || table.HasGuesses()):
			t.Errorf("%s: with copies %v", table.Name, whole != nil)
		}
	}
	marks := map[string][]string{
		"messages": {"is_copy"}, "tool_calls": {"is_copy"}, "compactions": {"is_copy"},
		"rejections": {"is_copy", "is_inferred"}, "interruptions": {"is_copy", "is_inferred"}, "clears": {"is_copy", "is_inferred"},
	}
	for name, want := range marks {
		plain, whole := shown[name], shown[tables.WithCopies+"."+name]
		if whole == nil {
			t.Errorf("no %s with copies", name)
			continue
		}
		has := func(c tables.Column) bool { return slices.Contains(plain.Columns, c) }
		if got := slices.DeleteFunc(slices.Clone(whole.Columns), has); len(got) != len(want) || len(whole.Columns) != len(plain.Columns)+len(want) ||
			!slices.EqualFunc(got, want, func(c tables.Column, name string) bool { return c.Name == name }) {
			t.Errorf("with_copies.%s has %v more, want %v", name, got, want)
		}
	}
}

// TestSourceIDs checks that source ids fit the 53 bits of a number in JSON.
func TestSourceIDs(t *testing.T) {
	for i := range 1000 {
		src := tables.Source{Agent: "a", Path: strings.Repeat("p", i)}
		if id := src.ID(); id < 0 || id >= 1<<53 || int64(float64(id)) != id {
			t.Errorf("%d", id)
		}
	}
}
