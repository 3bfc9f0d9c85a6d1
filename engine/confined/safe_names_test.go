package confined_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"hindsql/engine/sandbox/allow"
	"hindsql/internal/whole"
)

// TestNamesAsTheBinderFindsThem: in a DuckDB with a single table, the check refuses a
// statement exactly when the binder looks for a name outside of the statement. The
// statement's own WITH queries also have names of files and views, such as /etc/passwd.
// If the check took such a name for the WITH query, but the binder did not, DuckDB
// would read the file.
func TestNamesAsTheBinderFindsThem(t *testing.T) {
	whole.Test(t, "binds a thousand statements, 1.7 s of processor time")
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE messages (v INTEGER)")
	must(t, err)
	names := allow.Names{Tables: map[string]bool{"messages": true}}
	g := withs{chance: rand.New(rand.NewPCG(39, 1))}
	seen := map[bool]int{}
	for range 1200 {
		statement := g.query(1 + g.chance.IntN(3))
		var tree, plan, text string
		must(t, db.QueryRow("SELECT json_serialize_sql(?::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)::VARCHAR", statement).Scan(&tree))
		err := db.QueryRow("EXPLAIN "+statement).Scan(&plan, &text)
		outside := err != nil && left.MatchString(err.Error())
		if err != nil && !outside {
			t.Fatalf("%s: %v", statement, err)
		}
		var refused *allow.Refused
		switch checked := allow.Check([]byte(tree), names); {
		case checked != nil && !errors.As(checked, &refused):
			t.Fatalf("%s: %v", statement, checked)
		case checked == nil && outside:
			t.Fatalf("allowed, but the binder leaves the statement: %s: %v", statement, err)
		case checked != nil && !outside:
			t.Fatalf("refused, but the binder stays in the statement: %s: %v", statement, checked)
		}
		seen[outside]++
	}
	if seen[true] < 200 || seen[false] < 200 {
		t.Errorf("one-sided: %v", seen)
	}
}

// left matches the binder's errors that show that it looked for a name outside of the
// statement.
var left = regexp.MustCompile(`does not exist|Circular reference|No extension found that is capable of reading`)

// withs makes statements of one column whose WITH clauses hide each other's names.
// Each query of a WITH is used: DuckDB binds no unused query.
type withs struct {
	chance *rand.Rand
	count  int
}

// alike lists names whose lower case differs between Go and DuckDB, too.
var alike = []string{"i", "I", "İ", "k", "\u212a", "/etc/passwd", "pg_set", "PG_SET"}

func (w *withs) name() string { return `"` + alike[w.chance.IntN(len(alike))] + `"` }

// table returns a table name, often of an existing table.
func (w *withs) table(names ...string) string {
	w.count++
	name := "messages"
	switch n := w.chance.IntN(12); {
	case n < len(names):
		name = names[n]
	case n == 8:
		name = w.name()
	case n == 9 && len(names) > 0:
		name = "recurring." + names[0]
	case n == 10:
		name = "Recurring." + w.name()
	}
	return fmt.Sprintf("%s AS t%d", name, w.count)
}

// query makes a query whose tables may use the given names.
func (w *withs) query(depth int, names ...string) string {
	if depth == 0 {
		return "SELECT 1 FROM " + w.table(names...)
	}
	inner := func() string { return w.query(depth-1, names...) }
	w.count++
	switch w.chance.IntN(14) {
	case 0:
		return fmt.Sprintf("(%s) UNION ALL (%s)", inner(), inner())
	case 1:
		return fmt.Sprintf("(%s) EXCEPT (%s) ORDER BY 1", inner(), inner())
	case 2:
		return fmt.Sprintf("SELECT 1 FROM %s WHERE EXISTS (%s)", w.table(names...), inner())
	case 3:
		return fmt.Sprintf("SELECT 1 FROM %s, LATERAL (%s) AS l%d", w.table(names...), inner(), w.count)
	case 4:
		return fmt.Sprintf("SELECT (%s) + 1 FROM %s ORDER BY (%s)", inner(), w.table(names...), inner())
	case 5:
		return fmt.Sprintf("SELECT count(*)::INTEGER FROM (DESCRIBE %s) AS d%d", inner(), w.count)
	case 6:
		return fmt.Sprintf("SELECT 1 FROM (%s) AS p%d JOIN %s ON EXISTS (%s)", inner(), w.count, w.table(names...), inner())
	case 7:
		return "SELECT 1 FROM " + w.table(names...)
	}
	return w.with(depth-1, names)
}

// with is a query with a WITH.
func (w *withs) with(depth int, names []string) string {
	var list, used []string
	before := map[string]bool{}
	recursive := w.chance.IntN(2) == 0
	for range 1 + w.chance.IntN(3) {
		name := w.name()
		if before[strings.ToLower(name)] {
			continue
		}
		before[strings.ToLower(name)] = true
		known := append([]string{name}, names...)
		definition := w.query(depth, known...)
		columns := ""
		if recursive && w.chance.IntN(3) > 0 {
			both := []string{"(" + w.query(depth, known...) + ")", "(" + w.query(depth, known...) + ")"}
			if w.chance.IntN(3) == 0 {
				columns = "(v) USING KEY (v)"
				definition = strings.Join(both, " UNION ALL ")
			} else if definition = strings.Join(both, " UNION "); w.chance.IntN(3) == 0 {
				own := w.name()
				definition = fmt.Sprintf("WITH %s AS (%s) (SELECT 1 FROM %s) UNION %s", own, w.query(depth, known...), own, both[1])
			}
		}
		kind := []string{"", "MATERIALIZED ", "NOT MATERIALIZED "}[w.chance.IntN(3)]
		if strings.Contains(columns, "KEY") {
			kind = ""
		}
		list = append(list, fmt.Sprintf("%s%s AS %s(%s)", name, columns, kind, definition))
		w.count++
		used = append(used, fmt.Sprintf("%s AS u%d", name, w.count))
		names = known
	}
	word := "WITH "
	if recursive {
		word = "WITH RECURSIVE "
	}
	return word + strings.Join(list, ", ") + " SELECT 1 FROM " + strings.Join(used, ", ") + " WHERE EXISTS (" + w.query(depth, names...) + ")"
}
