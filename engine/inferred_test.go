package engine_test

import (
	"fmt"
	"testing"

	"hindsql/engine/enginetest"
	"hindsql/internal/whole"
	"hindsql/tables"
)

const (
	apart      = `SELECT count(*), count(*) FILTER (is_inferred), count(*) FILTER (is_inferred = ` + "(evidence IN ('inferred', 'text', 'wording') AND confidence < 0.9)" + `) FROM `
	bothTables = apart + "with_copies.rejections;" + apart + "with_copies.interruptions"
)

// TestGuessesStandApart: a row that is only inferred stands in with_copies, and in no
// plain table, count or function.
func TestGuessesStandApart(t *testing.T) {
	whole.Test(t, "loads several stores, 0.8 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", enginetest.Guessed()...)
	h.Write("b.jsonl", `{"session":"b","project":"/p"}`+"\n", `{"made":"b","at":"2026-01-01T00:00:30Z"}`+"\n", line(31, ""))
	h.Sync()
	h.Want(bothTables, "5|3|5", "5|3|5")
	h.Want("SELECT evidence, confidence FROM rejections ORDER BY confidence; SELECT evidence, confidence FROM interruptions ORDER BY confidence",
		"recorded|0.5", "wording|0.9", "recorded|0.5", "wording|0.9")
	h.Want("SELECT count(*) FROM clears; SELECT session_id, next_session_id, is_copy, is_inferred FROM with_copies.clears", "0", "s|b|false|true")
	h.Want("SELECT session_id, rejection_count, interruption_count, previous_session_id FROM sessions ORDER BY 1", "b|0|0|NULL", "s|2|2|NULL")
	h.Want("SELECT count(*) FROM search('because')", "2")
	h.Want("SELECT count(*) FILTER (what LIKE 'because%'), count(*) FILTER (who = 'stop'), count(*) FILTER (who = 'clear') FROM session('s')", "2|2|0")
	h.Want("SELECT count(*) FILTER (status = 'rejected' AND decision = 'refused' AND decided_by = 'user') FROM tool_calls", "5")
	h.LikeClean()
}

// TestGuessesAreToldInSQL: the SQL for rows of other builds finds the same guesses as
// the loader does.
func TestGuessesAreToldInSQL(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lines := []string{`{"session":"s"}` + "\n"}
	for i, evidence := range []string{"recorded", "inferred", "text", "wording", "history", "session start", "both"} {
		for j, confidence := range []float64{0, 0.25, 0.89, 0.9, 1} {
			id := fmt.Sprintf("c%d.%d", i, j)
			lines = append(lines, line(len(lines), fmt.Sprintf(`,"call":%q`, id)), line(len(lines)+1, fmt.Sprintf(`,"refused":%q,"evidence":%q,"confidence":%g`, id, evidence, confidence)))
		}
	}
	h.Write("a.jsonl", lines...)
	h.Sync()
	h.Want("SELECT count(*), count(*) FILTER (is_inferred), count(*) FILTER (is_inferred = "+tables.GuessSQL("evidence", "confidence")+") FROM with_copies.rejections", "35|9|35")
	h.Want("SELECT "+tables.GuessSQL("NULL", "0.1")+", "+tables.GuessSQL("'inferred'", "NULL"), "false|true")
}
