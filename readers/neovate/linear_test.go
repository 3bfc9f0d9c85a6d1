package neovate_test

import (
	"fmt"
	"testing"

	"hindsql/readers/neovate"
	"hindsql/readers/readertest"
)

// TestDamageIsLinear reads a log with many abandoned prompts and compactions. A
// compaction must not list messages again that are abandoned or already replaced.
func TestDamageIsLinear(t *testing.T) {
	line := func(i int, rest string) string {
		return fmt.Sprintf(`{"parentUuid":null,"uuid":"u%d","role":"user","type":"message","timestamp":"2026-01-01T00:00:00Z"%s}`, i, rest)
	}
	readertest.Linear(t, neovate.Reader, "projects/p/s.jsonl", func(i int) string {
		if i%2 == 0 {
			return line(i, `,"content":"typed anew"`)
		}
		return line(i, `,"content":"the summary","uiContent":"Chat history compacted successfully."`)
	})
}
