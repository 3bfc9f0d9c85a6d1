package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// sampleSession returns a session of the sample.
func sampleSession(t *testing.T) face {
	t.Helper()
	return open(t, sampleHome(t))
}

func TestExamplesOfFunctions(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 0.8 s of processor time")
	t.Parallel()
	s := sampleSession(t)
	for _, m := range tables.Macros() {
		t.Run(m.Name, func(t *testing.T) {
			if len(rows(t, s, m.Example)) == 0 {
				t.Errorf("no row on the sample: %s", m.Example)
			}
		})
	}
}

func TestLocalDay(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s"}`+"\n",
		`{"id":"1","at":"2026-03-28T22:59:59Z"}`+"\n", `{"id":"2","at":"2026-03-28T23:00:00Z"}`+"\n", `{"id":"3","at":"2026-03-29T21:59:59Z"}`+"\n", `{"id":"4"}`+"\n")
	h.Sync()
	c := h.Config()
	c.Timezone = "Europe/Berlin" // whose clocks go forward on 29 March
	s := open(t, c)
	for _, test := range []struct {
		sql  string
		want []string
	}{
		{"SELECT CAST(local_day(timestamp) AS VARCHAR) AS day, count(*) FROM messages GROUP BY day ORDER BY day NULLS LAST", []string{"2026-03-28|1", "2026-03-29|2", "NULL|1"}},
		{"SELECT typeof(local_day(timestamp)), count(*) FROM messages GROUP BY ALL", []string{"DATE|4"}},
		{"SELECT CAST(local_day(DATE '2026-01-31') AS VARCHAR)", []string{"2026-01-31"}},
		{"SELECT CAST(local_day(TIMESTAMP '2026-01-31 23:59:59') AS VARCHAR)", []string{"2026-01-31"}},
		{"SELECT day(DATE '2026-01-31'), extract(day FROM DATE '2026-01-31'), date_part('day', DATE '2026-01-31')", []string{"31|31|31"}},
	} {
		if diff := cmp.Diff(test.want, rows(t, s, test.sql)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.sql, diff)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Want(`SELECT diff(E'a\nb', E'a\nc'), diff('a', 'a'), diff(NULL, 'a'), diff('a', NULL)`, "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n||NULL|NULL")
	h.Want(`SELECT diff('{"a": 1}'::JSON->>'a', 2)`, "--- old\n+++ new\n@@ -1 +1 @@\n-1\n+2\n")
	h.Want("SELECT sum(length(diff(i::VARCHAR, 'x'))) FROM range(3000) t(i)", fmt.Sprint(3000*len("--- old\n+++ new\n@@ -1 +1 @@\n-\n+x\n")+10+90*2+900*3+2000*4))
}

func TestRaw(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"a"}`+"\n", "\n", strings.Replace(line(1, ""), "\n", "\r\n", 1), `{"id":"u2","text":"\u00e9 é 漢"}`)
	h.Write("b.jsonl", `{"session":"b"}`+"\n", line(1, `,"more":"`+strings.Repeat("long ", 100_000)+`"`), line(2, ""))
	h.Sync()
	s := h.Open()
	one := strings.TrimSuffix(line(1, ""), "\n")
	want := []string{"a|0|" + one, `a|1|{"id":"u2","text":"\u00e9 é 漢"}`, "b|0|" + one, "b|1|" + strings.TrimSuffix(line(2, ""), "\n")}
	query := "SELECT session_id, message_index, replace(raw(source_id, line), ',\"more\":\"" + "' || repeat('long ', 100000) || '\"', '') FROM with_copies.messages ORDER BY ALL"
	if diff := cmp.Diff(want, rows(t, s, query)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	none := "SELECT raw(source_id, 0), raw(source_id, 99), raw(source_id, -1), raw(source_id, NULL), raw(NULL, 1), raw(source_id + 1, 1) FROM with_copies.messages WHERE session_id = 'b' AND message_index = 0"
	if got := rows(t, s, none); !cmp.Equal(got, []string{"NULL|NULL|NULL|NULL|NULL|NULL"}) {
		t.Errorf("lines that are not there: %q", got)
	}

	ask := "SELECT raw(source_id, line) FROM with_copies.messages WHERE session_id = 'b' AND message_index = 1"
	h.Write("b.jsonl", "changed\n", "since\n", "it was loaded\n")
	if got := rows(t, s, ask); !cmp.Equal(got, []string{"it was loaded"}) {
		t.Errorf("after a change: %q", got)
	}
	h.Remove("b.jsonl")
	if got := rows(t, s, ask); !cmp.Equal(got, []string{"NULL"}) {
		t.Errorf("of a file that is gone: %q", got)
	}
}

// TestRawReadsLogsOnly: raw reads no path of another machine, no path without a row in
// sources, and no compressed file.
func TestRawReadsLogsOnly(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"a"}`+"\n", line(1, ""))
	h.Sync()
	ask := "SELECT raw(source_id, 1) FROM sources"
	h.Want(ask, `{"session":"a"}`)
	c := h.Config()
	c.Hostname = "elsewhere"
	if got := rows(t, open(t, c), ask); !cmp.Equal(got, []string{"NULL"}) {
		t.Errorf("of another machine: %q", got)
	}
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed)
	must(t, err)
	_, err = w.Write([]byte("text\n"))
	must(t, err)
	must(t, w.Close())
	h.Write("a.jsonl", packed.String())
	h.Want(ask, "NULL")
	if got, err := tryRows(h.Open(), "SELECT log_line('"+h.Path("a.jsonl")+"', 1)", nil); err == nil {
		t.Errorf("log_line took a path: %q", got)
	}
}

