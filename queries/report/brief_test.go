package report

import (
	"strings"
	"testing"

	"hindsql/internal/result"
)

// TestBriefTexts: a document for people has long texts on one line, cut, and a note
// about it. Diffs stay whole, and so does the result itself.
func TestBriefTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line\n", 100)
	set := &result.Set{Columns: result.Columns("said VARCHAR", "proposed_diff VARCHAR", "n BIGINT"), Rows: [][]any{{long, long, int64(1)}, {"two\nlines", nil, nil}}}
	short, note := brief(set)
	if got := short.Rows[0][0].(string); len([]rune(got)) != mostInCell || !strings.HasPrefix(got, "a line a line") || !strings.HasSuffix(got, "…") || note != cutNote {
		t.Errorf("%q, %q", got, note)
	}
	if short.Rows[0][1] != long || short.Rows[1][0] != "two lines" || set.Rows[0][0] != long {
		t.Errorf("%v, of %v", short.Rows, set.Rows)
	}
	if _, note := brief(short); note != "" {
		t.Errorf("nothing more is cut: %q", note)
	}
}
