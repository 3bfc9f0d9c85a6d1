package lint_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestSecurityNamesTests checks that each test named in SECURITY.md exists.
func TestSecurityNamesTests(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(read(t, "SECURITY.md"), -1)
	if len(named) < 8 {
		t.Fatalf("only %d tests", len(named))
	}
	var tests strings.Builder
	for _, p := range textFiles(t) {
		if strings.HasSuffix(p, "_test.go") {
			tests.WriteString(read(t, p))
		}
	}
	for _, m := range named {
		if !strings.Contains(tests.String(), "\nfunc "+m[1]+"(") {
			t.Errorf("%s: no such test", m[1])
		}
	}
}
