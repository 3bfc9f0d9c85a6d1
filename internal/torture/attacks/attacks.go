// Package attacks lists statements that end DuckDB, keep DuckDB busy, fill the memory,
// or read more than strangers may. Tests send each statement to each face of the
// program.
//
// Each statement was tried with DuckDB 1.5.5 in a process without bounds: class crash
// ended the process by SIGSEGV in 2 seconds; time ran for 12 seconds and more, mostly
// with no regard for the clock; memory passed 2.4 GB; names gave settings, paths or
// inner tables, or reached DuckDB's file system.
package attacks

import (
	"fmt"
	"strings"
)

// Attack is a statement.
type Attack struct {
	Class string // crash, time, memory or names: the harm to an unbounded DuckDB
	What  string
	SQL   string
}

// All returns the statements, class by class.
func All() []Attack {
	var all []Attack
	for _, class := range []struct {
		name string
		list [][2]string
	}{{"crash", crashes()}, {"time", times()}, {"memory", memories()}, {"names", names()}} {
		for _, a := range class.list {
			all = append(all, Attack{class.name, a[0], a[1]})
		}
	}
	return all
}

// deep returns the SQL of a text with n openings and as many closings.
func deep(open, closing string, n int) string {
	return fmt.Sprintf("(repeat('%s', %d) || repeat('%s', %d))", open, n, closing, n)
}

// nest puts n pairs around a text.
func nest(n int, open, inner, closing string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
}

// list joins n copies of a text. A # in the text becomes the copy's number.
func list(n int, separator, each string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(each, "#", fmt.Sprint(i))
	}
	return strings.Join(all, separator)
}

func names() [][2]string {
	return [][2]string{
		{"settings, where a recursion begins", "WITH RECURSIVE pg_settings AS (SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, in the recursion's own WITH", "WITH RECURSIVE pg_settings AS (WITH b AS (SELECT name, setting FROM pg_settings) FROM b UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, in a subquery", "WITH RECURSIVE pg_settings AS (SELECT name, (SELECT max(setting) FROM pg_settings p WHERE p.name = s.name) AS setting FROM (SELECT name FROM pg_settings) s UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, in a lateral join", "WITH RECURSIVE pg_settings AS (SELECT s.name, s.setting FROM range(1) r, LATERAL (SELECT name, setting FROM pg_settings WHERE r.range = 0) s UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, in one of two that begin it", "WITH RECURSIVE pg_settings AS (SELECT 'a' AS name, 'b' AS setting UNION SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, materialized", "WITH RECURSIVE pg_settings AS MATERIALIZED (SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, by a key", "WITH RECURSIVE pg_settings(name, setting) USING KEY (name) AS (SELECT name, setting FROM pg_settings UNION ALL SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, summarized", "WITH RECURSIVE pg_settings AS (SELECT column_name, max FROM (SUMMARIZE pg_settings) UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, pivoted", "WITH RECURSIVE pg_settings AS (SELECT name, string_agg(setting) AS setting FROM (UNPIVOT (SELECT name, setting FROM pg_settings) ON setting) AS u(name, k, setting) GROUP BY name UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, two recursions deep", "WITH RECURSIVE a AS (WITH RECURSIVE pg_settings AS (SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) FROM a"},
		{"settings, in capitals", "WITH RECURSIVE PG_Settings AS (SELECT name, setting FROM pg_SETTINGS UNION SELECT 'a', 'b' WHERE false) FROM PG_SETTINGS"},
		{"settings, by a letter that isn't ASCII", `WITH "pg_settİngs" AS (SELECT 1) SELECT name, setting FROM pg_settings`},
		{"settings, by that letter in a recursion", `WITH RECURSIVE "pg_settİngs" AS (SELECT 1 AS i UNION SELECT i + 1 FROM "pg_settİngs" WHERE i < 2) SELECT name, setting FROM "pg_settings", "pg_settİngs"`},
		{"databases", "WITH RECURSIVE duckdb_databases AS (SELECT database_name, path FROM duckdb_databases UNION SELECT 'a', 'b' WHERE false) FROM duckdb_databases"},
		{"databases, by PRAGMA's name", "WITH RECURSIVE pragma_database_list AS (SELECT name, file FROM pragma_database_list UNION SELECT 'a', 'b' WHERE false) FROM pragma_database_list"},
		{"the inner tables", "WITH RECURSIVE sqlite_master AS (SELECT name, sql FROM sqlite_master UNION SELECT 'a', 'b' WHERE false) FROM sqlite_master"},
		{"logs", "WITH RECURSIVE duckdb_logs AS (SELECT message, type FROM duckdb_logs UNION SELECT 'a', 'b' WHERE false) FROM duckdb_logs"},
		{"constraints", "WITH RECURSIVE pg_constraint AS (SELECT conname, contype FROM pg_constraint UNION SELECT 'a', 'b' WHERE false) FROM pg_constraint"},
		{"classes", `WITH "pg_attrİbute" AS (SELECT 1) SELECT attname FROM pg_attribute`},
		{"a file, where a recursion begins", `WITH RECURSIVE "/etc/passwd.csv" AS (FROM "/etc/passwd.csv" UNION SELECT 'a' WHERE false) FROM "/etc/passwd.csv"`},
		{"a file, with all rows so far", `WITH "/etc/passwd.csv" AS (SELECT 1) FROM recurring."/etc/passwd.csv"`},
		{"a file, by a letter that isn't ASCII", `WITH "/etc/İ.csv" AS (SELECT 1) FROM "/etc/i.csv"`},
	}
}