// TestRawInATransaction: another connection reads the paths.
func TestRawInATransaction(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"a"}`+"\n", line(1, ""))
	h.Sync()
	h.Want("BEGIN; CREATE TEMP TABLE t AS SELECT raw(source_id, 1) AS line FROM sources; FROM t; COMMIT; FROM t", `{"session":"a"}`, `{"session":"a"}`)
}

// TestFunctionsOutliveASync: a sync makes a session's views anew.
func TestFunctionsOutliveASync(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.Open()
	rows(t, s, "CREATE OR REPLACE TEMP MACRO cost(id) AS 'mine'")
	h.Write("a.jsonl", `{"session":"a"}`+"\n", line(1, ""))
	_, err := s.Sync(t.Context(), engine.SyncOptions{Full: true})
	must(t, err)
	if got := rows(t, s, "SELECT what, cost('a'), raw(source_id, 1) FROM session('a'), sources"); !cmp.Equal(got, []string{`text 1|mine|{"session":"a"}`}) {
		t.Errorf("%q", got)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"a"}`+"\n", line(1, ""))
	h.Write("b.jsonl", `{"session":"b"}`+"\n", line(2, ""))
	h.Sync()
	h.Tamper("UPDATE sessions SET cost_usd = 0.25 WHERE session_id = 'a'")
	h.Want("SELECT session_id, cost(session_id), cost(sessions.session_id) FROM sessions ORDER BY ALL", "a|0.25|0.25", "b|NULL|NULL")
	h.Want("SELECT cost('a'), cost('nobody'), cost(NULL)", "0.25|NULL|NULL")
	h.Want("SELECT session_id, sum(cost(session_id)) FROM messages GROUP BY ALL ORDER BY ALL", "a|0.25", "b|NULL")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	long := strings.Repeat("before ", 30) + "the Needle" + strings.Repeat(" after", 30)
	h.Write("a.jsonl", `{"session":"a"}`+"\n", `{"id":"1","at":"2026-01-01T00:00:01Z","text":"`+long+`"}`+"\n",
		`{"id":"2","at":"2026-01-01T00:00:02Z","text":"a.b\n\n  needle\tand \r\n two  \n","call":"c1","refused":"c1"}`+"\n")
	h.Sync()
	const columns = "session_id, message_index, epoch(time) - epoch(TIMESTAMPTZ '2026-01-01 00:00:00+00'), part, snippet"
	h.Want("SELECT "+columns+" FROM search('NEEDLE')",
		"a|0|1|text|…before before before before before the Needle after after after after after after after after after after after after a…",
		"a|1|2|text|a.b needle and two")
	h.Want("SELECT message_index, left(snippet, 3) FROM search('needle') LIMIT 1", "0|…be")
	h.Want("SELECT part, snippet FROM search('a.b') WHERE message_index = 1", "text|a.b needle and two")
	h.Want(`SELECT part, snippet FROM search('^\{"A":')`, `input|{"a":1}`)
	h.Want("SELECT part, snippet FROM search('^no$')", "reason|no")
	h.Want("SELECT count(*) FROM search('nowhere')", "0")
	h.Want("SELECT count(*) FROM search(NULL)", "0")
	h.Want("SELECT count(DISTINCT part) FROM search('')", "3")
	if _, err := tryRows(h.Open(), "FROM search('(')", nil); err == nil || !strings.Contains(err.Error(), "missing )") {
		t.Errorf("of a bad pattern: %v", err)
	}
}

