package tables_test

import (
	"slices"
	"strings"
	"testing"

	"hindsql/tables"
)

// texts lists the columns with possible free words. A new text column must be listed
// here or, if it holds only ids or words from a small set, in wordless.
var texts = map[string]string{
	"sessions":        "project about title git_branch git_commit git_remote host extra",
	"messages":        "project text typed_text thinking host extra",
	"tool_calls":      "project tool_name command file_path input output answers command_parts host extra",
	"rejections":      "project tool_name reason next_prompt command file_path proposed_diff tool_input host",
	"interruptions":   "project tool_name partial_output files marker host",
	"compactions":     "project summary host",
	"clears":          "project command host",
	"prompts":         "project text host",
	"sources":         "path part stamp beginning host",
	"problems":        "path what excerpt host",
	"clear_marks":     "next_prompt command project",
	"file_fields":     "field example",
	"session_notes":   "title about",
	"project_notes":   "key project",
	"own_names":       "title about project project_keys approval_key",
	"approvals":       "key command_parts",
	"loose_results":   "output answers extra command_parts proposed_diff reason",
	"neighbours":      "agent path",
	"forgotten_logs":  "agent path part stamp machine",
	"projects":        "name agents hosts worktree project repository",
	"record_fields":   "agent kind field first_version example seen",
	"model_prices":    "",
	"pulled":          "machine fingerprint",
	"part_sessions":   "",
	"former_sessions": "",
}

// TestWordless checks that each text column is listed either as a text or as wordless.
func TestWordless(t *testing.T) {
	t.Parallel()
	pushed := tables.Pushed()
	for _, table := range tables.Loaded() {
		if table.Internal {
			pushed = append(pushed, table)
		}
	}
	for _, table := range pushed {
		listed := strings.Fields(texts[table.Name])
		for _, c := range table.Columns {
			if c.Type != "VARCHAR" && c.Type != "JSON" && c.Type != "VARCHAR[]" && c.Type != tables.AnswersType {
				if !table.IsTextFree(c) {
					t.Errorf("%s.%s: a number leaves", table.Name, c.Name)
				}
				continue
			}
			if table.IsTextFree(c) == slices.Contains(listed, c.Name) {
				t.Errorf("%s.%s: is it a text? list it in this test, or in wordless", table.Name, c.Name)
			}
		}
	}
}