func memories() [][2]string {
	return [][2]string{
		{"map_from_entries", "SELECT length(map_from_entries(list_transform(range(100000), lambda x: {'k': x, 'v': repeat('x', 50000) || x}))::VARCHAR)"},
		{"map_from_entries of rows", "SELECT sum(cardinality(map_from_entries(list_transform(range(100000), lambda x: {'k': x, 'v': x + i})))) FROM range(10000) t(i)"},
		{"TABLESAMPLE", "SELECT sum(length(a)) FROM (SELECT repeat('x', 10000) || i AS a FROM range(900000) t(i)) TABLESAMPLE reservoir(900000 ROWS)"},
		{"damerau_levenshtein", "SELECT damerau_levenshtein(repeat('ab', 50000), repeat('ba', 50000))"},
		{"a lambda's structs", "SELECT len(list_transform(range(100000), lambda x: {'a': range(50000), 'b': x}))"},
		{"from_json", `SELECT length(from_json('{}', repeat('{"a":', 5000) || '"INTEGER"' || repeat('}', 5000))::VARCHAR)`},
		{"replace", "SELECT length(replace(repeat('a', 100000), 'a', repeat('b', 50000)))"},
		{"replace by rows", "SELECT sum(length(replace(repeat('a', 10000) || i, 'a', repeat('b', 1000)))) FROM range(100000) t(i)"},
		{"a lambda's texts", "SELECT len(list_transform(range(100000), lambda x: repeat('x', 100000) || x))"},
		{"a lambda's lists", "SELECT len(list_transform(range(100000), lambda x: list_resize([x], 100000, x)))"},
		{"reduce doubles", "SELECT length(list_reduce(list_transform(range(40), lambda x: repeat('x', 10000)), lambda a, b: a || a))"},
		{"reduce doubles a list", "SELECT len(list_reduce(list_transform(range(40), lambda x: range(10000)), lambda a, b: list_concat(a, a)))"},
		{"hex of hex", "SELECT length(" + nest(16, "hex(", "repeat('x', 100000)", ")") + ")"},
		{"bin of bin", "SELECT length(" + nest(6, "bin(", "repeat('x', 100000)", ")") + ")"},
		{"repeat of repeat", "SELECT length(repeat(repeat('x', 100000), 40000))"},
		{"concat", "SELECT length(concat(" + list(10000, ", ", "x") + ")) FROM (SELECT repeat('x', 100000) || i AS x FROM range(4) t(i))"},
		{"range in each row", "SELECT sum(len(list_transform(range(100000), lambda x: x + i))) FROM range(100000) t(i)"},
		{"list_concat", "SELECT sum(len(list_concat(range(100000), [i]))) FROM range(100000) t(i)"},
		{"list_sort", "SELECT sum(len(list_sort(list_concat(range(100000), [i])))) FROM range(100000) t(i)"},
		{"list_distinct", "SELECT sum(len(list_distinct(list_concat(range(100000), [i])))) FROM range(4096) t(i)"},
		{"flatten", "SELECT sum(len(flatten([range(100000), range(100000), [i]]))) FROM range(100000) t(i)"},
		{"array_to_string", "SELECT sum(length(array_to_string(list_concat(range(100000), [i]), 'xxxxxxxxxxxxxxxxxxxx'))) FROM range(10000) t(i)"},
		{"median", "SELECT median(i) FROM range(1000000000) t(i)"},
		{"approx_top_k by group", "SELECT count(*) FROM (SELECT approx_top_k(i, 900000) AS k FROM range(1000000) t(i) GROUP BY i % 1000) WHERE len(k) > 0"},
		{"bitstring_agg", "SELECT count(*) FROM (SELECT bitstring_agg(i, 0, 999999999) AS b FROM range(1000) t(i) GROUP BY i) WHERE length(b) > 0"},
		{"json_array", "SELECT sum(length(to_json(list_concat(range(100000), [i]))::VARCHAR)) FROM range(10000) t(i)"},
		{"unnest", "SELECT count(*) FROM (SELECT unnest(list_transform(range(100000), lambda x: repeat('x', 100000) || x)) AS u) WHERE length(u) > 0"},
	}
}

