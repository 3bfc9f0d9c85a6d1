package engine_test

import (
	"fmt"
	"testing"

	"hindsql/internal/whole"
)

// TestLargeLogGrowsLikeClean: of a log with many rows, only changed rows are written.
// Late lines change early rows, another log makes its rows copies, and lines vanish.
// After each sync the store equals a new store.
func TestLargeLogGrowsLikeClean(t *testing.T) {
	t.Parallel()
	many := whole.Or(1500, 1100)
	h := newHome(t)
	own := []string{`{"session":"big","project":"/p"}` + "\n"}
	for i := range many {
		own = append(own, line(i, fmt.Sprintf(`,"call":"t%d"`, i)))
	}
	syncs := 0
	sync := func(name string, lines []string) {
		t.Helper()
		h.Write(name, lines...)
		h.Sync()
		if syncs++; syncs >= whole.Or(1, 6) {
			h.LikeClean()
		}
	}
	sync("big.jsonl", own)
	own = append(own, line(many, ""))
	sync("big.jsonl", own)
	h.Want("SELECT count(*) FROM messages", fmt.Sprint(many+1))
	own = append(own, line(many+1, `,"refused":"t7","reason":"no"`))
	sync("big.jsonl", own)
	h.Want("SELECT status, message_index FROM tool_calls WHERE tool_use_id = 't7'", "rejected|7")
	other := append([]string{`{"session":"older","project":"/p"}` + "\n"}, own[1:many/2]...)
	sync("older.jsonl", other)
	h.Want("SELECT count(*) FROM with_copies.messages WHERE is_copy", fmt.Sprint(many/2-1))
	sync("big.jsonl", append(own, line(many+2, "")))
	own[0] = `{"session":"big","project":"/q"}` + "\n"
	sync("big.jsonl", own[:many])
}

// TestGrownLogKeepsItsPlaces: the row of a session and of its log stay in their places
// when the log grows, because only changed columns are written. A new project changes
// them, too, and a log whose rows vanish and come back gets new rows.
func TestGrownLogKeepsItsPlaces(t *testing.T) {
	whole.Test(t, "loads anew after each of five changes")
	t.Parallel()
	h := newHome(t)
	places := "SELECT string_agg(s.session_id || ' ' || (s.rowid < (SELECT max(rowid) FROM store.hindsql_internal.sessions)), ', ' ORDER BY s.rowid) FROM store.hindsql_internal.sessions s"
	head := func(name, project string) string {
		return fmt.Sprintf(`{"session":%q,"project":%q}`+"\n", name, project)
	}
	h.Write("first.jsonl", head("first", "/p"), line(1, ""), line(2, `,"call":"t2"`))
	h.Sync()
	h.Write("second.jsonl", head("second", "/p"), line(5, ""))
	h.Sync()
	first := []string{head("first", "/p"), line(1, ""), line(2, `,"call":"t2"`)}
	for _, next := range []string{line(3, ""), line(4, `,"refused":"t2","reason":"no"`)} {
		first = append(first, next)
		h.Write("first.jsonl", first...)
		h.Sync()
		h.Want(places, "first true, second false")
		h.LikeClean()
	}
	first[0] = head("first", "/q")
	h.Write("first.jsonl", first...)
	h.Sync()
	h.Want("SELECT project FROM sessions WHERE session_id = 'first'", "/q")
	h.Want(places, "first true, second false")
	h.LikeClean()
	h.Write("first.jsonl", head("other", "/q"), line(1, ""))
	h.Sync()
	h.LikeClean()
}
