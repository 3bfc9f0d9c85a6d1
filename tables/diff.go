package tables

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// unifiedDiff returns edits as one unified diff a file, in the order of the edits. Line
// numbers count within each edit's own text, because the log doesn't give the text's
// place in the file.
func unifiedDiff(edits []Edit) string {
	var out strings.Builder
	headed := -1 // index of the last printed edit, whose header the next edit may share; -1 if none
	for i, e := range edits {
		from := "a/" + strings.TrimPrefix(e.Path, "/")
		if e.Old == "" {
			from = "/dev/null"
		}
		if e.Old != "" && !strings.HasSuffix(e.Old, "\n") && !strings.HasSuffix(e.New, "\n") {
			// A piece of a file, cut before the newline: not a file without a final
			// newline.
			e.Old += "\n"
			if e.New != "" {
				e.New += "\n"
			}
		}
		diff := udiff.Unified(from, "b/"+strings.TrimPrefix(e.Path, "/"), e.Old, e.New)
		if diff == "" {
			continue
		}
		if headed >= 0 && e.Path == edits[headed].Path {
			diff = dropLines(diff, 2)
		}
		out.WriteString(diff)
		headed = i
	}
	return out.String()
}

// UnifiedDiff returns the unified diff of two texts, "" for equal texts. If both texts
// lack a final newline, they are treated as pieces of a file.
func UnifiedDiff(old, new string) string {
	if old != "" && new != "" && !strings.HasSuffix(old, "\n") && !strings.HasSuffix(new, "\n") {
		old, new = old+"\n", new+"\n"
	}
	return udiff.Unified("old", "new", old, new)
}

func dropLines(s string, n int) string {
	for range n {
		_, s, _ = strings.Cut(s, "\n")
	}
	return s
}
