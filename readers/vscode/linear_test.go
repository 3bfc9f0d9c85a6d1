package vscode_test

import (
	"fmt"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/readers/vscode"
)

// TestDamageIsLinear reads a log in which each line replaces the request and adds a
// summary. A summary must not list the removed requests again, or memory would grow
// with the square.
func TestDamageIsLinear(t *testing.T) {
	readertest.Linear(t, vscode.Reader, "workspaceStorage/a/chatSessions/s.jsonl", func(i int) string {
		if i == 0 {
			return `{"kind":0,"v":{"version":3,"requests":[]}}`
		}
		return fmt.Sprintf(`{"kind":1,"k":["requests"],"v":[{"requestId":"r%d","message":{"text":"x"},"response":[],"result":{"metadata":{"summaries":[{"toolCallRoundId":"q","text":"s"}]}}}]}`, i)
	})
}
