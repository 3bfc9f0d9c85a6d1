package export_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
)

// parquetOf writes a query's result into a file, and returns its path.
func parquetOf(t testing.TB, s face, query string, args map[string]any) (string, error) {
	t.Helper()
	var b bytes.Buffer
	err := export.WriteParquet(context.Background(), s.Session, export.Query{Name: "q", SQL: query, Args: args}, &b)
	if err != nil && b.Len() > 0 {
		t.Errorf("%s: %d bytes before %v", query, b.Len(), err)
	}
	path := filepath.Join(t.TempDir(), "q.parquet")
	must(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path, err
}

// TestSafeParquet: a query gives the same file in a safe store as in a plain store, by
// types and rows.
func TestSafeParquet(t *testing.T) {
	whole.Test(t, "loads stores again and again, 2.3 s of processor time")
	t.Parallel()
	c := sampleHome(t)
	plain, safe := open(t, c), open(t, safely(c, engine.Safe{}))
	queries := []string{
		`SELECT 1::TINYINT a, 2::UBIGINT b, 3::HUGEINT c, (-1)::HUGEINT AS d, 1.5::DECIMAL(18,3) e, 'x' f, NULL g, true h, 1.5::FLOAT i, 'nan'::DOUBLE j`,
		`SELECT DATE '2026-01-02' a, TIME '10:00:00' b, TIMESTAMP '2026-01-02 03:04:05.678901' c, TIMESTAMPTZ '2026-01-02 03:04:05+02' d,
			INTERVAL 3 DAY e, '2026-01-02'::TIMESTAMP_S f, '2026-01-02'::TIMESTAMP_MS g, '2026-01-02'::TIMESTAMP_NS h, '10:00:00+02'::TIMETZ i`,
		`SELECT '2d3b1f0e-0000-4000-8000-000000000001'::UUID a, '101'::BIT b, '\xAA'::BLOB c, 'b'::ENUM('a', 'b''c', 'b') d`,
		`SELECT [1, NULL, 3] a, {'x': 1, 'y "z"': ['a']} b, MAP {'k': 1} c, '{"a": 1}'::JSON d, [[1], []] e, [1, 2]::INTEGER[2] f`,
		`SELECT 1 AS a, 2 AS a, 3 AS "a b ""c""", 4 AS "'; DROP TABLE x; --"`,
		`SELECT [TIMESTAMPTZ '2026-01-02 03:04:05+02'] a, [3::HUGEINT] b, ['2d3b1f0e-0000-4000-8000-000000000001'::UUID] c`,
		`SELECT [{'a': 3::HUGEINT, 'b c': INTERVAL 3 DAY, 'd': '101'::BIT}] a, 340282366920938463463374607431768211455::UHUGEINT b, MAP{'2d3b1f0e-0000-4000-8000-000000000001'::UUID: 1} c`,
		"FROM sessions ORDER BY ALL", "FROM tool_calls ORDER BY ALL", "FROM messages WHERE line > $line ORDER BY ALL", "FROM sessions WHERE false",
		"FROM range(300000)", "SELECT count(*), sum(line) FROM messages;",
	}
	for _, query := range queries {
		var args map[string]any
		if strings.Contains(query, "$line") {
			args = map[string]any{"line": 2}
		}
		want, err := parquetOf(t, plain, query, args)
		must(t, err)
		got, err := parquetOf(t, safe, query, args)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		for _, show := range []string{"SELECT column_name, column_type FROM (DESCRIBE FROM %s)", "SELECT CAST(t AS VARCHAR) FROM %s t", "SELECT decode(value) FROM parquet_kv_metadata(%s)"} {
			if diff := cmp.Diff(rows(t, plain, fmt.Sprintf(show, sqltext.Literal(want))), rows(t, plain, fmt.Sprintf(show, sqltext.Literal(got)))); diff != "" {
				t.Errorf("%s\n%s (-plain +safe)\n%.2000s", query, show, diff)
			}
		}
	}
}

// TestSafeParquetBounds: bounds hold, and statements other than queries are refused. In
// both cases no byte is written.
func TestSafeParquetBounds(t *testing.T) {
	t.Parallel()
	c := sampleHome(t)
	ten := open(t, safely(c, engine.Safe{Rows: 10}))
	if _, err := parquetOf(t, ten, "FROM range(10)", nil); err != nil {
		t.Error(err)
	}
	var limit *engine.Limit
	if _, err := parquetOf(t, ten, "FROM range(11)", nil); !errors.As(err, &limit) || limit.What != "rows" {
		t.Errorf("11 rows: %v", err)
	}
	for query, want := range map[string]string{
		"SELECT 1; SELECT 2": "one statement that gives rows", "CREATE TABLE t AS SELECT 1": "one statement that gives rows",
		"FROM read_text('/etc/passwd')": "reads files", "FROM handed": "handed", "SELECT nope": "nope", "SELECT error('x')": "error",
		"SELECT $x": "no value given", "SELECT 1/0 FROM nothing": "nothing", "SELECT 'a'::INTEGER": "convert",
	} {
		if _, err := parquetOf(t, ten, query, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", query, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := export.WriteParquet(ctx, ten.Session, export.Query{Name: "q", SQL: "FROM sessions"}, &bytes.Buffer{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, _ := filepath.Glob(c.Store + ".session-*.tmp*"); len(left) > 4 { // two each of the safe store and of its source
		t.Errorf("left: %v", left)
	}
}
