package sandbox

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"

	"hindsql/internal/result"
)

// extremes are values of each of DuckDB's types, except NULL.
var extremes = map[string][]string{
	"BOOLEAN":                  {"true", "false"},
	"TINYINT":                  {"-128", "127", "0"},
	"SMALLINT":                 {"-32768", "32767"},
	"INTEGER":                  {"-2147483648", "2147483647"},
	"BIGINT":                   {"-9223372036854775808", "9223372036854775807"},
	"HUGEINT":                  {"'-170141183460469231731687303715884105728'", "'170141183460469231731687303715884105727'", "0"},
	"UTINYINT":                 {"0", "255"},
	"USMALLINT":                {"0", "65535"},
	"UINTEGER":                 {"0", "4294967295"},
	"UBIGINT":                  {"0", "18446744073709551615"},
	"UHUGEINT":                 {"0", "340282366920938463463374607431768211455"},
	"BIGNUM":                   {"0", "'-" + strings.Repeat("9", 300) + "'", "'" + strings.Repeat("9", 300) + "'"},
	"FLOAT":                    {"'nan'", "'inf'", "'-inf'", "1e-45", "3.4028235e38", "'-0'", "0.1"},
	"DOUBLE":                   {"'nan'", "'inf'", "'-inf'", "5e-324", "1.7976931348623157e308", "'-0'", "0.1"},
	"DECIMAL(38,10)":           {"0", "'-9999999999999999999999999999.9999999999'", "'9999999999999999999999999999.9999999999'"},
	"DECIMAL(4,1)":             {"-999.9", "0.1"},
	"DECIMAL(9,0)":             {"-999999999"},
	"DECIMAL(18,18)":           {"0.999999999999999999"},
	"VARCHAR":                  {"''", "'null'", "'ä 🙂 \"''{[('", "chr(0)", "repeat('x', 100000)"},
	"BLOB":                     {"''", `'\x00\xFF'`},
	"BIT":                      {"'0'", "'1'", "'10101'", "repeat('10', 100)"},
	"DATE":                     {"'infinity'", "'-infinity'", "'5877642-06-25 (BC)'", "'5881580-07-10'", "'1970-01-01'", "'0001-01-01'", "'1582-10-15'"},
	"TIME":                     {"'00:00'", "'24:00:00'", "'23:59:59.999999'"},
	"TIME_NS":                  {"'23:59:59.999999999'"},
	"TIME WITH TIME ZONE":      {"'00:00:00+15:59:59'", "'23:59:59.999999-15:59:59'", "'12:00:00+00'", "'12:00:00+05:30'", "'24:00:00-01'"},
	"TIMESTAMP":                {"'infinity'", "'-infinity'", "'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775806'", "'1969-12-31 23:59:59.999999'"},
	"TIMESTAMP_S":              {"'infinity'", "'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54'"},
	"TIMESTAMP_MS":             {"'-infinity'", "'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775'"},
	"TIMESTAMP_NS":             {"'infinity'", "'1677-09-22 00:00:00'", "'2262-04-11 23:47:16.854775806'"},
	"TIMESTAMP WITH TIME ZONE": {"'infinity'", "'-infinity'", "'290309-12-22 (BC) 00:00:00+00'", "'294247-01-10 04:00:54.775806+00'", "'2026-03-29 01:30:00+00'"},
	"INTERVAL":                 {"'0 days'", "'-1 year -13 months -40 days -25:00:00.000001'", "to_microseconds(9223372036854775807)", "to_microseconds(-9223372036854775807)", "to_months(2147483647)", "to_days(-2147483648)", "'1 month -1 day'"},
	"UUID":                     {"'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"},
	"ENUM('a', 'b''c, )', '')": {"'a'", "'b''c, )'", "''"},
	"JSON":                     {`'{"b": 1.10, "a": [null]}'`, "'null'", "'123456789012345678901234567890'"},
	"VARIANT":                  {"1", "'x'", "{'a': [1]}"},
	"GEOMETRY":                 {"'POINT (1 2)'", "'POLYGON EMPTY'"},
	"GEOMETRY('OGC:CRS84')":    {"'POINT (1 2)'"},
}

