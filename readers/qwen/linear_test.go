package qwen_test

import (
	"fmt"
	"testing"

	"hindsql/readers/qwen"
	"hindsql/readers/readertest"
)

// Each line is visited once, even in a damaged or hostile log: with branches that all
// begin at one line, with lost parents, with compressions that keep all calls, with calls
// of one id, with results of one call, and with agents.
func TestDamageIsLinear(t *testing.T) {
	line := func(i int, parent, rest string) string {
		return fmt.Sprintf(`{"uuid":"u%d","parentUuid":%q,"sessionId":"s","timestamp":"2026-11-20T09:00:00.000Z",%s}`, i, parent, rest)
	}
	last := func(i int) string { return fmt.Sprintf("u%d", i-1) }
	const (
		prompt = `"type":"user","message":{"role":"user","parts":[{"text":"go"}]}`
		call   = `"type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"c","name":"agent","args":{}}}]},"usageMetadata":{}`
		result = `"type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c","name":"agent","response":{"error":"x"}}}]},"toolCallResult":{"callId":"c","status":"cancelled","executionStatus":"cancelled"}`
		told   = `"type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.tool_call","call_id":"c","status":"cancelled","execution_status":"cancelled","decision":"accept","prompt_id":"s########0"}}`
		spent  = `"type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_response","subagent_name":"a","subagent_id":"a-1","prompt_id":"s#a-1#0"}}`
		failed = `"type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_error","error_message":"x","prompt_id":"s########0"}}`
		short  = `"type":"system","subtype":"chat_compression","systemPayload":{"info":{"compressionStatus":1},"compressedHistory":[{"parts":[{"text":"x"}]},{"parts":[{"functionCall":{"id":"c"}},{"functionResponse":{"id":"c"}}]}]}`
	)
	cycle := func(kinds ...string) func(int) string {
		return func(i int) string { return line(i, last(i), kinds[i%len(kinds)]) }
	}
	for name, at := range map[string]func(i int) string{
		"branches":         func(i int) string { return line(i, "u0", prompt) },
		"lost parents":     func(i int) string { return line(i, "lost", prompt) },
		"the same line":    func(i int) string { return line(i/2, last(i/2), prompt) },
		"calls of one id":  cycle(call),
		"results":          func(i int) string { return line(i, last(i), []string{call, result}[min(i, 1)]) },
		"events":           cycle(call, told),
		"stops":            cycle(call, told, result),
		"tokens of agents": cycle(spent),
		"failures":         cycle(prompt, failed, failed),
		"compressions":     cycle(call, result, short),
	} {
		t.Run(name, func(t *testing.T) {
			for _, rel := range []string{"projects/-w/chats/s.jsonl", agentFile} {
				readertest.Linear(t, qwen.Reader, rel, at)
			}
		})
	}
}