// TestSession compares how sessions of the sample read with testdata/session.txt.
func TestSession(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 0.9 s of processor time")
	t.Parallel()
	s := sampleSession(t)
	var got strings.Builder
	for _, id := range []string{"fb516255", "60a888ce", "6853e17a", "0af5e543-01b2", "0af5e543-01b2-4621-ba51-4ece2e7e09c6/agent-ae", "019fae77", "4b7d21aa", "2f94c8d0"} {
		fmt.Fprintf(&got, "# %s\n", id)
		for _, r := range rows(t, s, "SELECT lpad(CAST(message_index AS VARCHAR), 3, ' '), strftime(time, '%d %H:%M:%S'), rpad(who, 10, ' '), what FROM session('"+id+"')") {
			got.WriteString(strings.ReplaceAll(r, "\n", "⏎") + "\n")
		}
	}
	path := filepath.Join("testdata", "session.txt")
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(path, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s is out of date; go test -update rewrites it (-want +got)\n%s", path, diff)
	}
}

// TestSessionLeavesNothingOut: every session of the sample has a line for each
// prompt, call, refusal, compaction and clear, and lines are in order.
func TestSessionLeavesNothingOut(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 2.2 s of processor time")
	t.Parallel()
	s := sampleSession(t)
	for _, id := range rows(t, s, "SELECT session_id FROM sessions") {
		got := rows(t, s, strings.ReplaceAll(`WITH lines AS (SELECT * FROM session('ID'))
			SELECT count(*) FILTER (who = 'you' AND what NOT LIKE 'refused %' AND what NOT LIKE 'because: %')
				= (SELECT count(*) FROM messages WHERE session_id = 'ID' AND kind IN ('prompt', 'command') AND text IS NOT NULL),
			count(*) FILTER (who = 'agent')
				= (SELECT count(*) FROM messages WHERE session_id = 'ID' AND kind = 'response' AND text IS NOT NULL)
				+ (SELECT count(*) FROM tool_calls WHERE session_id = 'ID'),
			count(*) FILTER (what LIKE 'refused %' OR what LIKE 'dropped with %') = (SELECT count(*) FROM rejections WHERE session_id = 'ID'),
			count(*) FILTER (who = 'stop') = (SELECT count(*) FROM interruptions WHERE session_id = 'ID' AND NOT paired_rejection),
			count(*) FILTER (who = 'compaction') = (SELECT count(*) FROM compactions WHERE session_id = 'ID'),
			count(*) FILTER (who = 'clear') = (SELECT count(*) FROM clears WHERE session_id = 'ID'),
			count(*) FILTER (what IS NULL), list(message_index) = list_sort(list(message_index), 'ASC', 'NULLS LAST') FROM lines`, "ID", id))
		if !cmp.Equal(got, []string{"true|true|true|true|true|true|0|true"}) {
			t.Errorf("%s: %s", id, got)
		}
	}
}

func TestSessionByPrefix(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, id := range []string{"abc", "abcd", "abd", "x-1"} {
		h.Write(id+".jsonl", `{"session":"`+id+`"}`+"\n", `{"id":"`+id+`","text":"`+id+`"}`+"\n")
	}
	h.Write("sub.jsonl", `{"session":"x-1/agent-1","kind":"subagent"}`+"\n", `{"id":"sub","text":"sub"}`+"\n")
	h.Sync()
	for id, want := range map[string]string{"abc": "abc", "abcd": "abcd", "abd": "abd", "x": "x-1", "x-1/a": "sub"} {
		h.Want("SELECT what FROM session('"+id+"')", want)
	}
	for id, want := range map[string]string{"'ab'": "3 sessions have an id that begins with ab", "'nobody'": "no session has an id that begins with nobody", "NULL": "no session has an id that begins with NULL"} {
		if _, err := tryRows(h.Open(), "FROM session("+id+")", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", id, err, want)
		}
	}
}
