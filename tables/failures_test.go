package tables_test

import (
	"testing"

	"hindsql/tables"
)

// A failed request is a stop if its turn got no answer after it.
func TestFailures(t *testing.T) {
	session := &tables.Session{SessionID: "s"}
	prompt := func() tables.Event { return &tables.Message{Kind: tables.KindPrompt, Text: "go on"} }
	answer := func() tables.Event { return &tables.Message{Kind: tables.KindResponse, UUID: "a", Text: "well"} }
	failed := func() tables.Event { return &tables.Message{Kind: tables.KindError, Text: "overloaded"} }
	failure := func(f tables.Failure) tables.Event { return &f }
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
