package allow

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

var names = Names{Tables: map[string]bool{"messages": true, "with_copies.messages": true}, Functions: map[string]bool{"search": true}}

func statement(node string) []byte {
	return []byte(`{"error":false,"statements":[{"node":` + node + `}]}`)
}

// TestCheck uses trees that today's DuckDB doesn't produce. Unknown parts are refused.
func TestCheck(t *testing.T) {
	t.Parallel()
	from := func(table string) string { return `{"type":"SELECT_NODE","select_list":[],"from_table":` + table + `}` }
	base := func(name string) string {
		parts := append(make([]string, 2), strings.Split(name, ".")...)
		parts = parts[len(parts)-3:]
		return fmt.Sprintf(`{"type":"BASE_TABLE","catalog_name":%q,"schema_name":%q,"table_name":%q}`, parts[0], parts[1], parts[2])
	}
	// recursive returns a query x that begins with a table and continues with another
	// table. y is the query's own WITH.
	recursive := func(y, left, right string) string {
		own := ""
		if y != "" {
			own = `"cte_map":{"map":[{"key":"y","value":{"query":{"node":` + from(base(y)) + `}}}]},`
		}
		return `{"type":"SELECT_NODE","from_table":` + base("x") + `,"cte_map":{"map":[{"key":"x","value":{"query":{"node":{"type":"RECURSIVE_CTE_NODE","cte_name":"x",` +
			own + `"left":` + from(base(left)) + `,"right":` + from(base(right)) + `}}}}]}}`
	}
	for name, test := range map[string]struct{ tree, refused string }{
		"a table":                              {from(`{"type":"BASE_TABLE","table_name":"Messages"}`), ""},
		"a table by its schema":                {from(`{"type":"BASE_TABLE","schema_name":"with_copies","table_name":"messages"}`), ""},
		"a table by its database":              {from(`{"type":"BASE_TABLE","catalog_name":"store","schema_name":"main","table_name":"messages"}`), ""},
		"another database":                     {from(`{"type":"BASE_TABLE","catalog_name":"temp","schema_name":"main","table_name":"messages"}`), "temp.main.messages"},
		"another schema":                       {from(`{"type":"BASE_TABLE","schema_name":"hindsql_internal","table_name":"messages"}`), "hindsql_internal.messages"},
		"a new reference":                      {from(`{"type":"REMOTE_TABLE","url":"x"}`), "REMOTE_TABLE"},
		"a new expression":                     {from(`{"type":"EMPTY","sample":{"class":"FETCH","type":"FETCH"}}`), "FETCH"},
		"a new node":                           {`{"type":"WRITE_NODE"}`, "WRITE_NODE"},
		"a function of ours":                   {from(`{"type":"TABLE_FUNCTION","function":{"class":"FUNCTION","type":"FUNCTION","function_name":"search","children":[]}}`), ""},
		"a function's argument":                {from(`{"type":"TABLE_FUNCTION","function":{"class":"FUNCTION","type":"FUNCTION","function_name":"search","children":[{"class":"FUNCTION","type":"FUNCTION","function_name":"read_text"}]}}`), "read_text()"},
		"a name in its own query":              {`{"type":"SELECT_NODE","cte_map":{"map":[{"key":"x","value":{"query":{"node":` + from(`{"type":"BASE_TABLE","table_name":"x"}`) + `}}}]},"from_table":{"type":"EMPTY"}}`, `"x"`},
		"a name behind its query":              {`{"type":"SELECT_NODE","cte_map":{"map":[{"key":"x","value":{"query":{"node":` + from(`{"type":"EMPTY"}`) + `}}}]},"from_table":{"type":"BASE_TABLE","table_name":"X"}}`, ""},
		"a name of letters that aren't ASCII":  {`{"type":"SELECT_NODE","cte_map":{"map":[{"key":"pg_settİngs","value":{}}]},"from_table":{"type":"BASE_TABLE","table_name":"pg_settings"}}`, "pg_settings"},
		"a query of the older kind":            {`{"type":"CTE_NODE","cte_name":"x","query":` + from(`{"type":"EMPTY"}`) + `,"child":` + from(`{"type":"BASE_TABLE","table_name":"x"}`) + `}`, "CTE_NODE"},
		"recursive":                            {recursive("", "messages", "x"), ""},
		"recursive, with all rows so far":      {recursive("", "messages", "recurring.X"), ""},
		"recursive, at its beginning":          {recursive("", "x", "messages"), "x"},
		"recursive, all rows at its beginning": {recursive("", "recurring.x", "messages"), "recurring.x"},
		"recursive, in its own WITH":           {recursive("x", "messages", "y"), "x"},
		"recursive, with rows of its WITH":     {recursive("messages", "y", "y"), ""},
		"recursive, all rows of its WITH":      {recursive("messages", "y", "recurring.y"), "recurring.y"},
		"recursive, by its database":           {recursive("", "messages", "z.recurring.x"), "z.recurring.x"},
		"all rows where none are recursive":    {`{"type":"SELECT_NODE","cte_map":{"map":[{"key":"x","value":{}}]},"from_table":` + base("recurring.x") + `}`, "recurring.x"},
		"a text like a node":                   {from(`{"type":"EXPRESSION_LIST","values":[[{"class":"CONSTANT","type":"VALUE_CONSTANT","value":{"type":{"id":"VARCHAR"},"value":"{\"class\":\"FUNCTION\"}"}}]]}`), ""},
	} {
		err := Check(statement(test.tree), names)
		var refused *Refused
		switch {
		case test.refused == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.refused != "" && (!errors.As(err, &refused) || !strings.Contains(refused.What, strings.Trim(test.refused, `"`))):
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, tree := range []string{`{"error":false,"statements":[]}`, `{"error":false}`, `{`, `[]`, `{"error":true,"error_message":"Only SELECT statements can be serialized to json!"}`} {
		if Check([]byte(tree), names) == nil {
			t.Errorf("%s: allowed", tree)
		}
	}
}

// TestFinite: numbers replace Infinity and NaN, but not inside strings.
func TestFinite(t *testing.T) {
	t.Parallel()
	for tree, want := range map[string]string{
		`{"a":Infinity,"b":-Infinity,"c":[NaN,1]}`:                              `{"a":1e308,"b":-1e308,"c":[1e308,1]}`,
		`{"a":"x:Infinity,","b":"\"y\":NaN","c":"\\","d":NaN,"e":":-Infinity"}`: `{"a":"x:Infinity,","b":"\"y\":NaN","c":"\\","d":1e308,"e":":-Infinity"}`,
		`{"a":1,"Infinity":true}`:                                               `{"a":1,"Infinity":true}`,
	} {
		if got := string(replaceNonfinite([]byte(tree))); got != want {
			t.Errorf("%s: %s, want %s", tree, got, want)
		}
	}
}

// FuzzCheck: no tree makes Check panic, and no tree with an unlisted name passes.
func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"SELECT_NODE","select_list":[{"class":"FUNCTION","function_name":"upper"}],"from_table":{"type":"BASE_TABLE","table_name":"messages"}}`)
	f.Add(`{"type":"SELECT_NODE","cte_map":{"map":[{"key":"x","value":{}}]},"from_table":{"type":"PIVOT","source":{"type":"SHOW_REF","show_type":"SUMMARY"}}}`)
	f.Add(`{"type":"RECURSIVE_CTE_NODE","cte_name":"/etc/passwd","left":{"type":"EMPTY"},"right":{"type":"BASE_TABLE","schema_name":"recurring","table_name":"/etc/passwd"}}`)
	f.Fuzz(func(t *testing.T, node string) {
		const outside = `{"type":"JOIN","left":{"type":"BASE_TABLE","table_name":"/etc/passwd"},"right":`
		_ = Check(statement(node), names)
		if Check(statement(outside+node+"}"), names) == nil {
			t.Errorf("%s: a file is read", node)
		}
		// A recursive query's name is unknown in the query's first part and outside the
		// query.
		const recursive = `{"type":"RECURSIVE_CTE_NODE","cte_name":"/etc/passwd","left":`
		if Check(statement(recursive+outside+node+`},"right":{"type":"SELECT_NODE"}}`), names) == nil {
			t.Errorf("%s: a file is read where a recursive query begins", node)
		}
		if Check(statement(outside+recursive+node+`,"right":`+node+"}}"), names) == nil {
			t.Errorf("%s: a file is read beside a recursive query", node)
		}
	})
}
