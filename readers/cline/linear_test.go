package cline_test

import (
	"fmt"
	"testing"

	"hindsql/readers/cline"
	"hindsql/readers/readertest"
)

const linearLog = "sessions/1791900000000_aaaaa/1791900000000_aaaaa.messages.json"

// TestDamageIsLinear reads sessions in which each message has many others to look at:
// answers that never came, and one id for all calls.
func TestDamageIsLinear(t *testing.T) {
	head := `{"version":1,"origin":{"version":"3.0.65"},"messages":[`
	line := func(message func(i int) string) func(i int) string {
		return func(i int) string {
			if i == 0 {
				return head
			}
			return message(i) + ","
		}
	}
	prompt := `"role":"user","content":"<user_input mode=\"act\">go</user_input>"`
	for name, message := range map[string]func(i int) string{
		"prompts without an answer": func(i int) string { return fmt.Sprintf(`{"id":"m%d",%s,"ts":%d}`, i, prompt, 1791900000000+i) },
		"added messages": func(i int) string {
			if i == 1 {
				return `{"id":"m1",` + prompt + `}`
			}
			return fmt.Sprintf(`{"id":"m%d","role":"user","content":"added"}`, i)
		},
		"one id for all calls": func(i int) string {
			if i%2 == 0 {
				return fmt.Sprintf(`{"id":"m%d","role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"ok"}]}`, i)
			}
			return fmt.Sprintf(`{"id":"m%d","role":"assistant","content":[{"type":"tool_use","id":"x","name":"spawn_agent","input":{}}]}`, i)
		},
	} {
		t.Run(name, func(t *testing.T) { readertest.Linear(t, cline.Reader, linearLog, line(message)) })
	}
	t.Run("a task", func(t *testing.T) {
		readertest.Linear(t, cline.Reader, "tasks/1/ui_messages.json", func(i int) string {
			if i == 0 {
				return "["
			}
			return fmt.Sprintf(`{"ts":%d,"type":"ask","ask":"command","text":"make"},`, 1791900000000+i%7)
		})
	})
}
