package vscode

import (
	"testing"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// TestOutcome checks every row of the table in FORMAT.md §6.1: how a call ended, by
// isConfirmed, modelState and the result's text.
func TestOutcome(t *testing.T) {
	hookTitle := "Denied by PreToolUse hook: dangerous"
	byUser := func(confidence float64) outcome { return inferred(rejected, confidence) }
	asked := part{hasData: true}
	disabled := denied(tables.BySetting)
	disabled.evidence, disabled.confidence = tables.EvidenceWording, 0.7
	exited := func(code int64) outcome {
		o := failedAs(tables.ErrorExitCode)
		o.exitCode = tables.Some(code)
		return o
	}
	for _, test := range []struct {
		name      string
		confirmed string // JSON; empty if missing
		state     state
		result    string
		part      part
		request   request
		call      call
		want      outcome
	}{
		{name: "skip", confirmed: `{"type":5}`, state: complete, result: textSkipped, want: rejected},
		{name: "skip, the turn stopped later", confirmed: `{"type":5}`, state: cancelled, result: textSkipped, want: rejected},
		{name: "skip, result lost", confirmed: `{"type":5}`, state: complete, part: asked, want: byUser(0.6)},
		{name: "skip, result lost, not prepared", confirmed: `{"type":5}`, state: complete, want: byUser(0.6)},
		{name: "skip, result lost, the request failed", confirmed: `{"type":5}`, state: failed, part: asked, want: byUser(0.6)},
		{name: "skip, still running", confirmed: `{"type":5}`, state: pending, part: asked, want: byUser(0.6)},
		{name: "skip, result lost, stopped later", confirmed: `{"type":5}`, state: cancelled, part: part{hasData: true, followedBy: following{text: true}}, want: byUser(0.6)},
		{name: "skip by the user, newest", confirmed: `{"type":5,"source":"user"}`, state: complete, want: rejected},
		{name: "skip by a hook, newest", confirmed: `{"type":5,"source":"hook"}`, state: complete, result: textSkipped, want: denied(tables.ByHook)},
		{name: "skip by the risk gate, newest", confirmed: `{"type":5,"source":"riskAssessment"}`, state: complete, want: denied(tables.ByClassifier)},
		{name: "results not shared", confirmed: `{"type":5}`, state: complete, result: textWithheld, part: part{finished: true}, want: rejected},
		{name: "results waited for approval", confirmed: `{"type":5}`, state: complete, part: part{finished: true}, want: waits},
		{name: "autopilot", confirmed: `{"type":5}`, state: complete, result: textAutopilot + " deletes", want: denied(tables.ByClassifier)},
		{name: "autopilot, result lost", confirmed: `{"type":5}`, state: complete, request: request{mode: autopilot}, want: inferred(denied(tables.ByUnknown), 0.6)},
		{name: "stop while the input streamed", confirmed: `{"type":5}`, state: cancelled, want: cutStreaming},
		{name: "stop after a stream that was left", confirmed: `{"type":5}`, state: cancelled, part: part{followedBy: following{text: true}}, want: neverRan},
		{name: "stop after a stream that was left, another call", confirmed: `{"type":5}`, state: cancelled, part: part{followedBy: following{call: true}}, want: neverRan},

		{name: "stop while approval was pending", confirmed: `{"type":0}`, state: cancelled, want: cutApproval},
		{name: "the same, the result names a stop", confirmed: `{"type":0}`, state: cancelled, result: textCancelled, want: cutApproval},
		{name: "denied, stopped later", confirmed: `{"type":0}`, state: cancelled, part: part{followedBy: following{text: true}}, want: rejected},
		{name: "denied in a special dialog", confirmed: `{"type":0}`, state: complete, want: rejected},
		{name: "denied by a hook", confirmed: `{"type":0}`, state: complete, result: textHook + " dangerous", want: denied(tables.ByHook)},
		{name: "denied by a hook, stopped later", confirmed: `{"type":0}`, state: cancelled, result: textHook + " dangerous", want: denied(tables.ByHook)},
		{name: "denied by a hook, result lost", confirmed: `{"type":0}`, state: complete, part: part{hidden: true, title: hookTitle}, want: denied(tables.ByHook)},
		{name: "denied by a hook, translated", confirmed: `{"type":0}`, state: complete, part: part{hidden: true, title: "Abgelehnt"}, request: request{hasHook: true}, want: denied(tables.ByHook)},
		{name: "denied by a hook, newest", confirmed: `{"type":0,"source":"hook"}`, state: cancelled, want: denied(tables.ByHook)},

		{name: "waiting", state: needsInput, want: waits},
		{name: "streaming", state: pending, want: waits},
		{name: "waiting, called cancelled by a flat file", state: cancelled, want: waits},
		{name: "stop while the input streamed, no decision", state: cancelled, request: request{stopProven: true}, want: cutStreaming},
		{name: "a stream that was left, stopped later", state: cancelled, part: part{followedBy: following{call: true}}, request: request{stopProven: true}, want: abandoned},
		{name: "a stream that was left", state: complete, want: abandoned},
		{name: "a stream that was left, the request failed", state: failed, want: abandoned},
		{name: "no decision recorded, but a result", state: complete, result: "fine", want: ran},
		{name: "no decision recorded, but an error", state: complete, result: textInvalid + "x)", want: failedAs(tables.ErrorInvalidCall)},

		{name: "stop while it ran", confirmed: `{"type":4}`, state: cancelled, result: textCancelled, want: cutTool},
		{name: "stop while it ran, beside another", confirmed: `{"type":4}`, state: cancelled, result: textCancelled, part: part{followedBy: following{call: true}}, want: cutTool},
		{name: "the words of a stop, nobody stopped", confirmed: `{"type":4}`, state: complete, result: textCancelled, want: ran},
		{name: "the words of a stop, the model went on", confirmed: `{"type":4}`, state: cancelled, result: textCancelled, call: call{resultSeen: true}, want: ran},
		{name: "stop while it ran, result lost", confirmed: `{"type":4}`, state: cancelled, want: cutTool},
		{name: "stop while the model answered", confirmed: `{"type":1}`, state: cancelled, part: part{finished: true}, want: ran},
		{name: "stop after the model spoke on", confirmed: `{"type":1}`, state: cancelled, part: part{followedBy: following{text: true}}, want: ran},
		{name: "stop after the edit was shown", confirmed: `{"type":1}`, state: cancelled, part: part{followedBy: following{edit: true}}, want: ran},
		{name: "stop in a later call, results lost", confirmed: `{"type":1}`, state: cancelled, part: part{followedBy: following{call: true}}, want: ran},
		{name: "died while it ran", confirmed: `{"type":2,"id":"x"}`, state: pending, want: waits},
		{name: "ran", confirmed: `{"type":1}`, state: complete, result: "fine", want: ran},
		{name: "ran, result lost", confirmed: `{"type":3,"scope":"session"}`, state: failed, want: ran},
		{name: "the user picked deny", confirmed: `{"type":4,"selectedButton":"x","selectedButtonKind":"deny"}`, state: complete, want: rejected},

		{name: "boolean yes", confirmed: `true`, state: complete, result: "fine", want: ran},
		{name: "boolean no, the turn went on", confirmed: `false`, state: complete, want: rejected},
		{name: "boolean no, the turn ended", confirmed: `false`, state: cancelled, want: byUser(0.7)},
		{name: "boolean yes, VS Code died", confirmed: `true`, state: complete, part: part{incomplete: true}, want: waits},
		{name: "boolean no, VS Code died", confirmed: `false`, state: complete, part: part{incomplete: true}, want: waits},

		{name: "the tool threw", confirmed: `{"type":1}`, state: complete, result: textError + " x\nPlease check your input and try again.", want: failedAs(tables.ErrorOther)},
		{name: "the tool is disabled", state: complete, result: textError + " Tool x is currently disabled by the user, and cannot be called.", want: disabled},
		{name: "a tool that ran says so", confirmed: `{"type":1}`, state: complete, result: "Tool x is currently disabled by the user, and cannot be called.", want: ran},
		{name: "a server's error", confirmed: `{"type":3}`, state: complete, result: "no", part: part{failed: true}, want: failedAs(tables.ErrorOther)},
		{name: "exit code", confirmed: `{"type":4}`, state: complete, result: "no", part: part{terminal: terminal{exitCode: tables.Some[int64](1)}}, want: exited(1)},
		{name: "exit code in the result", confirmed: `{"type":4}`, state: complete, result: "no\n\nCommand exited with code 127", call: call{ToolCall: tables.ToolCall{ToolName: runInTerminal}}, want: exited(127)},
		{name: "the same of another tool", confirmed: `{"type":4}`, state: complete, result: "no\nCommand exited with code 127", want: ran},
		{name: "the same in the middle", confirmed: `{"type":4}`, state: complete, result: "Command exited with code 127\nno", call: call{ToolCall: tables.ToolCall{ToolName: runInTerminal}}, want: ran},
		{name: "the part knows better", confirmed: `{"type":4}`, state: complete, result: "\nCommand exited with code 127", part: part{terminal: terminal{exitCode: tables.Some[int64](0)}}, call: call{ToolCall: tables.ToolCall{ToolName: runInTerminal}}, want: ran},
		{name: "a result that quotes a skip", confirmed: `{"type":1}`, state: complete, result: "// " + textSkipped, want: ran},
		{name: "a result that says a skip", confirmed: `{"type":4}`, state: complete, result: textSkipped, want: ran},
	} {
		c := test.call
		c.part, c.hasResult, c.result = &test.part, test.result != "", test.result
		if test.confirmed != "" {
			c.part.decision = readDecision(fastjson.MustParse(test.confirmed))
		}
		r := test.request
		r.state = test.state
		if got := inferOutcome(&c, &r); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestPrepared checks the texts that a part shows before and after VS Code has the
// call's whole input.
func TestPrepared(t *testing.T) {
	for title, want := range map[string]bool{
		"":                        false,
		"Text Search":             false,
		"Run in Terminal":         false,
		`Using "Ask a Server"`:    false,
		"Using mcp_ask":           false,
		"Running `npm test`":      true,
		"Searching for files":     true,
		"Ask the server for it?!": true,
	} {
		p := &part{toolID: "mcp_ask", name: "mcp_ask", title: title}
		if p.isPrepared() != want {
			t.Errorf("%q: %v", title, !want)
		}
	}
	if (&part{name: "apply_patch", title: "Generating patch (3 lines)"}).isPrepared() || !(&part{hasData: true}).isPrepared() {
		t.Error("an edit's title is no proof, and a command is one")
	}
}

// TestOutcomeUnseen checks how calls ended that VS Code never showed.
func TestOutcomeUnseen(t *testing.T) {
	for _, test := range []struct {
		name   string
		state  state
		result string
		want   outcome
	}{
		{"ran", complete, "fine", ran},
		{"threw", complete, textError + " x", failedAs(tables.ErrorOther)},
		{"the words of a skip", complete, textSkipped, ran},
		{"stopped", cancelled, "", neverRan},
		{"stopped, with a result", cancelled, "fine", ran},
		{"invalid", complete, textInvalid + "x)", failedAs(tables.ErrorInvalidCall)},
		{"no such tool", complete, `ERROR: The tool "x" does not exist`, failedAs(tables.ErrorInvalidCall)},
		{"running", pending, "", waits},
		{"no result", complete, "", waits},
	} {
		c := &call{hasResult: test.result != "", result: test.result}
		if got := inferOutcome(c, &request{state: test.state}); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
