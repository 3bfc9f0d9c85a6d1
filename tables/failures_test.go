package tables_test

import (
	"testing"

	"hindsql/tables"
)

// TestFailures checks which failed requests become an interruption: those whose turn
// got no answer afterwards.
func TestFailures(t *testing.T) {
	session := &tables.Session{SessionID: "s"}
	prompt := func() tables.Event { return &tables.Message{Kind: tables.KindPrompt, Text: "go on"} }
	answer := func() tables.Event { return &tables.Message{Kind: tables.KindResponse, UUID: "a", Text: "well"} }
	failed := func() tables.Event { return &tables.Message{Kind: tables.KindError, Text: "overloaded"} }
	failure := func(f tables.Failure) tables.Event { return &f }
	command := func() tables.Event { return &tables.Message{Kind: tables.KindCommand, Text: "/do"} }
	output := func() tables.Event { return &tables.Message{Kind: tables.KindCommandOutput, Text: "done"} }
	of := func(uuid, parent, kind string) tables.Event { // a subagent's, inside the session
		return &tables.Message{UUID: uuid, ParentUUID: parent, Kind: kind, Role: tables.RoleUser, Text: "text", IsSidechain: true}
	}
	for _, test := range []struct {
		name   string
		events []tables.Event
		stops  int
	}{
		{"nothing follows", []tables.Event{prompt(), failed(), failure(tables.Failure{})}, 1},
		{"an answer follows", []tables.Event{prompt(), failed(), failure(tables.Failure{}), answer()}, 0},
		{"partial text before it is no answer", []tables.Event{prompt(), answer(), failed(), failure(tables.Failure{CutUUID: "a"})}, 1},
		{"partial text behind it is no answer", []tables.Event{prompt(), failed(), failure(tables.Failure{CutUUID: "a"}), answer()}, 1},
		{"the next prompt is answered", []tables.Event{prompt(), failed(), failure(tables.Failure{}), prompt(), answer()}, 1},
		{"two of one turn", []tables.Event{prompt(), failed(), failure(tables.Failure{}), failed(), failure(tables.Failure{})}, 1},
		{"an answer between two", []tables.Event{prompt(), failed(), failure(tables.Failure{}), answer(), failed(), failure(tables.Failure{})}, 1},
		{"tried again", []tables.Event{prompt(), failed(), failure(tables.Failure{Retried: true})}, 0},
		{"tried again, until the next prompt", []tables.Event{prompt(), failed(), failure(tables.Failure{Retried: true}), prompt()}, 1},
		{"the user's stop", []tables.Event{prompt(), failed(), failure(tables.Failure{Retried: true}), &tables.Interruption{Type: tables.InterruptedByUser}, prompt()}, 0},
		{"the program begins a turn", []tables.Event{prompt(), failed(), failure(tables.Failure{}), &tables.Message{Kind: tables.KindInjected, BeginsTurn: true}, answer()}, 1},
		{"before any message", []tables.Event{failure(tables.Failure{})}, 1},
		{"a command of the program is no turn", []tables.Event{prompt(), failed(), failure(tables.Failure{}), command(), output(), answer()}, 0},
		{"a command of the agent's own is none", []tables.Event{prompt(), failed(), failure(tables.Failure{}), &tables.Message{Kind: tables.KindCommand, TypedBy: tables.TypedByAgent},
			&tables.Message{Kind: tables.KindInjected}, answer()}, 0},
		{"a command that the model answers is one", []tables.Event{prompt(), failed(), failure(tables.Failure{}), command(), answer()}, 1},
		{"a command's time-out ends no turn", []tables.Event{prompt(), &tables.Interruption{Type: tables.InterruptedBySystem, Phase: tables.PhaseTool}, failed(), failure(tables.Failure{})}, 2},
		{"a recorded end of the turn", []tables.Event{prompt(), failed(), failure(tables.Failure{}), &tables.Interruption{Type: tables.InterruptedBySystem, Phase: tables.PhaseResponse}}, 1},
		{"of two at one message", []tables.Event{prompt(), failed(), failure(tables.Failure{}), failure(tables.Failure{Retried: true})}, 1},
		{"a thought is an answer", []tables.Event{prompt(), failed(), failure(tables.Failure{}), &tables.Message{Kind: tables.KindResponse, Thinking: "hm"}}, 0},
		{"an empty response is none", []tables.Event{prompt(), failed(), failure(tables.Failure{}), &tables.Message{Kind: tables.KindResponse}}, 1},
		{"a call is an answer", []tables.Event{prompt(), failed(), failure(tables.Failure{}), &tables.Message{Kind: tables.KindResponse}, bash("c")}, 0},
		{"the session's answer is none of its subagent's", []tables.Event{prompt(), of("x", "", tables.KindInjected), of("y", "x", tables.KindError), failure(tables.Failure{}), answer()}, 1},
		{"an answer of another subagent is none", []tables.Event{prompt(), of("x", "", tables.KindInjected), of("z", "", tables.KindInjected),
			of("y", "x", tables.KindError), failure(tables.Failure{}), of("w", "z", tables.KindResponse)}, 1},
		{"the subagent's own is one", []tables.Event{prompt(), of("x", "", tables.KindInjected), of("z", "", tables.KindInjected),
			of("y", "x", tables.KindError), failure(tables.Failure{}), of("w", "y", tables.KindResponse)}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := 0
			for _, row := range rowsOf(t, append([]tables.Event{session}, test.events...)...)["interruptions"] {
				if row["type"] == tables.InterruptedBySystem {
					got++
				}
			}
			if got != test.stops {
				t.Errorf("%d stops, want %d", got, test.stops)
			}
		})
	}
}
