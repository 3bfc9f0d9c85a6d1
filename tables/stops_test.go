package tables_test

import (
	"testing"

	"hindsql/tables"
)

func marker() *tables.Message {
	return &tables.Message{UUID: "m", Role: tables.RoleUser, Kind: tables.KindInterruption}
}

// TestInterruptionCut checks which response an interruption points at: the stopped
// response, the response with the stopped call, or no response.
func TestInterruptionCut(t *testing.T) {
	const answering, running, asking = tables.PhaseResponse, tables.PhaseTool, tables.PhaseApproval
	ended := func(reason string) *tables.Message {
		m := response("a", "", "half")
		m.StopReason = reason
		return m
	}
	thought := func() *tables.Message {
		m := response("a", "", "")
		m.Thinking = "hm"
		return m
	}
	for _, test := range []struct {
		name   string
		events []tables.Event // events before the marker
		stop   tables.Interruption
		want   []any // interrupted_message_index, partial_output, tool_name
	}{
		{"the API message it names", []tables.Event{response("a", "id", "half"), bash("c"), user("b"), result("c", "ok", "")},
			tables.Interruption{CutMessageID: "id", CutUUID: "b", Phase: answering}, []any{int64(0), "half", nil}},
		{"the line it names", []tables.Event{response("a", "", "half"), user("b")}, tables.Interruption{CutUUID: "a", Phase: answering}, []any{int64(0), "half", nil}},
		{"else the message before", []tables.Event{response("a", "", "half")}, tables.Interruption{CutUUID: "gone", Phase: answering}, []any{int64(0), "half", nil}},
		{"never a prompt", []tables.Event{response("a", "", "half"), prompt("p", "go on")}, tables.Interruption{CutUUID: "p", Phase: answering}, []any{nil, nil, nil}},
		{"never what was put in", []tables.Event{response("a", "", "whole"), &tables.Message{UUID: "i", Kind: tables.KindInjected}}, tables.Interruption{CutUUID: "i", Phase: answering}, []any{nil, nil, nil}},
		{"never a summary", []tables.Event{&tables.Message{UUID: "i", Kind: tables.KindSummary, Text: "all"}}, tables.Interruption{Phase: answering}, []any{nil, nil, nil}},
		{"never an answer that was complete", []tables.Event{ended("end_turn")}, tables.Interruption{CutUUID: "a", Phase: answering}, []any{nil, nil, nil}},
		{"an answer that its own line says was cut", []tables.Event{ended("aborted")}, tables.Interruption{CutUUID: "a", Phase: answering, PartialUnknown: true}, []any{int64(0), nil, nil}},
		{"never an answer whose calls ran", []tables.Event{response("a", "", "so"), bash("c"), user("b"), result("c", "ok", "")}, tables.Interruption{CutUUID: "a", Phase: answering}, []any{nil, nil, nil}},
		{"nor what stands whole where the log keeps nothing of a cut one", []tables.Event{response("a", "", "whole")},
			tables.Interruption{CutUUID: "a", Phase: answering, PartialUnknown: true}, []any{nil, nil, nil}},
		{"a thought is no answer yet", []tables.Event{thought()}, tables.Interruption{CutUUID: "a", Phase: answering, PartialUnknown: true}, []any{int64(0), nil, nil}},
		{"the answer that made the call", []tables.Event{response("a", "", "so"), bash("c"), user("b"), result("c", "interrupted", "")},
			tables.Interruption{ToolUseID: "c", Phase: running, PartialOutput: "out"}, []any{int64(0), "out", "Bash"}},
		{"the answer whose calls' ends it names", []tables.Event{ended("tool_use"), bash("c"), bash("d"), user("b"), result("c", "interrupted", ""), result("d", "interrupted", "")},
			tables.Interruption{CutUUID: "b", Phase: running}, []any{int64(0), nil, nil}},
		{"none whose calls had ended", []tables.Event{ended("tool_use"), bash("c"), user("b"), result("c", "ok", "")}, tables.Interruption{CutUUID: "b", Phase: tables.PhaseSubagent}, []any{nil, nil, nil}},
		{"the answer whose calls were asked about", []tables.Event{ended("tool_use"), bash("c"), bash("d"), user("b"), result("c", "rejected", "")},
			tables.Interruption{CutUUID: "b", Phase: asking}, []any{int64(0), nil, nil}},
		{"the answer that is named while tools ran", []tables.Event{ended("tool_use"), bash("c"), bash("d"), user("b"), result("c", "ok", ""), result("d", "ok", "")},
			tables.Interruption{CutUUID: "a", Phase: running}, []any{int64(0), nil, nil}},
		{"nothing, where the log says so", []tables.Event{response("a", "", "whole")}, tables.Interruption{CutNothing: true, Phase: answering}, []any{nil, nil, nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := append(append([]tables.Event{session}, test.events...), marker(), &test.stop)
			want(t, rowsOf(t, events...)["interruptions"], "interrupted_message_index partial_output tool_name", test.want)
		})
	}
	t.Run("nothing before it", func(t *testing.T) {
		rows := rowsOf(t, session, marker(), &tables.Interruption{})
		want(t, rows["interruptions"], "message_index interrupted_message_index prompt_index", []any{int64(0), nil, nil})
	})
}

