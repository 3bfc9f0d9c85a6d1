package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
)

// TestWhatTheDriverLacks: values that duckdb-go refuses come as texts in DuckDB's
// notation, with their type's name, on each way out of a session.
func TestWhatTheDriverLacks(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.3 s of processor time")
	t.Parallel()
	s := open(t, sampleHome(t))
	for query, want := range map[string]struct{ typ, text string }{
		"SELECT (1, 2) AS x": {"STRUCT(INTEGER, INTEGER)", "(1, 2)"},
		"SELECT max((a, b)) AS x FROM (VALUES (1, 'x, y'), (0, 'z')) t(a, b)": {"STRUCT(INTEGER, VARCHAR)", "(1, 'x, y')"},
		"SELECT [{'a': (1, NULL)}] AS x":                                      {`STRUCT("a" STRUCT(INTEGER, INTEGER))[]`, "[{'a': (1, NULL)}]"},
		"SELECT {'k': 1}::VARIANT AS x":                                       {"VARIANT", "{'k': 1}"},
		"SELECT MAP{'k': 1::VARIANT} AS x":                                    {"MAP(VARCHAR, VARIANT)", "{k=1}"},
		"SELECT '12:00:00.123456789'::TIME_NS AS x":                           {"TIME_NS", "12:00:00.123456789"},
		"SELECT ['12:00:00'::TIME_NS] AS x":                                   {"TIME_NS[]", "['12:00:00']"},
		"SELECT MAP{[1]: 'a', [2]: 'b'} AS x":                                 {"MAP(INTEGER[], VARCHAR)", "{[1]=a, [2]=b}"},
		"SELECT MAP{'a'::BLOB: 1, 'b'::BLOB: 2} AS x":                         {"MAP(BLOB, INTEGER)", "{a=1, b=2}"},
		"SELECT get_type(1) AS x":                                             {"TYPE", "INTEGER"},
		"SELECT ('{\"b\": 1.10}')::JSON AS x":                                 {"JSON", `{"b": 1.10}`},
	} {
		see := func(way string) func(rows *result.Rows) error {
			return func(rows *result.Rows) error {
				set := []result.Column{{Name: "x", Type: want.typ}}
				if diff := cmp.Diff(set, rows.Columns); diff != "" {
					t.Errorf("%s, %s: %s", query, way, diff)
				}
				n, types := 0, result.Types(rows.Columns)
				for values, err := range rows.All() {
					if n++; err != nil || types[0].Text(values[0]) != want.text {
						t.Errorf("%s, %s: %v %v, want %s", query, way, values, err, want.text)
					}
				}
				if n != 1 {
					t.Errorf("%s, %s: %d rows, %v", query, way, n, rows.Err())
				}
				return nil
			}
		}
		must(t, s.Query(t.Context(), query, nil, see("query")))
		must(t, s.Page(t.Context(), query, nil, engine.Page{Rows: 10}, see("page")))
		must(t, s.HandOver(t.Context(), t.TempDir(), "q", query, nil, func(h *engine.Handed) error {
			return h.Exec(t.Context(), "CREATE TABLE got AS "+h.From())
		}))
	}
}

// TestSameNames: a type has the same name in any query.
func TestSameNames(t *testing.T) {
	t.Parallel()
	s := open(t, sampleHome(t))
	const columns = `now() AS a, '10:00:00+01'::TIMETZ AS b, 'x'::ENUM('x', 'y') AS c, {'a b': 1, 'c': now()} AS d, [1.5] AS e, NULL AS f, 'POINT (1 2)'::GEOMETRY AS g`
	var alone, beside, paged []result.Column
	take := func(to *[]result.Column) func(*result.Rows) error {
		return func(rows *result.Rows) error {
			*to = rows.Columns
			return nil
		}
	}
	must(t, s.Query(t.Context(), "SELECT "+columns, nil, take(&alone)))
	must(t, s.Query(t.Context(), "SELECT "+columns+", '{}'::JSON AS j", nil, take(&beside)))
	must(t, s.Page(t.Context(), "SELECT "+columns, nil, engine.Page{Rows: 1}, take(&paged)))
	if diff := cmp.Diff(alone, paged); diff != "" {
		t.Errorf("a page's (-whole +page)\n%s", diff)
	}
	if diff := cmp.Diff(append(alone, result.Column{Name: "j", Type: "JSON"}), beside); diff != "" {
		t.Errorf("beside a JSON (-alone +beside)\n%s", diff)
	}
}

