package engine_test

import (
	"context"
	"testing"

	"hindsql/internal/whole"
)

// TestSubagentsRowsTakeFromAbove: a subagent's rows take the project of the topmost
// session. The next prompt after a subagent's refusal is the prompt typed into the
// topmost session. The order of loading doesn't matter. A prune of the topmost
// session's log undoes both.
func TestSubagentsRowsTakeFromAbove(t *testing.T) {
	whole.Test(t, "loads anew after each of four changes")
	t.Parallel()
	h := newHome(t)
	const (
		above = `{"session":"a","project":"/w"}` + "\n"
		child = `{"session":"a/b","kind":"subagent","parent":"a","project":"/w/sub"}` + "\n"
		below = `{"session":"a/b/c","kind":"subagent","parent":"a/b","project":"/elsewhere"}` + "\n"
	)
	projects := "SELECT session_id, project FROM sessions ORDER BY 1"
	next := "SELECT session_id, project, next_prompt FROM rejections ORDER BY 1"
	h.Write("b.jsonl", child, line(3, `,"call":"t1"`), line(4, `,"refused":"t1"`))
	h.Write("c.jsonl", below, line(5, `,"call":"t2"`), line(6, `,"refused":"t2"`))
	h.Sync()
	h.Want(projects, "a/b|/w/sub", "a/b/c|/elsewhere")
	h.Want(next, "a/b|/w/sub|NULL", "a/b/c|/elsewhere|NULL")
	h.Write("a.jsonl", above, line(1, ""))
	h.Sync()
	h.Want(projects, "a|/w", "a/b|/w", "a/b/c|/w")
	h.Want("SELECT DISTINCT project FROM messages UNION SELECT project FROM tool_calls", "/w")
	h.Want(next, "a/b|/w|NULL", "a/b/c|/w|NULL")
	h.LikeClean()
	h.Append("a.jsonl", line(2, ""), line(65, `,"tokens":3`), line(8, ""), line(9, ""))
	h.Sync()
	h.Want(next, "a/b|/w|text 8", "a/b/c|/w|text 8")
	h.Append("c.jsonl", line(69, `,"call":"t3"`), line(129, `,"refused":"t3"`)) // at 9 seconds, too
	h.Sync()
	h.Want(next, "a/b|/w|text 8", "a/b/c|/w|text 8", "a/b/c|/w|NULL")
	h.LikeClean()
	h.Write("a.jsonl", `{"session":"a","project":"/v"}`+"\n", line(7, ""))
	h.Sync()
	h.Want(projects, "a|/v", "a/b|/v", "a/b/c|/v")
	h.Want(next, "a/b|/v|text 7", "a/b/c|/v|text 7", "a/b/c|/v|NULL")
	h.LikeClean()
	h.Remove("a.jsonl")
	h.Sync()
	_, _, err := h.Open().Prune(context.Background(), "")
	must(t, err)
	h.Want(projects, "a/b|/w/sub", "a/b/c|/elsewhere")
	h.Want(next, "a/b|/w/sub|NULL", "a/b/c|/elsewhere|NULL", "a/b/c|/elsewhere|NULL")
	h.LikeClean()
}

