package tables_test

import (
	"testing"

	"hindsql/tables"
)

var session = &tables.Session{SessionID: "s"}

func user(uuid string) *tables.Message {
	return &tables.Message{UUID: uuid, Role: tables.RoleUser, Kind: tables.KindToolResult}
}

func prompt(uuid, text string) *tables.Message {
	return &tables.Message{UUID: uuid, Role: tables.RoleUser, Kind: tables.KindPrompt, Text: text}
}

func response(uuid, id, text string) *tables.Message {
	return &tables.Message{UUID: uuid, MessageID: id, Role: tables.RoleAssistant, Kind: tables.KindResponse, Text: text, Model: "m"}
}

func bash(id string) *tables.ToolCall {
	return &tables.ToolCall{ToolUseID: id, ToolName: "Bash", ToolKind: tables.ToolCommand, Command: "rm " + id, Input: `{"command":"rm ` + id + `"}`}
}

func result(id, status, output string) *tables.ToolResult {
	return &tables.ToolResult{ToolUseID: id, Status: status, Output: output}
}

func TestResultJoinsItsCall(t *testing.T) {
	call := bash("c")
	call.Timestamp = at(1)
	end := result("c", tables.StatusError, "no")
	end.Timestamp, end.ErrorType, end.ExitCode = at(3), tables.ErrorExitCode, tables.Some(int64(2))
	rows := rowsOf(t, session, response("a", "", ""), call, user("b"), end)
	want(t, rows["tool_calls"], "message_index result_message_index status is_error error_type exit_code duration_ms output",
		[]any{int64(0), int64(1), "error", true, "exit_code", int64(2), int64(2000), "no"})
}

func TestResultBeforeItsCall(t *testing.T) {
	rows := rowsOf(t, session, user("b"), result("c", tables.StatusOK, "out"), response("a", "", ""), bash("c"))
	want(t, rows["tool_calls"], "message_index result_message_index status is_error output",
		[]any{int64(1), int64(0), "ok", false, "out"})
}

func TestSeveralResults(t *testing.T) {
	for _, test := range []struct {
		name  string
		ends  []string // statuses, in order
		want  string   // the status that stands
		which int
	}{
		{"the last stands", []string{"ok", "error"}, "error", 1},
		{"a skip undoes nothing", []string{"ok", "skipped"}, "ok", 0},
		{"a skip is undone", []string{"skipped", "ok"}, "ok", 1},
		{"the last skip stands", []string{"skipped", "skipped"}, "skipped", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := []tables.Event{session, response("a", "", ""), bash("c"), user("b")}
			for i, status := range test.ends {
				events = append(events, result("c", status, string(rune('0'+i))))
			}
			rows := rowsOf(t, events...)
			want(t, rows["tool_calls"], "status output", []any{test.want, string(rune('0' + test.which))})
		})
	}
}

func TestResultWithoutCallKeepsItsText(t *testing.T) {
	rows := rowsOf(t, session, user("b"), result("gone", tables.StatusOK, "out"), result("", tables.StatusOK, "more"))
	want(t, rows["messages"], "text", []any{"out\n\nmore"})
	want(t, rows["tool_calls"], "status")
}

func TestCallsWithoutIDAreAllKept(t *testing.T) {
	rows := rowsOf(t, session, response("a", "", ""), bash(""), bash(""), user("b"), result("", tables.StatusOK, "out"))
	want(t, rows["tool_calls"], "tool_use_id status batch_index", []any{nil, "pending", int64(0)}, []any{nil, "pending", int64(1)})
}

func TestSameCallTwiceIsOne(t *testing.T) {
	rows := rowsOf(t, session, response("a", "id", ""), bash("c"), response("b", "id", ""), bash("c"))
	want(t, rows["tool_calls"], "tool_use_id batch_size", []any{"c", int64(1)})
}