// TestWhatNobodyCasts: a statement that can't stand in a query returns an error with
// advice before the first row, instead of a late error or a crash.
func TestWhatNobodyCasts(t *testing.T) {
	whole.Test(t, "asks for each type, 0.7 s of processor time")
	t.Parallel()
	s := open(t, sampleHome(t))
	for i, query := range []string{"SELECT (1, 2) AS x", "SELECT 1::VARIANT AS x", "SELECT ['12:00'::TIME_NS] AS x", "SELECT MAP{'a'::BLOB: 1, 'b'::BLOB: 2} AS x"} {
		name := string(rune('a' + i))
		must(t, s.Query(t.Context(), "PREPARE "+name+" AS "+query, nil, func(*result.Rows) error { return nil }))
		err := s.Query(t.Context(), "EXECUTE "+name, nil, func(*result.Rows) error {
			t.Errorf("%s: rows came", query)
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "x::VARCHAR") {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// TestTypesOfTheWorker: the least value, the greatest value and NULL of each DuckDB
// type, also nested, give the same cells and names with and without a worker.
func TestTypesOfTheWorker(t *testing.T) {
	whole.Test(t, "loads stores again and again, 2.8 s of processor time")
	t.Parallel()
	c := sampleHome(t)
	plain, safe := open(t, c), open(t, safely(c, engine.Safe{}))
	queries := []string{
		"SELECT (1, 2) AS a, [(1, {'x': 2})] AS b, 1::VARIANT AS c, ['12:00:00.5'::TIME_NS] AS d", "SELECT NULL AS a, [] AS b, {'a': NULL} AS c, MAP{} AS d",
		"SELECT MAP{[1]: 2, [2]: 3} AS a, MAP{'a'::BLOB: 1, 'b'::BLOB: 2} AS b", "SELECT 1 AS a, 2 AS a, 3 AS \"\"\"\"", "SELECT 1 AS n, 'x'::ENUM('x', 'y, )') AS e WHERE false",
		"SELECT unnest([union_value(a := 1), NULL]) AS u", "SELECT unnest([340282366920938463463374607431768211455::UHUGEINT, NULL, 0]) AS n", "FROM range(5000)",
		"DESCRIBE SELECT 1 AS a", "SUMMARIZE SELECT 1 AS a, 'x' AS b", "SELECT timestamp, input FROM tool_calls ORDER BY ALL", "FROM sessions ORDER BY ALL",
	}
	queries = append(queries, ofAllTypes(t, plain)...)
	for _, query := range queries {
		want, err := seen(t, plain, query)
		must(t, err)
		got, err := seen(t, safe, query)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-plain +worker)\n%s", query, err, diff)
		}
	}
}

// ofAllTypes returns queries of DuckDB's own test values.
func ofAllTypes(t *testing.T, s face) (queries []string) {
	t.Helper()
	for _, column := range rows(t, s, "SELECT column_name FROM (DESCRIBE FROM test_all_types()) WHERE column_name NOT IN ('large_enum', 'union')") {
		name := sqltext.Identifier(column)
		written := rows(t, s, fmt.Sprintf("SELECT DISTINCT 'CAST(' || coalesce('''' || replace(%[1]s::VARCHAR, '''', '''''') || '''', 'NULL') || ' AS ' || typeof(%[1]s) || ')' FROM test_all_types()", name))
		written = slices.DeleteFunc(written, func(value string) bool { // DuckDB can't read its own text of the greatest TIMESTAMPTZ
			_, err := tryRows(s, "SELECT "+value, nil)
			return err != nil
		})
		if len(written) < 2 {
			t.Errorf("%s: %v", column, written)
			continue
		}
		slices.Sort(written)
		list := strings.Join(written, ", ")
		queries = append(queries, fmt.Sprintf("SELECT unnest([%s]) AS v, {'a b': [%[1]s]} AS s, MAP{'k': %[2]s} AS m, [[%[1]s]] AS l, unnest([union_value(u := %[2]s), NULL]) AS u", list, written[0]))
	}
	if len(queries) < 40 {
		t.Errorf("DuckDB has %d types to test itself with", len(queries))
	}
	return queries
}

// seen returns a query's columns and cells, each cell as text, as JSON and as a Go
// value.
func seen(t *testing.T, s face, query string) (lines []string, err error) {
	t.Helper()
	err = s.Query(t.Context(), query, nil, func(r *result.Rows) error {
		types := result.Types(r.Columns)
		lines = append(lines, fmt.Sprint(r.Columns))
		for values, err := range r.All() {
			if err != nil {
				return err
			}
			for i, v := range values {
				kind := strings.NewReplacer("duckdb.OrderedMap", "map", "sandbox.Map", "map").Replace(fmt.Sprintf("%T", v))
				lines = append(lines, kind+" "+types[i].Text(v)+" "+string(types[i].AppendJSON(nil, v)))
			}
		}
		return nil
	})
	return lines, err
}
