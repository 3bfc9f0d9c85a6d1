package tables

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// unifiedDiff shows edits as one unified diff a file, in the order of the
// edits. Its line numbers count within each edit's own text: the log doesn't
// say where in the file that text stands.
func unifiedDiff(edits []Edit) string {
	var out strings.Builder
	headed := -1 // the edit under whose header the next one goes
	for i, e := range edits {
		from := "a/" + strings.TrimPrefix(e.Path, "/")
		if e.Old == "" {
			from = "/dev/null"
		}
		if e.Old != "" && !strings.HasSuffix(e.Old, "\n") && !strings.HasSuffix(e.New, "\n") {
			// A piece of a file, cut before the newline: not a file without one.
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

// UnifiedDiff is the unified diff of two texts, "" when they are equal. Texts
// that both lack a last newline are taken for pieces of a file.
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
