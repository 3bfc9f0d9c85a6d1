package safe

import (
	"errors"
	"strings"
	"testing"
)

var names = Names{Tables: map[string]bool{"messages": true, "with_copies.messages": true}, Functions: map[string]bool{"search": true}}

func statement(node string) []byte {
	return []byte(`{"error":false,"statements":[{"node":` + node + `}]}`)
}

// TestCheck has trees that DuckDB doesn't make today: what isn't known is
// refused.
func TestCheck(t *testing.T) {
	t.Parallel()
	from := func(table string) string { return `{"type":"SELECT_NODE","select_list":[],"from_table":` + table + `}` }
	for name, test := range map[string]struct{ tree, refused string }{
		"a table":                 {from(`{"type":"BASE_TABLE","table_name":"Messages"}`), ""},
		"a table by its schema":   {from(`{"type":"BASE_TABLE","schema_name":"with_copies","table_name":"messages"}`), ""},
		"a table by its database": {from(`{"type":"BASE_TABLE","catalog_name":"store","schema_name":"main","table_name":"messages"}`), ""},
		"another database":        {from(`{"type":"BASE_TABLE","catalog_name":"temp","schema_name":"main","table_name":"messages"}`), "temp.main.messages"},
		"another schema":          {from(`{"type":"BASE_TABLE","schema_name":"hindsql_internal","table_name":"messages"}`), "hindsql_internal.messages"},
		"a new reference":         {from(`{"type":"REMOTE_TABLE","url":"x"}`), "REMOTE_TABLE"},
		"a new expression":        {from(`{"type":"EMPTY","sample":{"class":"FETCH","type":"FETCH"}}`), "FETCH"},
		"a new node":              {`{"type":"WRITE_NODE"}`, "WRITE_NODE"},
		"a function of ours":      {from(`{"type":"TABLE_FUNCTION","function":{"class":"FUNCTION","type":"FUNCTION","function_name":"search","children":[]}}`), ""},
		"a function's argument":   {from(`{"type":"TABLE_FUNCTION","function":{"class":"FUNCTION","type":"FUNCTION","function_name":"search","children":[{"class":"FUNCTION","type":"FUNCTION","function_name":"read_text"}]}}`), "read_text()"},
		"a name in its own query": {`{"type":"SELECT_NODE","cte_map":{"map":[{"key":"x","value":{"query":{"node":` + from(`{"type":"BASE_TABLE","table_name":"x"}`) + `}}}]},"from_table":{"type":"EMPTY"}}`, `"x"`},
		"a name behind its query": {`{"type":"SELECT_NODE","cte_map":{"map":[{"key":"x","value":{"query":{"node":` + from(`{"type":"EMPTY"}`) + `}}}]},"from_table":{"type":"BASE_TABLE","table_name":"X"}}`, ""},
		"a text like a node":      {from(`{"type":"EXPRESSION_LIST","values":[[{"class":"CONSTANT","type":"VALUE_CONSTANT","value":{"type":{"id":"VARCHAR"},"value":"{\"class\":\"FUNCTION\"}"}}]]}`), ""},
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

// TestFinite: numbers stand for Infinity and NaN, and strings stay.
func TestFinite(t *testing.T) {
	t.Parallel()
	for tree, want := range map[string]string{
		`{"a":Infinity,"b":-Infinity,"c":[NaN,1]}`:                              `{"a":1e308,"b":-1e308,"c":[1e308,1]}`,
		`{"a":"x:Infinity,","b":"\"y\":NaN","c":"\\","d":NaN,"e":":-Infinity"}`: `{"a":"x:Infinity,","b":"\"y\":NaN","c":"\\","d":1e308,"e":":-Infinity"}`,
		`{"a":1,"Infinity":true}`:                                               `{"a":1,"Infinity":true}`,
	} {
		if got := string(finite([]byte(tree))); got != want {
			t.Errorf("%s: %s, want %s", tree, got, want)
		}
	}
}

// FuzzCheck: no tree makes it panic, and none with a name that is on no list
// passes.
func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"SELECT_NODE","select_list":[{"class":"FUNCTION","function_name":"upper"}],"from_table":{"type":"BASE_TABLE","table_name":"messages"}}`)
	f.Add(`{"type":"SELECT_NODE","cte_map":{"map":[{"key":"x","value":{}}]},"from_table":{"type":"PIVOT","source":{"type":"SHOW_REF","show_type":"SUMMARY"}}}`)
	f.Fuzz(func(t *testing.T, node string) {
		const outside = `{"type":"JOIN","left":{"type":"BASE_TABLE","table_name":"/etc/passwd"},"right":`
		_ = Check(statement(node), names)
		if Check(statement(outside+node+"}"), names) == nil {
			t.Errorf("%s: a file is read", node)
		}
	})
}
