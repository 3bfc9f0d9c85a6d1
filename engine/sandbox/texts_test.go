package sandbox

import "testing"

// TestEachText: the SQL changes texts in lists and structs, and leaves types alone that
// have no text, or hide some.
func TestEachText(t *testing.T) {
	up := func(expr string, isJSON bool) string {
		if isJSON {
			return "j(" + expr + ")"
		}
		return "t(" + expr + ")"
	}
	for duckType, want := range map[string]string{
		"VARCHAR": "t(c)", "JSON": "j(c)", "BIGINT": "c", "TIMESTAMP WITH TIME ZONE": "c", "INTEGER[]": "c", "BLOB": "c",
		"VARCHAR[]":                           "list_transform(c, lambda x0: t(x0))",
		"VARCHAR[][]":                         "list_transform(c, lambda x0: list_transform(x0, lambda x1: t(x1)))",
		`STRUCT("a b" VARCHAR, n INTEGER)`:    `CASE WHEN c IS NOT NULL THEN {'a b': t(c."a b"), 'n': c."n"} END`,
		"STRUCT(n INTEGER)[]":                 "c",
		"STRUCT(q VARCHAR, o JSON[])[]":       `list_transform(c, lambda x0: CASE WHEN x0 IS NOT NULL THEN {'q': t(x0."q"), 'o': list_transform(x0."o", lambda x1: j(x1))} END)`,
		"MAP(VARCHAR, INTEGER)":               "c",
		"STRUCT(q VARCHAR, m MAP(INT, BLOB))": "c",
		"STRUCT(VARCHAR)":                     "c",
	} {
		if got := replaceTexts("c", duckType, up); got != want {
			t.Errorf("%s: %s, want %s", duckType, got, want)
		}
	}
}
