package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// TestInferredClears: if no line records a clear, a session is inferred to follow
// another in a clear only if both have the same project and origin, the older ended at
// most five minutes before the newer was made, and no other session followed the older.
func TestInferredClears(t *testing.T) {
	whole.Test(t, "loads eight homes")
	t.Parallel()
	at := func(minute, second int) string { return fmt.Sprintf("2026-01-01T00:%02d:%02dZ", minute, second) }
	// session returns a log: marks of when the session was made, its project and
	// origin, and messages at the given times.
	session := func(id, made, project, origin string, times ...string) []string {
		lines := []string{fmt.Sprintf(`{"session":%q,"project":%q,"origin":%q}`+"\n", id, project, origin), fmt.Sprintf(`{"made":%q,"at":%q}`+"\n", id, made)}
		for i, time := range times {
			lines = append(lines, fmt.Sprintf(`{"id":"%s%d","at":%q,"text":"x"}`+"\n", id, i, time))
		}
		return lines
	}
	old := session("a", at(0, 0), "p", "cli", at(0, 1), at(2, 0))
	for _, test := range []struct {
		name string
		more [][]string
		want string
	}{
		{"right after", [][]string{session("b", at(2, 0), "p", "cli", at(20, 0))}, "a b"},
		{"five minutes after", [][]string{session("b", at(7, 0), "p", "cli", at(7, 1))}, "a b"},
		{"later", [][]string{session("b", at(7, 1), "p", "cli", at(7, 2))}, ""},
		{"made before the other ended", [][]string{session("b", at(1, 59), "p", "cli", at(3, 0))}, ""},
		{"another project", [][]string{session("b", at(2, 1), "q", "cli", at(2, 2))}, ""},
		{"another origin", [][]string{session("b", at(2, 1), "p", "vscode", at(2, 2))}, ""},
		{"after one that had followed", [][]string{
			session("b", at(2, 1), "p", "cli", at(2, 2), at(30, 0)), session("c", at(2, 5), "p", "cli", at(2, 6)),
		}, "a b"},
		{"one after the other", [][]string{
			session("b", at(2, 1), "p", "cli", at(2, 2)), session("c", at(2, 5), "p", "cli", at(2, 6)),
		}, "a b, b c"},
	} {
		h := newHome(t)
		h.Write("a.jsonl", old...)
		for i, lines := range test.more {
			h.Write(fmt.Sprintf("more%d.jsonl", i), lines...)
		}
		h.Sync()
		got := strings.Join(h.Rows("SELECT session_id || ' ' || next_session_id FROM with_copies.clears ORDER BY timestamp"), ", ")
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		h.Want("SELECT count(*) FROM with_copies.clears WHERE confidence <> 0.25 OR NOT is_inferred; SELECT count(*) FROM clears; SELECT count(previous_session_id) FROM sessions", "0", "0", "0")
	}
}

