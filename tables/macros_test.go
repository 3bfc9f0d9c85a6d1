package tables_test

import (
	"regexp"
	"strings"
	"testing"

	"hindsql/tables"
)

func TestMacrosAreDocumented(t *testing.T) {
	call := regexp.MustCompile(`^[a-z_]+\([a-z_]+(, [a-z_]+)*\)$`)
	if len(tables.Macros()) == 0 {
		t.Fatal("no macros")
	}
	for _, m := range tables.Macros() {
		checkName(t, m.Name)
		ddl := m.DDL("memory.x", "store.y")
		stored := m.StoredDDL("main", "y")
		switch {
		case !call.MatchString(m.Call):
			t.Errorf("%s: called as %q", m.Name, m.Call)
		case m.Title == "" || strings.HasSuffix(m.Title, "."):
			t.Errorf("%s: its title is a phrase without a final full stop: %q", m.Name, m.Title)
		case !strings.HasSuffix(m.Doc, "."):
			t.Errorf("%s: its doc is made of sentences, which end with a full stop: %q", m.Name, m.Doc)
		case !strings.Contains(m.Example, m.Name+"("):
			t.Errorf("%s: its example doesn't call it: %q", m.Name, m.Example)
		case !strings.HasPrefix(ddl, "CREATE MACRO memory.x."+m.Call+" AS ") || !strings.HasPrefix(stored, "CREATE MACRO main."+m.Call+" AS "):
			t.Errorf("%s: its statement makes another one: %.60s", m.Name, ddl)
		case strings.Contains(ddl+stored, "{schema}") || strings.Count(ddl+stored, "CREATE ") != 2:
			t.Errorf("%s: bad statements: %s", m.Name, ddl+stored)
		case strings.Contains(stored, "unified_diff(") || strings.Contains(stored, "log_line("):
			t.Errorf("%s: DuckDB alone has no such function: %s", m.Name, stored)
		}
	}
}

func TestUnifiedDiff(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"equal", "a", "a", ""},
		{"pieces", "a\nb", "a\nc", "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
		{"from nothing", "", "a\n", "--- old\n+++ new\n@@ -0,0 +1 @@\n+a\n"},
		{"newline added", "a", "a\n", "--- old\n+++ new\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := tables.UnifiedDiff(test.old, test.new); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