// written maps types with parameters to their keys in extremes. The key is empty if
// tests nest the type's values, or if SQL never casts to the type.
var written = map[string]string{
	"DECIMAL": "DECIMAL(4,1)", "ENUM": "ENUM('a', 'b''c, )', '')",
	"LIST": "", "ARRAY": "", "STRUCT": "", "MAP": "", "UNION": "", "NULL": "", "TYPE": "",
}

// TestEveryType: values of each of DuckDB's types, sent through Arrow, equal the
// driver's values.
func TestEveryType(t *testing.T) {
	conn := memoryConn(t)
	for _, name := range typeNames(t, conn) {
		key, known := written[name]
		if !known {
			key = name
		}
		if _, listed := losses[name]; key != "" && (extremes[key] == nil || !listed) {
			t.Errorf("DuckDB has a type %s: list it in losses and in extremes", name)
		}
	}
	for name, values := range extremes {
		var cast []string
		for _, v := range values {
			cast = append(cast, fmt.Sprintf("(%s)::%s", v, name))
		}
		t.Run(name, func(t *testing.T) {
			for _, q := range nested(name, cast) {
				same(t, conn, q)
			}
		})
	}
	for _, q := range []string{
		"SELECT (1, 2) AS a, [(1, {'x': 2})] AS b", "SELECT NULL AS a, [] AS b, {'a': NULL} AS c, MAP{} AS d", "SELECT get_type(1) AS a", "SELECT 1 AS a, 2 AS a, 3 AS \"\"\"\"",
		"SELECT MAP{[1]: 2, [2]: 3} AS a", "SELECT union_value(b := NULL::INTEGER) AS a", `SELECT {'TIME': 1, 'timestamp': '10:00'::TIME, 'a"b, )': 3, 'x y': now()::DATE} AS a`,
		"SELECT max((a, b)) AS m FROM (VALUES (1, TIMESTAMPTZ '2020-01-01')) t(a, b)", "SELECT range AS n FROM range(10000)", "SELECT 1 AS n WHERE false",
	} {
		same(t, conn, q)
	}
}

// nested returns queries of values, alone and inside other types.
func nested(name string, values []string) []string {
	all := "[" + strings.Join(append(values, "NULL"), ", ") + "]"
	one, other := values[0], values[len(values)-1]
	queries := []string{
		"SELECT unnest(" + all + ") AS a",
		"SELECT " + all + " AS a, []::" + name + "[] AS b, NULL::" + name + "[] AS c",
		fmt.Sprintf("SELECT %s::%s[%d] AS a, NULL::%[2]s[2] AS b, [[%[4]s, NULL]]::%[2]s[2][] AS c", all, name, len(values)+1, one),
		fmt.Sprintf(`SELECT unnest([{'a "b': %s, 'c': [%s]}, NULL, {'a "b': NULL, 'c': NULL}]) AS s`, one, other),
		fmt.Sprintf("SELECT MAP{'x': %s, 'y': NULL} AS m, MAP{%s: 1} AS k", one, other),
		fmt.Sprintf("SELECT unnest([union_value(\"null\" := %s)::UNION(\"null\" %s, other INTEGER), NULL, union_value(\"null\" := NULL::%[2]s), union_value(other := 5)]::UNION(\"null\" %[2]s, other INTEGER)[]) AS u", one, name),
		fmt.Sprintf("SELECT [{'u': [NULL, union_value(x := %s)]}] AS u", one),
	}
	if len(values) > 1 {
		queries = append(queries, fmt.Sprintf("SELECT MAP{%s: 1, %s: 2} AS k", one, other))
	}
	return queries
}

// same runs a query as in a plain session, and through Arrow, and compares the rows.
func same(t *testing.T, conn *sql.Conn, query string) {
	t.Helper()
	columns := describe(t, conn, query)
	zone := time.FixedZone("there", 3600)
	plain, err := values(conn, selection(query, columns, CastForDriver), columns, zone)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	got, err := throughArrow(conn, selection(query, columns, Cast), columns, zone)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if len(got) != len(plain) {
		t.Fatalf("%s: %d rows, want %d", query, len(got), len(plain))
	}
	for i := range plain {
		for j := range plain[i] {
			if !reflect.DeepEqual(comparable(got[i][j]), comparable(plain[i][j])) {
				t.Errorf("%s\nrow %d: %T %#v\nwant  %T %#v", query, i, got[i][j], got[i][j], plain[i][j], plain[i][j])
			}
		}
	}
}

