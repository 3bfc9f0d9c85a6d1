package copilot_test

import (
	"fmt"
	"testing"

	"hindsql/readers/copilot"
	"hindsql/readers/readertest"
)

// TestDamageIsLinear: a log with many open questions, calls, subagents or incomplete
// lines takes memory in proportion to its length. No event may go through all earlier
// events.
func TestDamageIsLinear(t *testing.T) {
	line := func(i int, kind, data string) string {
		return fmt.Sprintf(`{"type":%q,"data":%s,"id":"e%d","timestamp":"2026-01-01T00:00:00Z","parentId":null}`, kind, data, i)
	}
	call := func(i int) string {
		return line(i, "tool.execution_start", fmt.Sprintf(`{"toolCallId":"c%d","toolName":"bash","arguments":{}}`, i))
	}
	for name, give := range map[string]func(i int) string{
		"open questions": func(i int) string {
			if i%2 == 0 {
				return call(i)
			}
			return line(i, "permission.requested", fmt.Sprintf(`{"requestId":"r%d","permissionRequest":{"toolCallId":"c%d"}}`, i, i-1))
		},
		"stops": func(i int) string {
			if i%2 == 0 {
				return call(i)
			}
			return line(i, "abort", `{"reason":"user_abort"}`)
		},
		"cancelled questions": func(i int) string {
			return line(i, "permission.completed", fmt.Sprintf(`{"requestId":"r%d","toolCallId":"c","result":{"kind":"cancelled"}}`, i))
		},
		"subagents in a ring": func(i int) string {
			switch i % 3 {
			case 0:
				return fmt.Sprintf(`{"type":"tool.execution_start","data":{"toolCallId":"c%d","toolName":"task"},"agentId":"a%d","id":"e%d"}`, i, i, i)
			case 1:
				return line(i, "subagent.started", fmt.Sprintf(`{"toolCallId":"c%d"}`, i-1))
			}
			return line(i, "abort", `{}`)
		},
		"usage without answers": func(i int) string {
			if i%2 == 0 {
				return line(i, "session.usage_record", fmt.Sprintf(`{"usage":{"apiCallId":"u%d","inputTokens":1}}`, i))
			}
			return line(i, "session.shutdown", `{"modelMetrics":{"m":{"usage":{"inputTokens":1}}}}`)
		},
		"halves":            func(i int) string { return `{"type":"user.message","data":{"content":"half` },
		"a half and junk":   func(i int) string { return map[bool]string{true: `{"type":"x","data":"half`, false: "junk"}[i == 0] },
		"a half and quotes": func(i int) string { return map[bool]string{true: `{"type":"x","data":"half`, false: `"}"{"`}[i == 0] },
	} {
		t.Run(name, func(t *testing.T) { readertest.Linear(t, copilot.Reader, "session-state/s/events.jsonl", give) })
	}
}
