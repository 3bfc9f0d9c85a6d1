package lint_test

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestSecurityNamesTests checks that each test named in SECURITY.md exists.
func TestSecurityNamesTests(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(readFile(t, "SECURITY.md"), -1)
	if len(named) < 8 {
		t.Fatalf("only %d tests", len(named))
	}
	for _, m := range named {
		if err := exec.Command("git", "grep", "-q", "^func "+m[1]+"(", "--", "*_test.go").Run(); err != nil {
			t.Errorf("%s: no such test", m[1])
		}
	}
}