// The stack overflows when DuckDB descends into a value: into JSON as a tree, into a
// VARIANT, and for json_structure.
func crashes() [][2]string {
	lists := func(n int) string { return deep("[", "]", n) }
	objects := func(n int) string {
		return fmt.Sprintf(`(repeat('{"a":', %d) || '1' || repeat('}', %[1]d))`, n)
	}
	both := `(repeat('[{"a":', 45000) || '1' || repeat('}]', 45000))`
	variant := lists(30000) + "::JSON::VARIANT"
	return [][2]string{
		{"JSON to VARIANT", "SELECT length(" + lists(20000) + "::JSON::VARIANT::VARCHAR)"},
		{"json_structure", "SELECT length(json_structure(" + lists(90000) + ")::VARCHAR)"},
		{"json_group_structure", "SELECT length(json_group_structure(" + lists(90000) + "::JSON)::VARCHAR)"},
		{"json_group_structure of rows", "SELECT count(*) FROM (SELECT json_group_structure(j) AS s FROM (SELECT i, " + objects(90000) + "::JSON AS j FROM range(4) t(i)) GROUP BY i) WHERE s IS NOT NULL"},
		{"json_contains", "SELECT json_contains(" + lists(90000) + ", " + lists(90000) + ")"},
		{"json_merge_patch", "SELECT length(json_merge_patch(" + objects(90000) + ", " + objects(90000) + ")::VARCHAR)"},
		{"objects to VARIANT", "SELECT length(" + objects(20000) + "::JSON::VARIANT::JSON::VARCHAR)"},
		{"VARIANT only made", "SELECT " + lists(60000) + "::JSON::VARIANT IS NULL"},
		{"VARIANT tried", "SELECT TRY_CAST(" + lists(90000) + "::JSON AS VARIANT) IS NULL"},
		{"VARIANT in a struct", "SELECT length(({'a': " + lists(50000) + "::JSON})::VARIANT::VARCHAR)"},
		{"VARIANT of a list", "SELECT length(([" + lists(50000) + "::JSON])::VARIANT::VARCHAR)"},
		{"VARIANT as a result", "SELECT " + variant},
		{"variant_typeof", "SELECT variant_typeof(" + variant + ")"},
		{"variant_extract", "SELECT variant_extract(" + objects(30000) + "::JSON::VARIANT, 'a')::VARCHAR"},
		{"to_json of a VARIANT", "SELECT length(to_json(" + variant + ")::VARCHAR)"},
		{"hash of a VARIANT", "SELECT hash(" + variant + ")"},
		{"VARIANTs compared", "SELECT " + variant + " = " + variant},
		{"VARIANTs sorted", "SELECT v::VARCHAR FROM (SELECT " + variant + " AS v FROM range(3)) ORDER BY v"},
		{"VARIANTs grouped", "SELECT count(*) FROM (SELECT DISTINCT " + variant + " AS v)"},
		{"VARIANTs joined", "SELECT count(*) FROM (SELECT " + variant + " AS v) a JOIN (SELECT " + variant + " AS v) b USING (v)"},
		{"SUMMARIZE", "SUMMARIZE SELECT " + variant + " AS v"},
		{"EXPLAIN", "EXPLAIN SELECT " + variant + "::VARCHAR"},
		{"EXPLAIN ANALYZE", "EXPLAIN ANALYZE SELECT length(" + variant + "::VARCHAR) FROM range(3)"},
		{"json_structure of objects", "SELECT length(json_structure(" + objects(90000) + ")::VARCHAR)"},
		{"json_structure of both", "SELECT length(json_structure(" + both + ")::VARCHAR)"},
		{"json_structure in a filter", "SELECT count(*) FROM messages WHERE json_structure(" + lists(90000) + " || left(text, 0)) IS NULL"},
		{"json_structure of rows", "SELECT count(*) FROM range(100) t(i) WHERE json_structure(repeat('[', 90000) || i || repeat(']', 90000)) IS NULL"},
		{"json_structure explained", "EXPLAIN SELECT json_structure(" + lists(95000) + ")"},
		{"from_json of a structure", "SELECT from_json('[]', json_structure(" + lists(80000) + "))"},
		{"json_transform", `SELECT json_transform('[]', repeat('[', 90000) || '"INTEGER"' || repeat(']', 90000))`},
		{"json_contains of objects", "SELECT json_contains(" + objects(90000) + ", " + objects(90000) + ")"},
		{"json_contains of both", "SELECT json_contains(j, j) FROM (SELECT " + both + " AS j)"},
		{"json_contains of a part", "SELECT json_contains(j, json_extract(j, '$[0][0]')) FROM (SELECT " + lists(95000) + " AS j)"},
		{"json_merge_patch of one", "SELECT length(json_merge_patch('{}', " + objects(90000) + ")::VARCHAR)"},
	}
}