// TestInterruptionPrompt checks that an interruption names the prompt that was being
// answered.
func TestInterruptionPrompt(t *testing.T) {
	side := func(m *tables.Message) *tables.Message { m.IsSidechain = true; return m }
	of := func(kind, uuid, parent string) *tables.Message {
		return &tables.Message{UUID: uuid, ParentUUID: parent, Role: tables.RoleUser, Kind: kind, Text: "text"}
	}
	command := func() tables.Event { return of(tables.KindCommand, "", "") }
	output := func() tables.Event { return of(tables.KindCommandOutput, "", "") }
	injected := func() tables.Event { return of(tables.KindInjected, "", "") }
	stop := func() tables.Event { return &tables.Interruption{Type: tables.InterruptedByUser, CutNothing: true} }
	subagent := &tables.Session{SessionID: "s", Kind: tables.SessionSubagent}
	for _, test := range []struct {
		name   string
		events []tables.Event
		want   any
	}{
		{"the last", []tables.Event{prompt("", "a"), response("", "", "x"), prompt("", "b"), injected(), marker(), stop()}, int64(2)},
		{"itself, where nothing else tells of the stop", []tables.Event{prompt("", "a"), prompt("", "b"), stop()}, int64(1)},
		{"a command that the model answers", []tables.Event{prompt("", "a"), command(), injected(), response("", "", "x"), marker(), stop()}, int64(1)},
		{"a command that it was about to answer", []tables.Event{prompt("", "a"), command(), marker(), stop()}, int64(1)},
		{"no command that the program answers", []tables.Event{prompt("", "a"), command(), output(), marker(), stop()}, int64(0)},
		{"a command that compacts, and answers", []tables.Event{prompt("", "a"), command(), of(tables.KindSummary, "", ""), response("", "", "x"), marker(), stop()}, int64(1)},
		{"nor one whose output follows the stop", []tables.Event{prompt("", "a"), command(), stop(), output()}, int64(0)},
		{"nor one that nobody answered", []tables.Event{prompt("", "a"), command(), stop(), prompt("", "b")}, int64(0)},
		{"none before it", []tables.Event{injected(), marker(), stop(), prompt("", "a")}, nil},
		{"what a subagent inside the session was asked", []tables.Event{prompt("", "a"), side(of(tables.KindInjected, "x", "")), side(of(tables.KindInjected, "y", "")),
			side(of(tables.KindResponse, "w", "x")), prompt("", "b"), side(of(tables.KindInterruption, "v", "w")), stop()}, int64(1)},
		{"a prompt to a subagent", []tables.Event{prompt("", "a"), side(of(tables.KindInjected, "x", "")), side(of(tables.KindPrompt, "y", "x")), side(of(tables.KindError, "w", "y")), stop()}, int64(2)},
		{"what a subagent was asked in a session of its own", []tables.Event{subagent, injected(), response("", "", "x"), marker(), stop()}, int64(0)},
		{"what a subagent was asked later", []tables.Event{subagent, injected(), response("", "", "x"), prompt("", "b"), marker(), stop()}, int64(2)},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := rowsOf(t, append([]tables.Event{session}, test.events...)...)
			want(t, rows["interruptions"], "prompt_index", []any{test.want})
		})
	}
}
