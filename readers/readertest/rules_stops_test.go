package readertest

import (
	"strings"
	"testing"

	"hindsql/tables"
)

// TestWrongStopsAreCaught makes correct rows with an interruption and changes one
// value, for example the message that was interrupted. Stops must report the error.
func TestWrongStopsAreCaught(t *testing.T) {
	for _, test := range []struct {
		name, want string
		spoil      func(stop tables.Row, messages []tables.Row)
	}{
		{"right", "", func(tables.Row, []tables.Row) {}},
		{"a result was cut", "of the kind tool_result", func(stop tables.Row, _ []tables.Row) { stop["interrupted_message_index"] = int64(2) }},
		{"no prompt", "message 0 is a prompt", func(stop tables.Row, _ []tables.Row) { delete(stop, "prompt_index") }},
		{"a response was asked", "prompt_index is 1, of the kind response", func(stop tables.Row, _ []tables.Row) { stop["prompt_index"] = int64(1) }},
		{"the next prompt", "prompt_index is 5, behind it", func(stop tables.Row, _ []tables.Row) { stop["prompt_index"] = int64(5) }},
		{"what the program put in", "of the kind injected", func(stop tables.Row, m []tables.Row) { m[0]["kind"] = tables.KindInjected }},
		{"an answer follows", "message 4 answers", func(_ tables.Row, m []tables.Row) { m[4]["text"] = "well" }},
		{"a tool's time-out ends no turn", "", func(stop tables.Row, m []tables.Row) { stop["phase"], m[4]["text"] = tables.PhaseTool, "well" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			var messages []tables.Row
			for i, kind := range []string{tables.KindPrompt, tables.KindResponse, tables.KindToolResult, tables.KindError, tables.KindResponse, tables.KindPrompt} {
				messages = append(messages, tables.Row{"session_id": "s", "message_index": int64(i), "kind": kind, "role": tables.RoleUser, "is_sidechain": false})
			}
			stop := tables.Row{"session_id": "s", "type": tables.InterruptedBySystem, "phase": tables.PhaseResponse,
				"message_index": int64(3), "interrupted_message_index": int64(1), "prompt_index": int64(0)}
			test.spoil(stop, messages)
			err := checkStops(read{rows: map[string][]tables.Row{
				"sessions": {{"session_id": "s", "kind": tables.SessionMain}}, "messages": messages, "interruptions": {stop}}})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}