// TestBatch checks that the parts of an API message form one batch, even with a result
// between the parts.
func TestBatch(t *testing.T) {
	rows := rowsOf(t, session,
		response("a", "id", ""), bash("1"),
		user("b"), result("1", tables.StatusRejected, "no"),
		response("c", "id", ""), bash("2"), bash("3"),
		user("d"), result("3", tables.StatusOK, "done"),
		response("e", "other", ""), bash("4"))
	want(t, rows["tool_calls"], "tool_use_id batch_index batch_size status message_index",
		[]any{"1", int64(0), int64(3), "rejected", int64(0)},
		[]any{"2", int64(1), int64(3), "lost", int64(0)},
		[]any{"3", int64(2), int64(3), "ok", int64(0)},
		[]any{"4", int64(0), int64(1), "pending", int64(3)})
}

// TestOpenCallIsNotLost checks that an Open call without a result stays pending when
// another call of the batch is refused.
func TestOpenCallIsNotLost(t *testing.T) {
	open := bash("2")
	open.Open = true
	rows := rowsOf(t, session, response("a", "", ""), bash("1"), open, user("b"), result("1", tables.StatusRejected, "no"))
	want(t, rows["tool_calls"], "tool_use_id status", []any{"1", "rejected"}, []any{"2", "pending"})
	want(t, rows["rejections"], "tool_use_id")
}

func TestRejectionKnowsWhatWasRefused(t *testing.T) {
	edit := &tables.ToolCall{ToolUseID: "e", ToolName: "Edit", ToolKind: tables.ToolEdit, Input: `{"x":1}`, FilePath: "/p/a.go",
		Edits: func() []tables.Edit { return []tables.Edit{{Path: "/p/a.go", Old: "a\n", New: "b\n"}} }}
	rows := rowsOf(t, session, prompt("0", "first"), response("a", "", ""), edit, bash("c"),
		user("b"), &tables.Rejection{ToolUseID: "e", DecidedBy: tables.ByUser, Reason: "no", Confidence: 1},
		user("d"), &tables.Rejection{ToolUseID: "c", DecidedBy: tables.ByHook},
		&tables.Rejection{ToolUseID: "gone", RejectionType: tables.RejectPermission},
		response("f", "", ""), prompt("g", "do it so"), prompt("h", "and so"))
	want(t, rows["rejections"], "tool_use_id tool_name tool_kind rejection_type file_path command tool_input proposed_diff message_index next_prompt",
		[]any{"e", "Edit", "edit", "edit", "/p/a.go", nil, `{"x":1}`, "--- a/p/a.go\n+++ b/p/a.go\n@@ -1 +1 @@\n-a\n+b\n", int64(2), "do it so"},
		[]any{"c", "Bash", "command", "command", nil, "rm c", `{"command":"rm c"}`, nil, int64(3), "do it so"},
		[]any{"gone", nil, nil, "permission", nil, nil, nil, nil, int64(3), "do it so"})
}

func TestOneRejectionACall(t *testing.T) {
	refuse := func(id, reason string) *tables.Rejection { return &tables.Rejection{ToolUseID: id, Reason: reason} }
	rows := rowsOf(t, session, response("a", "", ""), bash("c"), bash("d"),
		user("b"), refuse("c", ""), refuse("d", "first"), refuse("", ""), refuse("", ""),
		user("e"), refuse("c", "why"), refuse("d", "second"))
	want(t, rows["rejections"], "tool_use_id reason message_index",
		[]any{"d", "first", int64(1)}, []any{nil, nil, int64(1)}, []any{nil, nil, int64(1)}, []any{"c", "why", int64(2)})
}

func TestNextPromptIsTypedByThePerson(t *testing.T) {
	side := prompt("x", "to the subagent")
	side.IsSidechain = true
	rows := rowsOf(t, session, response("a", "", ""), bash("c"), user("b"), &tables.Rejection{ToolUseID: "c"}, side, user("d"))
	want(t, rows["rejections"], "next_prompt", []any{nil})
}

