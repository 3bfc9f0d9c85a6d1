package conversation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/whole"
	"hindsql/queries"
	"hindsql/queries/conversation"
)

// saved runs a saved query without a limit.
func saved(t testing.TB, run conversation.Run, name string, given map[string]any) (columns map[string]int, list [][]any) {
	t.Helper()
	everything, err := queries.All("")
	must(t, err)
	at := slices.IndexFunc(everything, func(q *queries.Query) bool { return q.Name == name })
	given["top"] = "1000000"
	args, err := everything[at].Bind(t.Context(), queries.Run(run), given)
	must(t, err)
	set, err := run(t.Context(), everything[at].SQL, args)
	must(t, err)
	columns = map[string]int{}
	for i, c := range set.Columns {
		columns[c.Name] = i
	}
	return columns, set.Rows
}

// TestWhatCameNext compares the query after-refusal with calls and answers.
func TestWhatCameNext(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, run conversation.Run) {
		columns, list := saved(t, run, "after-refusal", map[string]any{})
		var got, want []string
		for _, row := range list {
			next := row[columns["next"]]
			if s, _ := next.(string); s == "again" || s == "same tool" || s == "another tool" {
				next = "a call"
			}
			got = append(got, fmt.Sprint(row[columns["agent"]], row[columns["session_id"]], row[columns["tool_use_id"]], next, row[columns["next_message"]]))
		}
		for _, row := range rows(t, run, `SELECT agent, session_id, tool_use_id,
				CASE WHEN called <= coalesce(answered, called) THEN 'a call' WHEN answered IS NULL THEN 'nothing' ELSE 'answered' END,
				least(called, answered) -- NULL is left out
			FROM (SELECT r.*,
				(SELECT min(c.message_index) FROM tool_calls c WHERE c.agent = r.agent AND c.session_id = r.session_id AND c.message_index > r.message_index
					AND c.batch_index = 0 AND c.parent_tool_use_id IS NULL) AS called,
				(SELECT min(m.message_index) FROM messages m WHERE m.agent = r.agent AND m.session_id = r.session_id AND m.message_index > r.message_index
					AND m.kind = 'response' AND m.text IS NOT NULL) AS answered
			FROM rejections r WHERE r.decided_by = 'user' AND NOT r.cascaded)`, nil) {
			want = append(want, fmt.Sprint(row[0], row[1], row[2], row[3], row[4]))
		}
		sameLines(t, got, want)
	})
}

// sameLines compares a query's lines with the expected lines, in any order.
func sameLines(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +query)\n%.3000s", diff)
	}
}

// TestWhatACompactionLost compares the query before-compaction with the messages and
// calls between two compactions.
func TestWhatACompactionLost(t *testing.T) {
	whole.Test(t, "compares long statements, 0.6 s of processor time")
	t.Parallel()
	onBoth(t, func(t *testing.T, run conversation.Run) {
		columns, list := saved(t, run, "before-compaction", map[string]any{})
		var got, want []string
		for _, row := range list {
			var names []string
			if text, _ := row[columns["all_lost_files"]].(string); text != "" {
				must(t, json.Unmarshal([]byte(text), &names))
			}
			if shown, _ := row[columns["lost_files"]].(string); int64(len(names)) != row[columns["files"]] || !strings.HasPrefix(strings.Join(names, ", "), shown) {
				t.Errorf("%v: %v files, and %d names: %q", row[columns["session"]], row[columns["files"]], len(names), shown)
			}
			got = append(got, fmt.Sprint(row[columns["agent"]], row[columns["session"]], row[columns["messages"]], row[columns["calls"]], row[columns["last_prompt"]]))
		}
		for _, row := range rows(t, run, `SELECT agent, session_id || ':' || after_message_index,
				(SELECT count(*) FROM with_copies.messages m WHERE m.agent = c.agent AND m.session_id = c.session_id AND m.message_index > begun AND m.message_index <= after_message_index
					AND m.kind IS DISTINCT FROM 'usage'),
				(SELECT count(*) FROM with_copies.tool_calls t WHERE t.agent = c.agent AND t.session_id = c.session_id AND t.message_index > begun AND t.message_index <= after_message_index
					AND t.parent_tool_use_id IS NULL),
				(SELECT arg_max(m.text, m.message_index) FROM with_copies.messages m WHERE m.agent = c.agent AND m.session_id = c.session_id AND m.message_index > begun
					AND m.message_index <= after_message_index AND m.kind = 'prompt' AND m.typed_by = 'human')
			FROM (SELECT x.*, coalesce((SELECT max(k.after_message_index) FROM with_copies.compactions k
				WHERE k.agent = x.agent AND k.session_id = x.session_id AND k.after_message_index < x.after_message_index), -1) AS begun
			FROM compactions x WHERE x.after_message_index IS NOT NULL) c`, nil) {
			want = append(want, fmt.Sprint(row[0], row[1], row[2], row[3], row[4]))
		}
		sameLines(t, got, want)
	})
}

// TestApprovals compares approvals with tool_calls.
func TestApprovals(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, run conversation.Run) {
		for _, decision := range []string{"", "granted", "refused"} {
			want := rows(t, run, `SELECT count(*) FROM tool_calls WHERE decided_by = 'user' AND decision IN ('granted', 'refused') AND $d IN ('', decision)
				AND (agent, session_id, tool_use_id) NOT IN (SELECT (agent, session_id, tool_use_id) FROM with_copies.rejections WHERE is_inferred)`, map[string]any{"d": decision})
			list, count, err := conversation.Approvals(t.Context(), run, conversation.Filter{Decision: decision})
			must(t, err)
			if count != want[0][0] || len(list) != int(count) {
				t.Errorf("%s: %d rows and a count of %d, want %v", decision, len(list), count, want[0][0])
			}
		}
	})
}
