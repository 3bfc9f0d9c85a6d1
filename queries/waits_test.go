package queries_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/queries"
	"hindsql/readers/sample"
)

// TestWaitsAgree compares the waits in decision-time and in waiting with waited_ms.
func TestWaitsAgree(t *testing.T) {
	home, err := sample.Write(filepath.Join(t.TempDir(), "sample"))
	if err != nil {
		t.Fatal(err)
	}
	run := opened(t, home)
	const refused = "FROM tool_calls SEMI JOIN (FROM rejections WHERE decided_by = 'user' AND NOT cascaded) USING (agent, session_id, tool_use_id) GROUP BY agent"
	for _, test := range []struct{ query, said, column string }{
		{"decision-time", "SELECT agent, sum(timed) FROM (%) GROUP BY agent", "SELECT agent, count(waited_ms) " + refused},
		{"decision-time", "SELECT agent, count(*) FROM (%) WHERE late > 0 GROUP BY agent", "SELECT agent, count(DISTINCT tool_name) FROM (SELECT agent, tool_name FROM tool_calls WHERE waited_ms > 300000) GROUP BY agent"},
		{"waiting", "SELECT 'all', sum(timed) FROM (%)", "SELECT 'all', count(waited_ms) FROM tool_calls WHERE decided_by IN ('user', 'nobody')"},
		{"waiting", "SELECT 'all', count(*) FROM (%) WHERE minutes IS NOT NULL", "SELECT 'all', count(DISTINCT (local_day(timestamp), project)) FROM tool_calls WHERE waited_ms IS NOT NULL"},
	} {
		q, _ := queries.Find("", test.query)
		args, err := q.Bind(t.Context(), run, map[string]any{})
		if err != nil {
			t.Fatal(err)
		}
		if q.Param(queries.Top) != nil {
			args[queries.Top] = nil
		}
		want := sums(t, run, test.column, nil)
		if diff := cmp.Diff(want, sums(t, run, strings.Replace(test.said, "%", q.TypedSQL(), 1), args)); diff != "" {
			t.Errorf("%s: %s (-want +got)\n%s", test.query, test.said, diff)
		}
	}
}