func selection(query string, columns []result.Column, cast func(expr, duckType string) string) string {
	var names, list []string
	for i, c := range columns {
		names = append(names, fmt.Sprintf("c%d", i))
		list = append(list, cast(names[i], c.Type))
	}
	return fmt.Sprintf("SELECT %s FROM (%s) t(%s)", strings.Join(list, ", "), query, strings.Join(names, ", "))
}

func throughArrow(conn *sql.Conn, query string, columns []result.Column, zone *time.Location) (rows [][]any, err error) {
	cells := NewCells(columns, zone)
	read := func(message []byte) error {
		batches, err := Decode(message)
		if err != nil {
			return err
		}
		for _, batch := range batches {
			of, err := cells.Of(batch)
			if err != nil {
				return err
			}
			for i := range int(batch.NumRows()) {
				row := make([]any, len(columns))
				if err := of.Read(i, row); err != nil {
					return err
				}
				rows = append(rows, row)
			}
		}
		return nil
	}
	err = records(conn, query, func(r array.RecordReader) error { return EncodeAll(r, MostMessage, read) })
	return rows, err
}

func records(conn *sql.Conn, query string, use func(array.RecordReader) error) error {
	return conn.Raw(func(c any) error {
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err != nil {
			return err
		}
		r, err := a.QueryContext(context.Background(), query)
		if err != nil {
			return err
		}
		defer r.Release()
		return use(r)
	})
}

func values(conn *sql.Conn, query string, columns []result.Column, zone *time.Location) (list [][]any, err error) {
	rows, err := conn.QueryContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		row, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		for i, v := range row {
			if at, ok := v.(time.Time); ok && columns[i].Type == "TIMESTAMP WITH TIME ZONE" {
				row[i] = at.In(zone)
			}
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// comparable returns a value that equals another value of the same content: a NaN
// equals itself, 0 differs from -0, and a time includes its zone.
func comparable(v any) any {
	switch v := v.(type) {
	case float32:
		return fmt.Sprintf("float32 %x", math.Float32bits(v))
	case float64:
		return fmt.Sprintf("float64 %x", math.Float64bits(v))
	case *big.Int:
		return v.String() + " big"
	case duckdb.Decimal:
		return fmt.Sprintf("decimal %d %d %s", v.Width, v.Scale, v.Value)
	case time.Time:
		return "time " + v.Format("2006-01-02T15:04:05.999999999Z07:00:00 ") + v.Location().String()
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, comparable(x))
		}
		return list
	case map[string]any:
		fields := map[string]any{}
		for name, x := range v {
			fields[name] = comparable(x)
		}
		return fields
	case duckdb.Union:
		return map[string]any{"union " + v.Tag: comparable(v.Value)}
	case duckdb.OrderedMap:
		return []any{"map", comparable(append([]any{}, v.Keys()...)), comparable(append([]any{}, v.Values()...))}
	case Map:
		return []any{"map", comparable(append([]any{}, v.Keys()...)), comparable(append([]any{}, v.Values()...))}
	}
	return v
}

func describe(t *testing.T, conn *sql.Conn, query string) (columns []result.Column) {
	t.Helper()
	rows, err := conn.QueryContext(context.Background(), "DESCRIBE "+query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var c result.Column
		var other any
		if err := rows.Scan(&c.Name, &c.Type, &other, &other, &other, &other); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return columns
}

func typeNames(t *testing.T, conn *sql.Conn) (names []string) {
	rows, err := conn.QueryContext(context.Background(), "SELECT DISTINCT logical_type FROM duckdb_types() ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(names) < 30 {
		t.Fatalf("DuckDB has %d types: %v", len(names), names)
	}
	return names
}

func memoryConn(t testing.TB) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
