package confined

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine/duck"
	"hindsql/tables"
)

// rowlessQueries are statements whose plans, of the planner's optimizers, have all
// operators and functions that read no table.
var rowlessQueries = []string{
	"SELECT 1", "SELECT 1 WHERE false", "VALUES (1), (2)", "SELECT * FROM (VALUES (1), (2), (NULL::INT)) v(i) WHERE i > 1",
	"FROM range(3) a, range(3) b", "FROM range(3) a POSITIONAL JOIN range(2) b", "SELECT range FROM range(3) LIMIT 2", "FROM range(3) LIMIT 50%", "FROM range(3) ORDER BY range",
	"FROM range(3) ORDER BY range LIMIT 1", "FROM range(9) LIMIT (SELECT 3)", "SELECT count(*) FROM range(3)", "SELECT range % 2 AS r, count(*) FROM range(3) GROUP BY r", "SELECT DISTINCT range FROM range(3)",
	"SELECT DISTINCT ON (range % 2) range FROM range(3)", "SELECT list(range ORDER BY range) FROM range(3)", "SELECT kind, count(*) FROM (SELECT (range % 2)::UTINYINT AS kind FROM range(3)) GROUP BY kind",
	"SELECT * FROM range(3) a JOIN range(3) b USING (range)", "SELECT * FROM range(3) a LEFT JOIN range(3) b USING (range)", "SELECT * FROM range(3) a JOIN range(3) b ON a.range < b.range",
	"SELECT * FROM range(3) a JOIN range(3) b ON a.range < b.range AND a.range + 1 > b.range", "SELECT * FROM range(3) a JOIN range(3) b ON a.range <> b.range", "SELECT * FROM range(3) a JOIN range(3) b ON a.range::VARCHAR LIKE b.range::VARCHAR",
	"SELECT * FROM range(3) a LEFT JOIN range(3) b ON a.range::VARCHAR LIKE b.range::VARCHAR", "SELECT * FROM range(3) a FULL JOIN range(3) b ON a.range < b.range",
	"SELECT * FROM range(3) a LEFT JOIN range(3) b ON a.range < b.range", "SELECT * FROM range(3) a LEFT JOIN range(3) b ON a.range <> b.range",
	"SELECT * FROM range(3) a ASOF JOIN range(3) b ON a.range >= b.range", "SELECT * FROM range(3) a SEMI JOIN range(3) b USING (range)", "SELECT * FROM range(3) WHERE range IN (SELECT range FROM range(2))",
	"SELECT (SELECT max(b.range) FROM range(3) b WHERE b.range < a.range) FROM range(3) a", "SELECT * FROM range(3) a WHERE EXISTS (FROM range(3) b WHERE b.range = a.range)", "FROM range(3) a, LATERAL (SELECT a.range + 1 AS n)",
	"SELECT (SELECT b.range FROM range(3) b WHERE b.range > a.range LIMIT 1) FROM range(3) a", "SELECT a.range, (SELECT count(*) FROM unnest([a.range, 2]) u(i) WHERE i > a.range) FROM range(3) a",
	"SELECT * FROM range(3) a, LATERAL (SELECT * FROM range(a.range) b) c", "SELECT * FROM range(3) a, unnest([a.range]) u(i)", "SELECT unnest([1, 2])", "SELECT unnest([range]) FROM range(3)",
	"SELECT sum(range) OVER (ORDER BY range) FROM range(3)", "SELECT row_number() OVER () FROM range(3)", "SELECT lag(range) OVER (PARTITION BY range % 2) FROM range(3)",
	"FROM range(3) UNION ALL FROM range(2)", "FROM range(3) UNION FROM range(2)", "FROM range(3) EXCEPT FROM range(2)", "FROM range(3) INTERSECT FROM range(2)",
	"WITH x AS MATERIALIZED (FROM range(3)) FROM x a JOIN x b USING (range)", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 3) FROM r",
	"WITH RECURSIVE r AS (SELECT 1 AS i UNION SELECT i + 1 FROM r WHERE i < 3) FROM r", "WITH RECURSIVE r(i, n) USING KEY (i) AS (SELECT 1, 1 UNION SELECT i, n + 1 FROM r WHERE n < 3) FROM r",
	"WITH RECURSIVE r(i, n) USING KEY (i) AS (SELECT 1, 1 UNION (SELECT r.i, r.n + 1 FROM r JOIN recurring.r AS q USING (i) WHERE r.n < 3)) FROM r",
	"PIVOT (SELECT range % 2 AS k, range FROM range(4)) ON k IN (0, 1) USING sum(range)", "UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b", "FROM range(9) USING SAMPLE 3", "FROM range(9) USING SAMPLE 30%", "FROM range(9) USING SAMPLE reservoir(3 ROWS) REPEATABLE (1)",
	"FROM range(9) TABLESAMPLE bernoulli(30%)", "FROM range(9) TABLESAMPLE system(30%)", "SELECT * FROM range(3) a RIGHT JOIN (SELECT 1 AS i) b ON a.range = b.i",
	"FROM generate_series(1, 3)", "FROM json_each('[1]')", "FROM json_tree('[1]')", "SELECT j.value FROM (SELECT '[1]' AS t) x, json_each(x.t) j",
	"FROM duckdb_columns()", "FROM duckdb_functions()", "FROM duckdb_keywords()", "FROM duckdb_schemas()", "FROM duckdb_types()", "FROM duckdb_views()", "FROM sql_auto_complete('SEL')", "FROM unnest([1])",
	"SELECT * FROM range(3) a WHERE a.range > ALL (SELECT b.range FROM range(3) b WHERE b.range <> a.range)",
	"SELECT * FROM range(1000000) a JOIN range(1000000) b ON a.range < b.range", "SELECT * FROM range(1000000) a JOIN range(1000000) b ON a.range < b.range AND a.range + 1 > b.range",
	"PIVOT (SELECT range % 2 AS k, range FROM range(4)) ON k IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25) USING sum(range), max(range)",
	"VALUES (random()), (2)", "SELECT * FROM range(3) a, LATERAL (VALUES (a.range), (1)) v(i)", "FROM range(3) LIMIT 0", "SELECT * FROM (SELECT 1 AS i LIMIT 0) WHERE i = NULL", "FROM range(9) LIMIT 2 OFFSET 1",
	"FROM " + duck.StoreSchema + ".messages ORDER BY timestamp LIMIT 1", "FROM " + duck.StoreSchema + ".messages LIMIT 10 OFFSET 5", "SELECT agent, count(*) FROM " + duck.StoreSchema + ".messages GROUP BY agent",
	"SELECT grouping(k), k, count(*) FROM (SELECT range % 2 AS k FROM range(4)) GROUP BY ROLLUP (k)", "SELECT i FROM (VALUES (1), (2), (3)) v(i) WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 9)",
}

