package term

import (
	"strings"
	"testing"
)

// TestListingFits: columns are aligned, the last one is wrapped, and a row without room for
// the last one begins a new line where a value doesn't fit.
func TestListingFits(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"hindsql", "Look up what agents did", "not installed", ""}, {"rules", "Propose rules", "current", "~/.claude/skills/rules"}}
	for _, c := range []struct {
		columns int
		want    string
	}{
		{0, "hindsql  Look up what agents did  not installed\nrules    Propose rules            current        ~/.claude/skills/rules\n"},
		{80, "hindsql  Look up what agents did  not installed\nrules    Propose rules            current        ~/.claude/skills/rules\n"},
		{60, "hindsql  Look up what agents did  not installed\nrules  Propose rules  current  ~/.claude/skills/rules\n"},
		{32, "hindsql  Look up what agents did\n  not installed\nrules  Propose rules  current\n  ~/.claude/skills/rules\n"},
		{24, "hindsql\n  Look up what agents\n  did  not installed\nrules  Propose rules\n  current\n  ~/.claude/skills/rules\n"},
	} {
		var b strings.Builder
		if err := Listing(&b, c.columns, rows); err != nil || b.String() != c.want {
			t.Errorf("%d columns: %v\n%s", c.columns, err, b.String())
		}
	}
}
