package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/result"
)

// TestWhatTheDriverLacks: types that duckdb-go refuses come as DuckDB writes them,
// under their own names, on each way out of a session.
func TestWhatTheDriverLacks(t *testing.T) {
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
		must(t, s.Arrow(t.Context(), query, nil, func(r *engine.Records) error {
			if !r.Next() || r.RecordBatch().NumRows() != 1 {
				t.Errorf("%s, Arrow: %v", query, r.Err())
			}
			return nil
		}))
		must(t, s.HandOver(t.Context(), t.TempDir(), "q", query, nil, func(h *engine.Handed) error {
			return h.Exec(t.Context(), "CREATE TABLE got AS "+h.From())
		}))
	}
}

// TestSameNames: a type has one name, whatever else stands in the query.
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

// TestWhatNobodyCasts: a statement that can't be put into a query says at once
// what to do, instead of an error behind the first rows, or a crash.
func TestWhatNobodyCasts(t *testing.T) {
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
