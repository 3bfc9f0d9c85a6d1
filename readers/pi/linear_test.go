package pi_test

import (
	"fmt"
	"testing"

	"hindsql/readers/pi"
	"hindsql/readers/readertest"
)

// Each line of the tree is visited once, even in a damaged or hostile log: with
// compactions that all keep the lines from the first on, or none; with many stops after
// one batch; with many branches from one line.
func TestDamageIsLinear(t *testing.T) {
	line := func(kind string, i int, parent, rest string) string {
		return fmt.Sprintf(`{"type":%q,"id":"%08x","parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z"%s}`, kind, i, parent, rest)
	}
	last := func(i int) string { return fmt.Sprintf(`"%08x"`, i-1) }
	first := func(int) string { return `"00000000"` }
	const aborted = `,"message":{"role":"assistant","content":[],"stopReason":"aborted"}`
	for name, at := range map[string]func(i int) string{
		"compactions that keep all": func(i int) string {
			return line("compaction", i, last(i), `,"summary":"s","firstKeptEntryId":"00000001"`)
		},
		"compactions that keep nothing": func(i int) string { return line("compaction", i, last(i), `,"summary":"s"`) },
		"compactions of branches":       func(i int) string { return line("compaction", i, first(i), `,"summary":"s"`) },
		"stops of one batch": func(i int) string {
			if i == 0 {
				return line("message", i, "null", `,"message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{}}]}`)
			}
			return line("message", i, first(i), aborted)
		},
		"results of one call": func(i int) string {
			return line("message", i, last(i), `,"message":{"role":"toolResult","toolCallId":"c","toolName":"bash","isError":true,"content":[{"type":"text","text":"Command aborted"}]}`)
		},
		"calls of scripts": func(i int) string {
			return line("message", i, last(i), `,"message":{"role":"toolResult","toolCallId":"c","toolName":"codemode","content":[],"isError":false,"nestedCalls":{"calls":[{"id":"c/1","name":"bash","status":"ok"},{"id":"c/1/1","name":"bash","status":"error","error":"Blocked by user"}],"complete":true}}`)
		},
		"edits of one answer": func(i int) string {
			if i == 0 {
				return line("message", i, "null", `,"message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"x"}`)
			}
			return line("context_edit", i, last(i), `,"targetId":"00000000","replacement":null`)
		},
	} {
		t.Run(name, func(t *testing.T) { readertest.Linear(t, pi.Reader, "--p--/s.jsonl", at) })
	}
}
