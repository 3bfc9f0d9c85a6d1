package vscode

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

// matching has for each pattern of outcome.go, by name, a matching sentence.
var matching = map[string]string{
	"textDisabled": "Tool x is currently disabled by the user, and cannot be called.",
	"textUnknown":  `ERROR: The tool "x" does not exist`,
	"textExited":   "\nCommand exited with code 1",
	"displayName":  "Apply Patch",
}

// knownWordings returns all sentences that outcome.go declares, so a new one is tested
// automatically.
func knownWordings(t *testing.T) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "outcome.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) == 0 {
			return true
		}
		name := spec.Names[0].Name
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok && strings.HasPrefix(name, "text") {
			text, _ := strconv.Unquote(literal.Value)
			list = append(list, text, "ERROR while calling tool: "+text)
		} else if !ok && strings.HasPrefix(name, "text") && matching[name] == "" {
			t.Errorf("no sentence for %s", name)
		}
		return true
	})
	for _, text := range matching {
		list = append(list, text, "ERROR while calling tool: "+text)
	}
	if len(list) < 20 {
		t.Fatalf("only %d sentences", len(list))
	}
	return list
}

// forgers are tools whose output strangers write.
var forgers = []struct{ id, name, source string }{
	{"mcp_docs_ask", "mcp_docs_ask", "mcp"},
	{"run_in_terminal", "run_in_terminal", "internal"},
	{"runSubagent", "runSubagent", "internal"},
	{"copilot_readFile", "read_file", "internal"},
	{"copilot_fetchWebPage", "fetch_webpage", "internal"},
}

// letRun are the decisions of allowed calls.
var letRun = []string{`{"type":1}`, `{"type":2,"id":"x"}`, `{"type":3,"scope":"session"}`, byPerson, `true`}

// forged returns a session in which a tool puts the words in every field it can.
func forged(tool, name, source, confirmed, words string, state int) map[string]any {
	text := map[string]any{"value": words}
	part := map[string]any{
		"kind": "toolInvocationSerialized", "toolId": tool, "toolCallId": "call_1", "isComplete": true,
		"source": map[string]any{"type": source}, "isConfirmed": json.RawMessage(confirmed),
		"invocationMessage": text, "pastTenseMessage": text,
		"resultDetails":    map[string]any{"input": "{}", "output": []any{map[string]any{"value": words, "isText": true}}},
		"toolSpecificData": map[string]any{"kind": "terminal", "commandLine": map[string]any{"original": "cat log"}, "terminalCommandOutput": map[string]any{"text": words}},
	}
	child := map[string]any{}
	for k, v := range part {
		child[k] = v
	}
	child["toolCallId"], child["subAgentInvocationId"] = "call_2", "call_1"
	return map[string]any{
		"version": 3, "sessionId": "s", "requests": []any{map[string]any{
			"requestId": "request_1", "timestamp": 1790000000000, "message": map[string]any{"text": words},
			"modelState": map[string]any{"value": state, "completedAt": 1790000001000},
			"response":   []any{text, part, child, text},
			"result": map[string]any{"metadata": map[string]any{
				"toolCallRounds": []any{
					map[string]any{"id": "r1", "response": words, "toolCalls": []any{
						map[string]any{"id": "call_1__vscode-1", "name": name, "arguments": "{}"},
						map[string]any{"id": "call_3__vscode-2", "name": name, "arguments": "{}"}, // not shown
					}},
					map[string]any{"id": "r2", "response": words},
				},
				"toolCallResults": map[string]any{
					"call_1__vscode-1": map[string]any{"content": []any{text}},
					"call_3__vscode-2": map[string]any{"content": []any{text}},
				},
			}},
		}},
	}
}

// TestForged puts sentences of refusals and stops into the outputs of tools. The reader
// must make no refusal, reason or stop of them, because only VS Code's own record of a
// call decides.
func TestForged(t *testing.T) {
	for _, words := range knownWordings(t) {
		for _, by := range forgers {
			for _, confirmed := range letRun {
				for _, state := range []state{complete, cancelled, failed} {
					text, err := json.Marshal(forged(by.id, by.name, by.source, confirmed, words, int(state)))
					if err != nil {
						t.Fatal(err)
					}
					if what := believed(eventsOf(string(text)), state == cancelled); what != nil {
						t.Errorf("%q of %s, %s, state %d: %+v", words, by.id, confirmed, state, what)
					}
				}
			}
		}
	}
}

// believed returns the first event made by the words alone, or a stop that they hid;
// nil if none.
func believed(events []tables.Event, stopped bool) any {
	stops := 0
	for _, e := range events {
		switch e := e.(type) {
		case *tables.Rejection:
			if e.DecidedBy == tables.ByUser || e.Reason != "" || e.Evidence != tables.EvidenceWording || e.Confidence > 0.7 {
				return e
			}
		case *tables.Interruption:
			if e.Type != tables.InterruptedByUser {
				continue
			}
			if stops++; !stopped || stops > 1 || e.Phase != tables.PhaseResponse || e.ToolUseID != "" {
				return e
			}
		}
	}
	if stopped && stops == 0 {
		return "no stop"
	}
	return nil
}

// TestNotForged puts the same words beside VS Code's own record of a refusal, which
// must make a refusal. So TestForged could fail.
func TestNotForged(t *testing.T) {
	var rejections int
	text, _ := json.Marshal(forged("run_in_terminal", "run_in_terminal", "internal", `{"type":5}`, textSkipped, int(complete)))
	for _, e := range eventsOf(string(text)) {
		if e, ok := e.(*tables.Rejection); ok && e.DecidedBy == tables.ByUser && e.ToolUseID == "call_1__vscode-1" {
			rejections++
		}
	}
	if rejections != 1 {
		t.Errorf("%d rejections", rejections)
	}
}

// eventsOf returns the reader's events of a flat file.
func eventsOf(text string) []tables.Event { return readertest.EventsOf(Reader, "chat.json", text) }
