package kimi_test

import (
	"fmt"
	"testing"

	"hindsql/readers/kimi"
	"hindsql/readers/readertest"
)

// Each line is looked at once, even in a damaged or hostile wire: in a step that never
// ends, with calls and asks that repeat an id, with compactions that keep all prompts,
// with undos that go back to the beginning, and with branches of a single name.
func TestDamageIsLinear(t *testing.T) {
	line := func(i int, record string) string { return fmt.Sprintf(`{%s,"time":%d}`, record, 1793610000000+i) }
	prompt := func(i int) string { return message("user", fmt.Sprintf("p%d", i), `"go"`, userOrigin) }
	every := func(n int, often, seldom func(i int) string) func(i int) string {
		return func(i int) string {
			if i%n == 0 {
				return seldom(i)
			}
			return often(i)
		}
	}
	for name, record := range map[string]func(i int) string{
		"a step of many calls": func(i int) string {
			return loop(fmt.Sprintf(`"type":"tool.call","uuid":"c%d","stepUuid":"s","toolCallId":"x%d","name":"Bash","args":{}`, i, i))
		},
		"one id": func(i int) string {
			return loop(fmt.Sprintf(`"type":"tool.call","uuid":"c%d","stepUuid":"s%d","toolCallId":"x","name":"Bash","args":{}`, i, i))
		},
		"one moment": func(int) string { return message("user", "", `"go"`, `{"kind":"injection"}`) },
		"asks": func(i int) string {
			return fmt.Sprintf(`"type":"interaction.request","id":"a%d","kind":"approval","toolCallId":"x"`, i)
		},
		"stops": func(i int) string { return fmt.Sprintf(`"type":"turn.cancel","turnId":%d`, i) },
		"compactions": every(2, prompt, func(int) string {
			return `"type":"context.apply_compaction","summary":"s","keptUserMessageCount":99999,"wireLines":{"start":1,"end":99999}`
		}),
		"compactions that keep nothing": every(2, prompt, func(int) string { return `"type":"context.apply_compaction","summary":"s"` }),
		"undos":                         every(2, prompt, func(int) string { return `"type":"context.undo","count":1` }),
		"branches": every(2, prompt, func(i int) string {
			return fmt.Sprintf(`"type":"agent.switched","branch":"b%d","base":{"branch":"b%d","line":%d}`, i, i-2, i)
		}),
		"branches of one name": every(2, prompt, func(int) string { return `"type":"agent.switched","branch":"b","base":{"branch":"main","line":1}` }),
		"forks":                every(2, prompt, func(int) string { return `"type":"forked"` }),
	} {
		t.Run(name, func(t *testing.T) {
			readertest.Linear(t, kimi.Reader, mainWire, func(i int) string {
				if name == "one moment" {
					return line(0, record(i))
				}
				return line(i, record(i))
			})
		})
	}
}