func times() [][2]string {
	doubles := func(n int, f string) string { return "SELECT " + nest(n, f+"(", "i", ", 7)") + " FROM range(10) t(i)" }
	return [][2]string{
		{"levenshtein", "SELECT levenshtein(a, reverse(a)) FROM (SELECT string_agg(repeat('abcdefghij', 10000) || i, '') AS a FROM range(10) t(i))"},
		{"300 joins", "SELECT count(*) FROM messages m0" + list(300, "", " JOIN messages n# ON n#.uuid = m0.uuid")},
		{"* and * again", nest(25, "SELECT *, * FROM (", "SELECT 1 AS a", ")")},
		{"|| of columns", "SELECT length(text" + nest(900, " || text", "", "") + ") FROM messages"},
		{"json_transform", "SELECT " + list(3, ", ", "json_transform('#', '"+nest(900, `{"a":`, `"INTEGER"`, "}")+"')")},
		{"json_transform of one text", "SELECT json_transform('{}', repeat('{\"a\":', 1500) || '\"INTEGER\"' || repeat('}', 1500))"},
		{"json_tree", "SELECT count(*) FROM json_tree(" + deep("[", "]", 90000) + ")"},
		{"json_extract", "SELECT len(json_extract((repeat('{\"a\":', 20000) || '1' || repeat('}', 20000)), '$..a'))"},
		{"lists to VARIANT", "SELECT length((" + nest(900, "[", "1", "]") + ")::VARIANT::VARCHAR)"},
		{"lambdas 300 deep", "SELECT " + nest(300, "list_transform([1], lambda x: ", "1", ")")},
		{"subqueries in subqueries", nest(100, "SELECT (", "SELECT 1", ")")},
		{"CTEs that ask each other", doubled(18)},
		{"a Cartesian product of texts", "SELECT max(a.text || b.text || c.text || d.text) FROM messages a, messages b, messages c, messages d, messages e, messages f"},
		{"queries doubled", doubled(26)},
		{"histogram_exact", "SELECT histogram_exact(i, range(100000)) FROM range(1000000000) t(i)"},
		{"nullif of nullif", doubles(26, "nullif")},
		{"fmod of fmod", doubles(26, "fmod")},
		{"GLOB with many signs", "SELECT repeat('a', 10000) GLOB repeat('*a', 40) || 'b'"},
		{"ILIKE with many signs", "SELECT repeat('a', 10000) ILIKE repeat('%a', 40) || 'b'"},
		{"a number of a million digits", "SELECT length((repeat('9', 100000) || repeat('8', 100000) || repeat('7', 100000))::BIGNUM::VARCHAR)"},
		{"jaro_winkler_similarity", "SELECT jaro_winkler_similarity(repeat('ab', 100000) || i, repeat('ba', 100000)) FROM range(1000) t(i)"},
		{"jaro_similarity", "SELECT sum(jaro_similarity(a || i, reverse(a))) FROM (SELECT string_agg(chr(65 + (j * 7919 % 26)::INTEGER), '') AS a FROM range(100000) t(j)), range(2000) t(i)"},
		{"damerau_levenshtein", "SELECT sum(damerau_levenshtein(repeat('ab', 5000) || i, repeat('ba', 5000))) FROM range(2000) t(i)"},
		{"levenshtein by rows", "SELECT sum(levenshtein(repeat('ab', 5000) || i, repeat('ba', 5000))) FROM range(2000) t(i)"},
		{"regexp_extract_all", "SELECT sum(len(regexp_extract_all(repeat('a', 100000) || i, '(a|aa)*?b?'))) FROM range(2000) t(i)"},
		{"list_sort", "SELECT sum(len(list_sort(list_transform(range(100000), lambda x: md5((x + i)::VARCHAR))))) FROM range(2000) t(i)"},
		{"a window of distinct counts", "SELECT sum(c) FROM (SELECT count(DISTINCT i % 1000) OVER (ORDER BY i ROWS BETWEEN 100000 PRECEDING AND 100000 FOLLOWING EXCLUDE TIES) AS c FROM range(1000000) t(i))"},
		{"mode in a window", "SELECT sum(c) FROM (SELECT mode(i % 100000) OVER (ORDER BY i % 7 ROWS BETWEEN 100000 PRECEDING AND 100000 FOLLOWING EXCLUDE GROUP) AS c FROM range(1000000) t(i))"},
		{"a product", "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"},
		{"days of years", "SELECT count(*) FROM generate_series(TIMESTAMP '0001-01-01', TIMESTAMP '9999-01-01', INTERVAL 1 MICROSECOND)"},
		{"time zones", "SELECT count(DISTINCT strftime((TIMESTAMPTZ '2000-01-01' + INTERVAL (i) SECOND) AT TIME ZONE 'Europe/Berlin', '%c')) FROM range(1000000000) t(i)"},
		{"a collation", "SELECT count(*) FROM (SELECT (repeat('ä', 100000) || i) COLLATE de AS a FROM range(20000) t(i) ORDER BY a DESC LIMIT 3)"},
		{"lambdas in lambdas", "SELECT list_sum(list_transform(range(100000), lambda x: list_sum(list_transform(range(100000), lambda y: x * y))))"},
		{"sha256 of sha256", "SELECT sum(length(sha256(repeat('x', 100000) || i))) FROM range(100000) t(i)"},
		{"EXPLAIN ANALYZE", "EXPLAIN ANALYZE SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"},
		{"SUMMARIZE", "SUMMARIZE SELECT " + list(200, ", ", "i % 1#7 AS c#") + " FROM range(10000000) t(i)"},
		{"try_strptime", "SELECT count(try_strptime('x' || i, [" + list(1500, ", ", "'%Y-%m-%d #'") + "])) FROM range(1000000) t(i)"},
		{"a comparison of all", "SELECT count(*) FROM range(100000) a(i) JOIN range(100000) b(j) ON levenshtein(i::VARCHAR, j::VARCHAR) = 1"},
		{"translate", "SELECT sum(length(translate(repeat('a', 100000) || i, 'a', 'b'))) FROM range(1000000) t(i)"},
		{"string_split_regex", "SELECT sum(len(string_split_regex(repeat('ab', 50000) || i, 'a*?'))) FROM range(20000) t(i)"},
		{"factorials", "SELECT sum(length((list_product(range(1, 170)) * i)::VARCHAR)) FROM range(1000000000) t(i)"},
	}
}

// doubled returns a chain of queries, each reading the previous query twice.
func doubled(n int) string {
	text := "WITH c0 AS NOT MATERIALIZED (SELECT 1 AS i)"
	for i := range n {
		text += fmt.Sprintf(", c%d AS NOT MATERIALIZED (SELECT a.i FROM c%d a, c%d b)", i+1, i, i)
	}
	return text + fmt.Sprintf(" SELECT count(*) FROM c%d", n)
}
