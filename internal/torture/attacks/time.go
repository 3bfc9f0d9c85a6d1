package attacks

import "fmt"

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
