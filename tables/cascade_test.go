package tables_test

import (
	"testing"

	"hindsql/tables"
)

// TestCascade checks which calls of a batch count as dropped because another call was
// refused. ends lists the results in the order of the log; want lists the dropped
// calls, each with the refused call.
func TestCascade(t *testing.T) {
	for _, test := range []struct {
		name string
		ends []end
		stop *tables.Interruption
		want [][]any // tool_use_id, cause_tool_use_id, evidence, confidence, message_index
	}{
		{"two said to be skipped", []end{{"1", "rejected"}, {"2", "skipped"}, {"3", "skipped"}}, nil, [][]any{
			{"2", "1", "recorded", 1.0, int64(2)}, {"3", "1", "recorded", 1.0, int64(3)}}},
		{"two lost", []end{{"1", "rejected"}}, nil, [][]any{
			{"2", "1", "inferred", 0.8, int64(1)}, {"3", "1", "inferred", 0.8, int64(1)}}},
		{"one ran, one lost", []end{{"1", "ok"}, {"2", "rejected"}}, nil, [][]any{
			{"3", "2", "inferred", 0.8, int64(2)}}},
		{"cut by the keypress that refused", []end{{"1", "rejected"}, {"2", "interrupted"}, {"3", "ok"}},
			&tables.Interruption{ToolUseID: "1", PairedRejection: true}, [][]any{{"2", "1", "inferred", 0.9, int64(2)}}},
		{"cut by a keypress of its own", []end{{"1", "rejected"}, {"2", "interrupted"}, {"3", "interrupted"}},
			&tables.Interruption{ToolUseID: "2"}, nil},
		{"skipped with a call that failed", []end{{"1", "error"}, {"2", "skipped"}, {"3", "ok"}}, nil, nil},
		{"a failure stands between", []end{{"1", "rejected"}, {"2", "error"}, {"3", "skipped"}}, nil, nil},
		{"a refusal stands between", []end{{"1", "error"}, {"2", "rejected"}, {"3", "skipped"}}, nil, [][]any{
			{"3", "2", "recorded", 1.0, int64(3)}}},
		{"dropped before its mate's answer was written", []end{{"1", "skipped"}, {"2", "rejected"}, {"3", "ok"}}, nil, [][]any{
			{"1", "2", "recorded", 1.0, int64(1)}}},
		{"skipped with a call that a hook denied", []end{{"1", "denied"}, {"2", "skipped"}}, nil, [][]any{
			{"2", "1", "recorded", 1.0, int64(2)}}},
		{"a hook's denial loses nothing", []end{{"1", "denied"}}, nil, nil},
		{"all refused", []end{{"1", "rejected"}, {"2", "rejected"}, {"3", "rejected"}}, nil, nil},
		{"ran after all", []end{{"1", "rejected"}, {"2", "skipped"}, {"3", "ok"}, {"2", "ok"}}, nil, nil},
		{"nobody refused", []end{{"1", "interrupted"}, {"2", "skipped"}}, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var down []tables.Row
			for _, row := range rowsOf(t, batchOf3(test.ends, test.stop)...)["rejections"] {
				if row["cascaded"] == true {
					down = append(down, row)
				}
				if row["cascaded"] == true && (row["decided_by"] != "rule" || row["tool_name"] != "Bash") {
					t.Errorf("a cascaded row is %v", row)
				}
			}
			want(t, down, "tool_use_id cause_tool_use_id evidence confidence message_index", test.want...)
		})
	}
}

type end struct{ id, status string }

// batchOf3 returns one message with calls 1 to 3, then a message for each result.
func batchOf3(ends []end, stop *tables.Interruption) []tables.Event {
	events := []tables.Event{session, response("a", "", ""), bash("1"), bash("2"), bash("3")}
	for _, e := range ends {
		events = append(events, user(""), result(e.id, e.status, ""))
		switch e.status {
		case tables.StatusRejected:
			events = append(events, &tables.Rejection{ToolUseID: e.id, DecidedBy: tables.ByUser, Evidence: tables.EvidenceRecorded, Confidence: 1})
		case tables.StatusDenied:
			events = append(events, &tables.Rejection{ToolUseID: e.id, DecidedBy: tables.ByHook, Evidence: tables.EvidenceRecorded, Confidence: 1})
		}
	}
	if stop != nil {
		events = append(events, stop)
	}
	return events
}

// TestCascadeIsNoSurerThanItsCause: if the refusal of a call is uncertain (Codex
// records some refusals only as an abort), the rejections of the calls dropped with it
// have no higher confidence.
func TestCascadeIsNoSurerThanItsCause(t *testing.T) {
	rows := rowsOf(t, session, response("a", "", ""), bash("1"), bash("2"),
		user(""), result("1", tables.StatusRejected, ""),
		&tables.Rejection{ToolUseID: "1", DecidedBy: tables.ByUser, Evidence: tables.EvidenceInferred, Confidence: 0.7},
		user(""), result("2", tables.StatusSkipped, ""))
	want(t, rows["rejections"], "tool_use_id cascaded evidence confidence",
		[]any{"1", false, "inferred", 0.7}, []any{"2", true, "inferred", 0.7})
}

// TestGrantedCallIsNotDropped checks that a call that a person granted, and that a later
// refusal cut, is no cascaded rejection.
func TestGrantedCallIsNotDropped(t *testing.T) {
	events := append(batchOf3([]end{{"1", "rejected"}, {"2", "interrupted"}, {"3", "interrupted"}}, nil),
		&tables.Decision{ToolUseID: "2", Decision: tables.Granted, DecidedBy: tables.ByUser})
	want(t, rowsOf(t, events...)["rejections"], "tool_use_id cascaded", []any{"1", false}, []any{"3", true})
}
