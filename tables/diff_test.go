package tables_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/tables"
)

func TestProposedDiff(t *testing.T) {
	for _, test := range []struct {
		name  string
		edits []tables.Edit
		want  any // nil: null
	}{
		{"none", nil, nil},
		{"no change", []tables.Edit{{"/a", "x\n", "x\n"}}, nil},
		{"a new file", []tables.Edit{{"/a", "", "x\n"}}, "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n"},
		{"a deletion", []tables.Edit{{"/a", "x\n", ""}}, "--- a/a\n+++ b/a\n@@ -1 +0,0 @@\n-x\n"},
		{"no final newline", []tables.Edit{{"/a", "x", "y"}},
			"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"},
		{"two edits of a file share a header", []tables.Edit{{"/a", "x\n", "y\n"}, {"/a", "1\n", "2\n"}},
			"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n@@ -1 +1 @@\n-1\n+2\n"},
		{"the first edit changes nothing", []tables.Edit{{"/a", "x\n", "x\n"}, {"/a", "1\n", "2\n"}},
			"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"},
		{"two files", []tables.Edit{{"/a", "x\n", "y\n"}, {"b", "1\n", "2\n"}},
			"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+2\n"},
		{"no path", []tables.Edit{{"", "x\n", "y\n"}}, "--- a/\n+++ b/\n@@ -1 +1 @@\n-x\n+y\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			call := bash("c")
			call.Edits = func() []tables.Edit { return test.edits }
			rows := rowsOf(t, session, response("a", "", ""), call, user("b"), &tables.Rejection{ToolUseID: "c"})
			if diff := cmp.Diff(test.want, rows["rejections"][0]["proposed_diff"]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
