package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"hindsql/internal/whole"
)

// TestOneSessionInTwoFiles: after an undo, a session goes on in a second file. In any
// order of loading, reloading and removing, both files are one session. Undone messages
// are off its active line.
func TestOneSessionInTwoFiles(t *testing.T) {
	whole.Test(t, "loads anew after each file, in three orders")
	t.Parallel()
	numbered := func(n, ordinal int, more string) string {
		return line(n, fmt.Sprintf(`,"ordinal":%d%s`, ordinal, more))
	}
	content := map[string]string{
		"s.jsonl": `{"session":"s","ordinal":0}` + "\n" + numbered(1, 1, `,"call":"a"`) + "a damaged line\n" + numbered(2, 2, `,"tokens":5`) +
			numbered(3, 3, "") + numbered(4, 4, `,"tokens":6`),
		"s_1.jsonl": `{"session":"s_1","continues":"s","from":3,"ordinal":3}` + "\n" + numbered(5, 4, "") + numbered(6, 5, `,"call":"b","stopped":true`) + numbered(7, 6, `,"refused":"b","tokens":7`),
		"s_2.jsonl": `{"session":"s_2","continues":"s","from":6,"ordinal":6}` + "\n" + numbered(8, 7, `,"tokens":8`),
		"t.jsonl":   line(1, "") + line(9, ""), // contains a copied message
	}
	const shape = "SELECT message_index, text, is_active FROM with_copies.messages WHERE session_id = 's' ORDER BY 1"
	full := []string{"0|text 1|true", "1|text 2|true", "2|text 3|false", "3|text 4|false", "4|text 5|true", "5|text 6|true", "6|text 7|false", "7|text 8|true"}
	for _, order := range [][]string{{"s", "s_1", "s_2", "t"}, {"t", "s_2", "s_1", "s"}, {"s_1", "t", "s", "s_2"}} {
		h := newHome(t)
		for _, name := range order {
			h.Write(name+".jsonl", content[name+".jsonl"])
			h.Sync()
			h.LikeClean()
		}
		h.Want(shape, full...)
		h.Want("SELECT session_id, message_count, output_tokens, rejection_count, ended_at = TIMESTAMPTZ '2026-01-01T00:00:08Z' FROM sessions ORDER BY 1",
			"s|8|26|1|true", "t|1|0|0|false")
		h.Want("SELECT message_index, result_message_index FROM tool_calls WHERE tool_use_id = 'b'", "5|6")
		h.Want("SELECT message_index, prompt_index FROM interruptions", "5|5")
		h.Want("SELECT count(*) FROM messages ANTI JOIN sessions USING (agent, session_id)", "0")
		h.SyncWith(true)
		h.Want(shape, full...)
		h.Append("s.jsonl", numbered(10, 5, ""))
		h.Sync()
		h.LikeClean()
		h.Want(shape, slices.Concat(full[:4], []string{"4|text 10|false", "5|text 5|true", "6|text 6|true", "7|text 7|false", "8|text 8|true"})...)
		h.Want("SELECT message_index, prompt_index FROM interruptions", "6|6")
		h.Append("t.jsonl", line(11, ""))
		h.Sync()
		h.LikeClean()
	}
}

// TestThePartsOfALostSession: a session is in two files. After a prune drops the first
// file, the second file is a session of its own.
func TestThePartsOfALostSession(t *testing.T) {
	whole.Test(t, "loads several stores, 1.0 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("s.jsonl", `{"session":"s","ordinal":0}`+"\n", line(1, `,"ordinal":1`))
	h.Write("s_1.jsonl", `{"session":"s_1","continues":"s","from":1,"ordinal":1}`+"\n", line(2, `,"ordinal":2`))
	h.Sync()
	h.Want("SELECT session_id, message_count FROM sessions", "s|2")
	h.Remove("s.jsonl")
	h.Sync()
	h.Want("SELECT session_id, message_count FROM sessions", "s|2")
	_, _, err := h.Open().Prune(context.Background(), "")
	must(t, err)
	h.Want("SELECT session_id, message_index FROM messages", "s_1|0")
	h.LikeClean()
}