// TestTokensOfReplays: if a log kept only the tokens of the stream's start, a replay
// with more tokens gives the number. No other copy changes a number.
func TestTokensOfReplays(t *testing.T) {
	whole.Test(t, "loads anew after each of five changes")
	t.Parallel()
	h := newHome(t)
	first, second := `,"message_id":"msg_0000000000000000001","read":0`, `,"message_id":"msg_0000000000000000002","read":0`
	own := []string{line(1, first+`,"tokens":2,"started":true`), line(2, second+`,"tokens":50`)}
	replay := `{"session":"r","kind":"compaction_helper"}` + "\n"
	tokens := "SELECT output_tokens, recorded_output_tokens, tokens_reliable FROM messages ORDER BY uuid"
	sum := "SELECT session_id, output_tokens FROM sessions ORDER BY 1"
	h.Write("o.jsonl", own...)
	h.Sync()
	h.Want(tokens, "2|NULL|false", "50|NULL|true")
	h.Write("r.jsonl", replay, line(1, first+`,"tokens":300`), line(2, second+`,"tokens":70`))
	h.Sync()
	h.Want(tokens, "300|2|true", "50|NULL|true")
	h.Want(sum, "o|350", "r|0")
	h.LikeClean()
	h.Append("o.jsonl", line(3, ""))
	h.Sync()
	h.Want(sum, "o|350", "r|0")
	h.Write("r.jsonl", replay, line(1, first+`,"tokens":7,"started":true`))
	h.Sync()
	h.Want(tokens, "7|2|false", "50|NULL|true", "NULL|NULL|NULL")
	h.LikeClean()
	h.Write("r.jsonl", replay, line(9, ""))
	h.Sync()
	h.Want(sum, "o|52", "r|0")
	h.LikeClean()
	h.Write("r.jsonl", replay, line(1, first+`,"tokens":300`))
	h.Sync()
	h.Write("o.jsonl", line(1, first+`,"tokens":300`))
	h.Sync()
	h.Want(tokens, "300|NULL|true")
	h.LikeClean()
	h.Write("o.jsonl", own...)
	h.Sync()
	h.Remove("r.jsonl")
	h.Sync()
	h.Want(sum, "o|350", "r|0")
	_, _, err := h.Open().Prune(context.Background(), "")
	must(t, err)
	h.Want(sum, "o|52")
	h.LikeClean()
}

// TestPlansThatClear: if the text of a plan's clear doesn't name the session that
// ended, the plan that ended at the same moment does. The plan counts as granted.
func TestPlansThatClear(t *testing.T) {
	whole.Test(t, "loads several stores, 1.6 s of processor time")
	t.Parallel()
	h := newHome(t)
	clears := "SELECT session_id, next_session_id, confidence FROM clears"
	plan := []string{`{"session":"o","project":"/w"}` + "\n", line(5, `,"call":"t1","plan":true`), line(10, `,"refused":"t1","reason":""`)}
	h.Write("n.jsonl", `{"session":"n","project":"/w"}`+"\n", `{"planned":"n","project":"/w","id":"c1","at":"2026-01-01T00:00:12Z"}`+"\n", line(12, ""))
	h.Sync()
	h.Want(clears, "NULL|n|1")
	h.Write("o.jsonl", plan...)
	h.Write("other.jsonl", `{"session":"p","project":"/elsewhere"}`+"\n", line(11, `,"call":"t2","plan":true`), line(132, `,"refused":"t2","reason":""`))
	h.Write("refused.jsonl", `{"session":"q","project":"/w"}`+"\n", line(20, `,"call":"t3","plan":true`), line(72, `,"refused":"t3"`))
	h.Write("late.jsonl", `{"session":"s","project":"/w"}`+"\n", line(21, `,"call":"t4","plan":true`), line(16, `,"refused":"t4","reason":""`))
	h.Sync()
	h.Want(clears, "o|n|0.9")
	h.Want("SELECT previous_session_id FROM sessions WHERE session_id = 'n'", "o")
	h.Want("SELECT session_id, status, decision, decided_by FROM tool_calls ORDER BY 1",
		"o|ok|granted|user", "p|rejected|refused|user", "q|rejected|refused|user", "s|rejected|refused|user")
	h.Want("SELECT session_id FROM rejections ORDER BY 1", "p", "q", "s")
	h.LikeClean()
	h.Append("n.jsonl", line(30, ""))
	h.Sync()
	h.Want(clears, "o|n|0.9")
	h.LikeClean()
}

// TestHashesStay: the store keeps hashes of DuckDB's. If a new DuckDB hashes
// differently, raise rowsVersion in tables to have every store rebuilt, and change this
// number.
func TestHashesStay(t *testing.T) {
	t.Parallel()
	newHome(t).Want("SELECT hash('claude', 'a') >> 33", "39652171")
}