// TestRowless: the lists of operators and functions that read no table are those of the
// linked DuckDB. A missing name makes a worker copy all columns, a needless name hides
// that DuckDB has another.
func TestRowless(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newPlanner(ctx, openRequest{Tables: duck.TablesDDL(tables.Worktrees{}), Names: "CREATE SCHEMA memory." + duck.Names + "; CREATE SCHEMA memory." + tables.WithCopies, Doors: "SET lock_configuration = true"}, func(*sql.Conn) error { return nil })
	db, err := p.open()
	if err != nil {
		t.Fatal(err)
	}
	operators, functions := map[string]bool{}, map[string]bool{}
	var walk func([]operator)
	walk = func(list []operator) {
		for _, o := range list {
			switch {
			case o.Info.Table != "":
			case o.Info.Function != "":
				functions[strings.TrimSpace(o.Info.Function)] = true
			default:
				operators[strings.TrimSpace(o.Name)] = true
			}
			walk(o.Children)
		}
	}
	for _, query := range rowlessQueries {
		plan, err := p.plan(ctx, db, query, nil)
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
		walk(plan)
	}
	lower := func(set map[string]bool) (list []string) {
		for name := range set {
			list = append(list, strings.ToLower(name)) // as in WordSet
		}
		slices.Sort(list)
		return list
	}
	if !operators["POSITIONAL_SCAN"] {
		t.Error("no plan has POSITIONAL_SCAN, which hides its tables")
	}
	delete(operators, "POSITIONAL_SCAN")
	if diff := cmp.Diff(lower(operators), lower(rowless())); diff != "" {
		t.Errorf("operators (-DuckDB's +ours)\n%s", diff)
	}
	if diff := cmp.Diff(lower(functions), lower(rowlessFunctions())); diff != "" {
		t.Errorf("functions (-DuckDB's +ours)\n%s", diff)
	}
}
