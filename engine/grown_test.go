package engine_test

import (
	"fmt"
	"testing"
)

// TestLargeLogGrowsLikeClean: of a log with many rows, only changed rows are written.
// Late lines change early rows, another log makes its rows copies, and lines vanish.
// After each sync the store equals a new store.
func TestLargeLogGrowsLikeClean(t *testing.T) {
	t.Parallel()
	const many = 1500
	h := newHome(t)
	own := []string{`{"session":"big","project":"/p"}` + "\n"}
	for i := range many {
		own = append(own, line(i, fmt.Sprintf(`,"call":"t%d"`, i)))
	}
	sync := func(name string, lines []string) {
		t.Helper()
		h.Write(name, lines...)
		h.Sync()
		h.LikeClean()
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
