package shell_test

import (
	"runtime"
	"strings"
	"testing"

	"hindsql/internal/shell"
)

// TestCommand: a line keeps its quotes, and an argument is one word.
func TestCommand(t *testing.T) {
	lines := map[string]string{`echo "a b"`: "a b 1 & 2", `true && echo`: "1 & 2"}
	if runtime.GOOS == "windows" { // its echo shows quotes
		lines = map[string]string{`echo "a b"`: `"a b" "1 & 2"`, `cd . && echo`: `"1 & 2"`}
	}
	for line, want := range lines {
		out, err := shell.Command(t.Context(), line, "1 & 2").Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
	if err := shell.Command(t.Context(), "exit 3").Run(); err == nil || err.Error() != "exit status 3" {
		t.Error(err)
	}
}
