package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	forgets "hindsql/engine/forget"
	"hindsql/engine/prune"
	"hindsql/internal/whole"
)

// typed returns a line of Claude's history: prompt n or, if n is a multiple of ten, a clear.
func typed(n int) string {
	text := fmt.Sprint("prompt ", n)
	if n%10 == 0 {
		text = "/clear"
	}
	return fmt.Sprintf(`{"display":%q,"pastedContents":{},"timestamp":%d,"project":"/p","sessionId":"s%d"}`+"\n", text, 1790000000000+n*1000, n/10)
}

func typedAll(numbers ...int) string {
	var text strings.Builder
	for _, n := range numbers {
		text.WriteString(typed(n))
	}
	return text.String()
}

// span returns the numbers from first to last.
func span(first, last int) (list []int) {
	for n := first; n <= last; n++ {
		list = append(list, n)
	}
	return list
}

// TestTrimmedHistory: prompts stay that a history lost at its beginning, as those of a
// deleted log, however the history goes on. Prompts removed from its middle go, and a
// problem counts them.
func TestTrimmedHistory(t *testing.T) {
	whole.Test(t, "syncs 30 times")
	t.Parallel()
	const query = `SELECT concat_ws(' ', count(*), count(*) FILTER (o.gone_at IS NOT NULL), count(DISTINCT source_id), (SELECT string_agg(what, '; ') FROM problems),
		(SELECT string_agg(concat(session_id, '-', next_session_id), ' ' ORDER BY timestamp) FROM clears)) FROM prompts JOIN sources o USING (source_id)`
	for _, full := range []bool{false, true} {
		h := &home{T: t, Dir: t.TempDir(), Store: t.TempDir() + "/h.duckdb"}
		step := func(why, want string, lines ...[]int) {
			t.Helper()
			h.Put(".claude/history.jsonl", typedAll(slices.Concat(lines...)...))
			h.SyncWith(full)
			if got := h.Rows(query)[0]; got != want {
				t.Errorf("%s, full %t: %q, want %q", why, full, got, want)
			}
		}
		step("whole", "28 0 1 s1-s2 s2-s3 s3-", span(9, 36))
		step("trimmed", "28 5 2 s1-s2 s2-s3 s3-", span(14, 36))
		step("grown", "30 5 2 s1-s2 s2-s3 s3-", span(14, 38))
		step("trimmed again, and grown", "31 14 2 s1-s2 s2-s3 s3-", span(23, 39))
		step("a line removed from the middle", "30 14 2 got shorter, and lost 1 prompt s1-s2 s2-s3 s3-", span(23, 27), span(29, 39))
		step("trimmed with a clear, and another line removed", "29 21 2 got shorter, and lost 2 prompts s1-s2 s2-s3 s3-", span(31, 32), span(34, 39))
		step("some lines back", "29 11 2 got shorter, and lost 2 prompts s1-s2 s2-s3 s3-", span(20, 27), span(29, 32), span(34, 39))
		step("whole again", "31 0 1 s1-s2 s2-s3 s3-", span(9, 39))
		step("all lines trimmed", "33 31 2 s1-s2 s2-s3 s3- s4-", span(40, 41))
		step("emptied", "33 33 1 s1-s2 s2-s3 s3- s4-")
		step("begun again", "34 33 2 s1-s2 s2-s3 s3- s4-", span(42, 42))
		step("an older history restored", "35 0 1 s1-s2 s2-s3 s3-s4 s4-", span(7, 7), span(9, 42))
		h.LikeClean()
		step("trimmed once more", "35 31 2 s1-s2 s2-s3 s3-s4 s4-", span(39, 42))
		_, _, err := h.Open().Prune(context.Background(), "")
		must(t, err)
		h.LikeClean()
		step("grown after a prune", "5 0 1 s4-", span(39, 43))
	}
}

// TestTrimmedAndForgotten: a load that makes the store anew keeps the trimmed prompts, even
// of a history trimmed since the load before. Those of a forgotten session go.
func TestTrimmedAndForgotten(t *testing.T) {
	t.Parallel()
	h := &home{T: t, Dir: t.TempDir(), Store: t.TempDir() + "/h.duckdb"}
	h.Put(".claude/history.jsonl", typedAll(span(11, 33)...))
	h.Sync()
	h.Tamper("UPDATE store_info SET schema_hash = 'older'", "ALTER TABLE prompts DROP COLUMN user", "DROP TABLE lost_rows")
	h.Put(".claude/history.jsonl", typedAll(span(24, 34)...))
	h.Sync()
	const query = "SELECT session_id || ' ' || count(*) || ' ' || count(DISTINCT source_id) FROM prompts GROUP BY session_id ORDER BY ALL"
	h.Want(query, "s1 9 1", "s2 10 2", "s3 5 1")
	h.Put(".claude/history.jsonl", typedAll(span(32, 34)...))
	forgetClaude := func(ids ...string) {
		t.Helper()
		var names []forgets.Name
		for _, id := range ids {
			names = append(names, forgets.Name{Agent: "claude", SessionID: id})
		}
		must(t, prune.Forget(context.Background(), h.Open().Store, names))
		h.Sync()
	}
	forgetClaude("s2")
	h.Want(query, "s1 9 1", "s3 5 2")
	forgetClaude("s1", "s3")
	h.Want("SELECT count(*), count(part), (SELECT count(*) FROM prompts) FROM sources", "1|0|0")
}

