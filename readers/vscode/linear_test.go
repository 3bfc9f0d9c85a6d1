package vscode_test

import (
	"fmt"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/readers/vscode"
)

// TestDamageIsLinear: a summary doesn't list the removed requests again.
func TestDamageIsLinear(t *testing.T) {
	readertest.Linear(t, vscode.Reader, "workspaceStorage/a/chatSessions/s.jsonl", func(i int) string {
		if i == 0 {
			return `{"kind":0,"v":{"version":3,"requests":[]}}`
		}
		return fmt.Sprintf(`{"kind":1,"k":["requests"],"v":[{"requestId":"r%d","message":{"text":"x"},"response":[],"result":{"metadata":{"summaries":[{"toolCallRoundId":"q","text":"s"}]}}}]}`, i)
	})
}