func TestCompactionReplaces(t *testing.T) {
	side := prompt("side", "subagent")
	side.IsSidechain = true
	summary := func(uuid string) *tables.Message { return &tables.Message{UUID: uuid, Kind: tables.KindSummary} }
	rows := rowsOf(t, session,
		prompt("0", "a"), side, response("2", "", "kept"),
		summary("3"), &tables.Compaction{UUID: "x", PreservedUUIDs: []string{"2", "gone"}},
		prompt("4", "b"),
		summary("5"), &tables.Compaction{UUID: "y"})
	want(t, rows["compactions"], "uuid after_message_index replaced_message_indices",
		[]any{"x", int64(2), []int64{0}},
		[]any{"y", int64(4), []int64{2, 3, 4}})
}

func TestCompactionBeforeEverything(t *testing.T) {
	rows := rowsOf(t, session, &tables.Compaction{UUID: "x"}, prompt("0", "a"), &tables.Compaction{UUID: "y"})
	want(t, rows["compactions"], "uuid after_message_index replaced_message_indices",
		[]any{"x", nil, []int64{}}, []any{"y", nil, []int64{}})
}

func TestMessageParts(t *testing.T) {
	part := func(uuid string, in, out int64, reliable bool) *tables.Message {
		m := response(uuid, "id", "text "+uuid)
		m.InputTokens, m.OutputTokens, m.TokensReliable = tables.Some(in), tables.Some(out), tables.Some(reliable)
		return m
	}
	last := part("d", 4, 7, true)
	last.StopReason = "tool_use"
	rows := rowsOf(t, session, part("a", 1, 1, false), user("b"), part("c", 3, 9, false), last, bash("c"))
	want(t, rows["messages"], "uuid text input_tokens output_tokens tokens_reliable stop_reason",
		[]any{"a", "text a\n\ntext c\n\ntext d", int64(3), int64(9), true, "tool_use"},
		[]any{"b", nil, nil, nil, nil, nil})
	want(t, rows["tool_calls"], "message_index", []any{int64(0)})
}

func TestMessagePartWithoutTokens(t *testing.T) {
	some := response("b", "id", "")
	some.InputTokens, some.TokensReliable = tables.Some(int64(5)), tables.Some(false)
	rows := rowsOf(t, session, response("a", "id", ""), some, response("c", "id", ""))
	want(t, rows["messages"], "input_tokens output_tokens tokens_reliable", []any{int64(5), nil, false})
}

func TestMessagesWithoutIDAreNotParts(t *testing.T) {
	rows := rowsOf(t, session, response("a", "", "x"), response("b", "", "y"))
	want(t, rows["messages"], "message_index text", []any{int64(0), "x"}, []any{int64(1), "y"})
}

func TestInactive(t *testing.T) {
	rows := rowsOf(t, session, response("a", "id", ""), response("b", "id", ""), prompt("c", ""), &tables.Inactive{UUIDs: []string{"b", "gone"}})
	want(t, rows["messages"], "uuid is_active", []any{"a", false}, []any{"c", true})
}

func TestSessionsOfOneFile(t *testing.T) {
	rows := rowsOf(t, session, prompt("a", ""),
		&tables.Session{SessionID: "t"}, prompt("b", ""),
		&tables.Session{SessionID: "s", Title: "late"}, prompt("c", ""))
	want(t, rows["sessions"], "session_id title", []any{"s", "late"}, []any{"t", nil})
	want(t, rows["messages"], "session_id message_index uuid",
		[]any{"s", int64(0), "a"}, []any{"s", int64(1), "c"}, []any{"t", int64(0), "b"})
}