// transcript returns lines of Claude's log of a session: prompts with an answer each. The
// person refuses the call of the first answer.
func transcript(session string, prompts ...string) (lines []string) {
	line := func(more string) {
		parent := "null"
		if len(lines) > 0 {
			parent = fmt.Sprintf(`"%s-0000-4000-8000-%012d"`, session, len(lines)-1)
		}
		lines = append(lines, fmt.Sprintf(`{"parentUuid":%s,"uuid":"%s-0000-4000-8000-%012d","timestamp":"2026-09-21T14:13:%02dZ","cwd":"/p","sessionId":%q,"version":"2.1.263",%s}`+"\n",
			parent, session, len(lines), len(lines), session, more))
	}
	for i, text := range prompts {
		line(fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}`, text))
		if i > 0 {
			line(fmt.Sprintf(`"type":"assistant","message":{"id":"m%d","role":"assistant","content":[{"type":"text","text":"yes"}]}`, i))
			continue
		}
		line(`"type":"assistant","message":{"id":"m0","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"rm x"}}]}`)
		line(`"type":"user","toolUseResult":"Error: The user doesn't want to proceed with this tool use.","toolDenialKind":"user-rejected","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."}]}`)
		line(`"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}`)
	}
	return lines
}

// TestCutTranscript: a problem says how many prompts, refusals and stops a log lost that got
// shorter, as long as the log is there and no log has them.
func TestCutTranscript(t *testing.T) {
	whole.Test(t, "syncs 28 times")
	t.Parallel()
	const (
		log   = ".claude/projects/-p/a.jsonl"
		query = "SELECT concat_ws(' ', (SELECT count(*) FROM messages WHERE kind = 'prompt'), (SELECT string_agg(what, '; ') FROM problems), (SELECT sum(problems) FROM sources))"
	)
	for _, full := range []bool{false, true} {
		h := &home{T: t, Dir: t.TempDir(), Store: t.TempDir() + "/h.duckdb"}
		lines := transcript("a", "one", "two", "three")
		step := func(why, want string, change func()) {
			t.Helper()
			change()
			h.SyncWith(full)
			if got := h.Rows(query)[0]; got != want {
				t.Errorf("%s, full %t: %q, want %q", why, full, got, want)
			}
		}
		put := func(lines ...string) func() { return func() { h.Put(log, strings.Join(lines, "")) } }
		remove := func() { must(t, os.Remove(filepath.Join(h.Dir, log))) }
		step("whole", "3 0", put(lines...))
		step("cut", "2 got shorter, and lost 1 prompt, 1 refusal, 1 stop 1", put(lines[4:]...))
		lines = transcript("a", "one", "two", "three", "four")
		step("grown", "3 got shorter, and lost 1 prompt, 1 refusal, 1 stop 1", put(lines[4:]...))
		step("cut again", "2 got shorter, and lost 2 prompts, 1 refusal, 1 stop 1", put(lines[6:]...))
		step("some back", "3 got shorter, and lost 1 prompt, 1 refusal, 1 stop 1", put(lines[4:]...))
		step("a result went, and no prompt", "3 got shorter, and lost 1 prompt, 1 refusal, 1 stop 1", put(append(lines[4:5:5], lines[6:]...)...))
		step("whole again", "4 0", put(lines...))
		step("cut once more", "3 got shorter, and lost 1 prompt, 1 refusal, 1 stop 1", put(lines[4:]...))
		step("another log has the lines", "4 0", func() { h.Put(".claude/projects/-q/a.jsonl", strings.Join(lines, "")) })
		step("cut while the other has the lines", "4 0", put(lines[6:]...))
		must(t, os.Remove(filepath.Join(h.Dir, ".claude/projects/-q/a.jsonl")))
		step("whole", "4 0", put(lines...))
		step("gone", "4 0", remove)
		_, _, err := h.Open().Prune(context.Background(), "")
		must(t, err)
		step("another", "4 0", put(lines...))
		step("cut", "3 got shorter, and lost 1 prompt, 1 refusal, 1 stop 1", put(lines[4:]...))
		step("gone", "3 0", remove)
		h.Want("SELECT count(*) FROM store.hindsql_internal.lost_rows", "0")
	}
}