// TestInferredByBothEnds: for an agent that marks both ends of a session, a session is
// inferred to follow another in a clear only if the newer began as the older ended, or
// if both ended together and the older was silent after the newer began.
func TestInferredByBothEnds(t *testing.T) {
	whole.Test(t, "loads twelve homes")
	t.Parallel()
	at := func(second float64) string {
		return fmt.Sprintf("2026-01-01T00:%02d:%06.3fZ", int(second)/60, second-float64(int(second)/60*60))
	}
	session := func(id, project, origin, more string, made, ended float64, times ...float64) []string {
		lines := []string{fmt.Sprintf(`{"session":%q,"project":%q,"origin":%q%s}`+"\n", id, project, origin, more), fmt.Sprintf(`{"made":%q,"at":%q}`+"\n", id, at(made))}
		for i, time := range times {
			lines = append(lines, fmt.Sprintf(`{"id":"%s%d","at":%q,"text":"x"}`+"\n", id, i, at(time)))
		}
		end := fmt.Sprintf(`{"ended":%q}`+"\n", id)
		if ended > 0 {
			end = fmt.Sprintf(`{"ended":%q,"at":%q}`+"\n", id, at(ended))
		}
		return append(lines, end)
	}
	old := session("a", "p", "cli", "", 1, 60, 2, 20)
	for _, test := range []struct {
		name  string
		older []string
		more  [][]string
		want  string
	}{
		{"as the other ended", old, [][]string{session("b", "p", "cli", "", 59.7, 90, 65)}, "a b"},
		{"two seconds before it ended", old, [][]string{session("b", "p", "cli", "", 57.9, 90, 65)}, ""},
		{"a second after it", old, [][]string{session("b", "p", "cli", "", 61, 90, 65)}, ""},
		{"without an end of its own", old, [][]string{session("b", "p", "cli", "", 59.7, 0, 65)}, "a b"},
		{"of one that has none", session("a", "p", "cli", "", 1, 0, 2, 20), [][]string{session("b", "p", "cli", "", 21, 90, 65)}, ""},
		{"both ended as one", old, [][]string{session("b", "p", "cli", "", 30, 60.4, 35)}, "a b"},
		{"both ended as one, and the older still spoke", old, [][]string{session("b", "p", "cli", "", 19, 60.4, 35)}, ""},
		{"they ended apart", old, [][]string{session("b", "p", "cli", "", 30, 62, 35)}, ""},
		{"another project", old, [][]string{session("b", "q", "cli", "", 59.7, 90, 65)}, ""},
		{"another origin", old, [][]string{session("b", "p", "ide", "", 59.7, 90, 65)}, ""},
		{"a fork", old, [][]string{session("b", "p", "cli", `,"forked":"a"`, 59.7, 90, 65)}, ""},
		{"a chain that ended as one", old, [][]string{session("b", "p", "cli", "", 30, 60.4, 35), session("c", "p", "cli", "", 40, 60.2, 45)}, "a b, b c"},
	} {
		h := newHome(t)
		h.Write("a.jsonl", test.older...)
		for i, lines := range test.more {
			h.Write(fmt.Sprintf("more%d.jsonl", i), lines...)
		}
		h.Sync()
		got := strings.Join(h.Rows("SELECT session_id || ' ' || next_session_id FROM with_copies.clears ORDER BY timestamp"), ", ")
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestClearsInOrder: a /clear in the prompt history is joined to the next session of
// its project whose log records that a clear began it. It is never joined to a session
// that merely begins next.
func TestClearsInOrder(t *testing.T) {
	whole.Test(t, "loads eight homes, a file at a time, and anew")
	t.Parallel()
	at := func(minute, second int) string { return fmt.Sprintf("2026-01-01T00:%02d:%02dZ", minute, second) }
	session := func(id string, times ...string) []string {
		lines := []string{fmt.Sprintf(`{"session":%q,"project":"p"}`+"\n", id)}
		for i, time := range times {
			lines = append(lines, fmt.Sprintf(`{"id":"%s%d","at":%q,"text":"x"}`+"\n", id, i, time))
		}
		return lines
	}
	trace := func(evidence, of, next, at string) string {
		return fmt.Sprintf(`{"trace":%q,"of":%q,"next":%q,"at":%q,"project":"p","id":"%[1]s%[3]s"}`+"\n", evidence, of, next, at)
	}
	begun := func(id, made string, times ...string) []string { // a session begun by a clear, which its last line records
		return append(session(id, append([]string{made}, times...)...), trace("session start", "", id, made))
	}
	typed := func(of, at string) string { return trace("history", of, "", at) }
	for _, test := range []struct {
		name    string
		history []string
		logs    [][]string
		want    string
	}{
		{"at once", []string{typed("a", at(2, 0))}, [][]string{session("a", at(0, 1), at(1, 0)), begun("b", at(2, 1))}, "a b both 1.0"},
		{"queued until the answer was there", []string{typed("a", at(2, 0))}, [][]string{session("a", at(0, 1), at(2, 40)), begun("b", at(2, 41))}, "a b both 1.0"},
		{"taken from the queue later", []string{typed("a", at(2, 0))},
			[][]string{append(session("a", at(0, 1), at(2, 10)), trace("queue", "a", "", at(9, 0))), begun("b", at(9, 1))}, "a b both 1.0"},
		{"another process merely begins next", []string{typed("a", at(2, 0))}, [][]string{session("a", at(0, 1), at(1, 0)), session("x", at(2, 30))}, "a NULL history 1.0"},
		{"another process begins between", []string{typed("a", at(2, 0))},
			[][]string{session("a", at(0, 1), at(2, 40)), session("x", at(2, 20)), begun("b", at(2, 41))}, "a b both 1.0"},
		{"two in their order", []string{typed("a", at(2, 0)), typed("b", at(3, 0))},
			[][]string{session("a", at(0, 1), at(2, 5)), begun("b", at(2, 6), at(3, 8)), begun("c", at(3, 9))}, "a b both 1.0, b c both 1.0"},
		{"the only session that it can mean", []string{typed("", at(2, 0))}, [][]string{session("a", at(0, 1), at(1, 0))}, "a NULL history 0.6"},
		{"one of two sessions", []string{typed("", at(2, 0))}, [][]string{session("a", at(0, 1), at(1, 0)), session("x", at(0, 5), at(1, 5))}, "NULL NULL history 1.0"},
	} {
		h := newHome(t)
		h.Write("history.jsonl", test.history...)
		for i, lines := range test.logs {
			h.Write(fmt.Sprintf("log%d.jsonl", i), lines...)
			h.Sync() // one after the other, as they grow
		}
		got := strings.Join(h.Rows("SELECT coalesce(session_id, 'NULL') || ' ' || coalesce(next_session_id, 'NULL') || ' ' || evidence || ' ' || confidence FROM clears ORDER BY timestamp"), ", ")
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		h.LikeClean()
	}
}