func TestClearInsideASession(t *testing.T) {
	command := &tables.Message{UUID: "c", Kind: tables.KindCommand, Text: "/clear"}
	rows := rowsOf(t, session, prompt("a", ""), command, &tables.Clear{SessionID: "s", InSession: true}, prompt("b", ""),
		&tables.Clear{NextSessionID: "s"})
	want(t, rows["clear_marks"], "session_id after_message_index", []any{"s", int64(0)}, []any{nil, nil})
	want(t, rows["messages"], "uuid segment", []any{"a", int64(0)}, []any{"c", int64(0)}, []any{"b", int64(1)})
}

func TestModelMostUsed(t *testing.T) {
	other := response("b", "", "")
	other.Model = "n"
	rows := rowsOf(t, session, response("a", "", ""), other, response("c", "", ""))
	want(t, rows["sessions"], "model", []any{"m"})
}

// TestVoidRejectionIsNone checks a rejection made void because a later line shows that
// the call ran.
func TestVoidRejectionIsNone(t *testing.T) {
	guess := &tables.Rejection{ToolUseID: "c", DecidedBy: tables.ByUser, Evidence: tables.EvidenceInferred, Confidence: 0.6}
	file := []tables.Event{session, response("a", "", ""), bash("c"), user("b"), guess}
	if rows := rowsOf(t, file...); len(rows["rejections"]) != 1 {
		t.Errorf("%d rejections, want 1", len(rows["rejections"]))
	}
	guess.Void = true
	rows := rowsOf(t, file...)
	want(t, rows["tool_calls"], "decision decided_by", []any{nil, nil})
	if len(rows["rejections"]) != 0 {
		t.Errorf("a void rejection has a row")
	}
	sure := &tables.Rejection{ToolUseID: "c", DecidedBy: tables.ByUser, Evidence: tables.EvidenceRecorded, Confidence: 1}
	want(t, rowsOf(t, append(file, sure)...)["rejections"], "confidence", []any{1.0})
}

// TestResultOfAScriptsCall checks that the result of a script's call is placed at the
// script's result, even if the call ends long after the script. Without a script
// result, the call's result stays at its own message.
func TestResultOfAScriptsCall(t *testing.T) {
	script := &tables.ToolCall{ToolUseID: "s", ToolName: "exec", ToolKind: tables.ToolScript, Input: "{}"}
	child := bash("c")
	child.ParentToolUseID = "s"
	late := result("c", tables.StatusOK, "late")
	rows := rowsOf(t, session, response("a", "", ""), script, user("b"), result("s", tables.StatusOK, ""), prompt("p", "next"), child, late)
	want(t, rows["tool_calls"], "tool_use_id message_index batch_index result_message_index",
		[]any{"s", int64(0), int64(0), int64(1)}, []any{"c", int64(0), int64(1), int64(1)})
	rows = rowsOf(t, session, response("a", "", ""), script, prompt("p", "next"), child, late)
	want(t, rows["tool_calls"], "tool_use_id result_message_index", []any{"s", nil}, []any{"c", int64(1)})
}

// TestNextPromptInTheAuthorsWords: what a person typed after a refusal is without the words
// that a program put around it.
func TestNextPromptInTheAuthorsWords(t *testing.T) {
	rows := rowsOf(t, &tables.Session{SessionID: "s"}, &tables.Message{Kind: tables.KindResponse},
		&tables.ToolCall{ToolUseID: "c", ToolName: "Bash"}, &tables.Message{Kind: tables.KindToolResult},
		&tables.ToolResult{ToolUseID: "c", Status: tables.StatusRejected}, &tables.Rejection{ToolUseID: "c", DecidedBy: tables.ByUser},
		&tables.Message{Kind: tables.KindPrompt, Text: "<envelope> go on", TypedText: "go on"})
	if got := rows["rejections"][0]["next_prompt"]; got != "go on" {
		t.Errorf("next_prompt is %v", got)
	}
	if got := rows["messages"][2]["text"]; got != "<envelope> go on" {
		t.Errorf("text is %v", got)
	}
}
