package vscode

import (
	"testing"

	"github.com/valyala/fastjson"

	"hindsql/tables"
)

// Every row of the table of formats/vscode.md §5: isConfirmed by modelState by
// the text of the result.
func TestOutcome(t *testing.T) {
	hookTitle := "Denied by PreToolUse hook: dangerous"
	byUser := func(confidence float64) outcome { return inferred(rejected, confidence) }
	unknown := denied(tables.ByUnknown)
	for _, test := range []struct {
		name      string
		confirmed string // JSON; empty where it is missing
		state     state
		result    string
		part      part
		request   request
		want      outcome
	}{
		{name: "skip", confirmed: `{"type":5}`, state: complete, result: textSkipped, want: rejected},
		{name: "skip, the turn stopped later", confirmed: `{"type":5}`, state: cancelled, result: textSkipped, want: rejected},
		{name: "skip, result lost", confirmed: `{"type":5}`, state: complete, want: rejected},
		{name: "skip, result lost, the request failed", confirmed: `{"type":5}`, state: failed, want: rejected},
		{name: "skip, still running", confirmed: `{"type":5}`, state: pending, want: rejected},
		{name: "skip, result lost, stopped later", confirmed: `{"type":5}`, state: cancelled, part: part{wentOn: after{text: true}}, want: byUser(0.9)},
		{name: "skip, result lost, another call ran", confirmed: `{"type":5}`, state: cancelled, part: part{wentOn: after{ran: true}}, want: byUser(0.9)},
		{name: "skip by the user, newest", confirmed: `{"type":5,"source":"user"}`, state: complete, result: textSkipped, want: rejected},
		{name: "skip by a hook, newest", confirmed: `{"type":5,"source":"hook"}`, state: complete, result: textSkipped, want: denied(tables.ByHook)},
		{name: "skip by the risk gate, newest", confirmed: `{"type":5,"source":"riskAssessment"}`, state: complete, want: denied(tables.ByClassifier)},
		{name: "results not shared", confirmed: `{"type":5}`, state: complete, result: textWithheld, part: part{finished: true}, want: rejected},
		{name: "results waited for approval", confirmed: `{"type":5}`, state: complete, part: part{finished: true}, want: waits},
		{name: "autopilot", confirmed: `{"type":5}`, state: complete, result: textAutopilot + " deletes", want: denied(tables.ByClassifier)},
		{name: "autopilot, result lost", confirmed: `{"type":5}`, state: complete, request: request{modeAutopilot: true}, want: unknown},
		{name: "stop while the input streamed", confirmed: `{"type":5}`, state: cancelled, want: cutStreaming},

		{name: "stop while approval was pending", confirmed: `{"type":0}`, state: cancelled, want: cutApproval},
		{name: "denied, stopped later", confirmed: `{"type":0}`, state: cancelled, part: part{wentOn: after{text: true}}, want: rejected},
		{name: "denied in a special dialog", confirmed: `{"type":0}`, state: complete, want: rejected},
		{name: "denied by a hook", confirmed: `{"type":0}`, state: complete, result: textHook + " dangerous", want: denied(tables.ByHook)},
		{name: "denied by a hook, result lost", confirmed: `{"type":0}`, state: complete, part: part{hidden: true, title: hookTitle}, want: denied(tables.ByHook)},
		{name: "denied by a hook, translated", confirmed: `{"type":0}`, state: complete, part: part{hidden: true, title: "Abgelehnt"}, request: request{hooks: true}, want: denied(tables.ByHook)},
		{name: "denied by a hook, newest", confirmed: `{"type":0,"source":"hook"}`, state: cancelled, want: denied(tables.ByHook)},

		{name: "waiting", state: needsInput, want: waits},
		{name: "streaming", state: pending, want: waits},
		{name: "waiting, called cancelled by a flat file", state: cancelled, want: waits},
		{name: "waiting, stopped, before modelState", state: cancelled, request: request{oldStop: true}, want: cutApproval},
		{name: "no decision recorded, but a result", state: complete, result: "fine", want: ran},

		{name: "stop while it ran", confirmed: `{"type":4}`, state: cancelled, result: textCancelled, want: cutTool},
		{name: "stop while it ran, result lost", confirmed: `{"type":4}`, state: cancelled, want: cutTool},
		{name: "stop while the model answered", confirmed: `{"type":1}`, state: cancelled, part: part{finished: true}, want: ran},
		{name: "stop after the model spoke on", confirmed: `{"type":1}`, state: cancelled, part: part{wentOn: after{text: true}}, want: ran},
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
		{name: "the tool is disabled", confirmed: `{"type":1}`, state: complete, result: textError + " Tool x " + textDisabled, want: denied(tables.ByRule)},
		{name: "a server's error", confirmed: `{"type":3}`, state: complete, result: "no", part: part{failed: true}, want: failedAs(tables.ErrorOther)},
		{name: "exit code", confirmed: `{"type":4}`, state: complete, result: "no", part: part{terminal: terminal{exitCode: tables.Some[int64](1)}}, want: failedAs(tables.ErrorExitCode)},
		{name: "a result that quotes a skip", confirmed: `{"type":1}`, state: complete, result: "// " + textSkipped, want: ran},
	} {
		c := &call{part: &test.part, answered: test.result != "", result: test.result}
		if test.confirmed != "" {
			c.part.decision = decisionOf(fastjson.MustParse(test.confirmed))
		}
		r := test.request
		r.state = test.state
		if got := outcomeOf(c, &r); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// Calls that the user was shown nothing of.
func TestOutcomeUnseen(t *testing.T) {
	for _, test := range []struct {
		name   string
		state  state
		result string
		want   outcome
	}{
		{"ran", complete, "fine", ran},
		{"threw", complete, textError + " x", failedAs(tables.ErrorOther)},
		{"skipped", complete, textSkipped, rejected},
		{"stopped", cancelled, "", cutTool},
		{"running", pending, "", waits},
		{"no result", complete, "", waits},
	} {
		c := &call{answered: test.result != "", result: test.result}
		if got := outcomeOf(c, &request{state: test.state}); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
