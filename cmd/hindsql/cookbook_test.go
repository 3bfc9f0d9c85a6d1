package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// question matches a chapter of the cookbook: a question, and an example with its
// answer.
var question = regexp.MustCompile("(?s)\n## [0-9]+\\. ([^\n]*)\n(.*?)(```console\n\\$ hindsql .*?\n```)")

// answers holds, for each question of docs/cookbook.md, texts that the answer must
// contain. The values were counted by hand in readers/sample/home, and are in CASES.md.
// Rewriting the page with -update therefore can't hide a wrong answer.
var answers = map[string][]string{
	"What did I do with agents lately, and where?":             {"│ all │ total │ 2026-10-22 │ 34 │", "│ 172 │", "│ 34 │ 17 │"},
	"What did I refuse, and what did I say?":                   {"8 of 34 refusals", "the journal is in alerts/, no"},
	"What exactly would a refused edit have done?":             {"2 of 13 edits", "+func (s *Store) List(ctx context.Context, limit int, afterID int64)", "reason = the cursor has to be opaque"},
	"What did the agent do right after I refused?":             {"8 of 34 refusals", "All right, I leave"},
	"Which refused thing was tried again?":                     {"7 refusals", "npx playwright test"},
	"Which tools do I refuse most?":                            {"bash 6 █", "Edit 5 █", "Bash 5 █"},
	"At what hour do I refuse most?":                           {"│ 09:00 │ 32 │ 8 │"},
	"Who refused it: I, a rule, a hook or a classifier?":       {"│ user │ false │ 34 │", "│ hook │ false │ 3 │", "│ classifier │ false │ 2 │"},
	"What went down with a call that I refused?":               {"rm -r drafts/2024 │ rejected", "rm -r drafts/2025 │ interrupted", "git push origin webhooks │ skipped"},
	"Which rules would spare me questions?":                    {"│ npm run format:* │ 2 │ 0 │"},
	"How long do agents wait for me?":                          {"│ 2026-10-19 │ site │ 12 │ 12 │ 0 │"},
	"What did I interrupt, and what had been printed by then?": {"8 of 17 interruptions", "restic forget", "--keep-within 90d --prune"},
	"What did a compaction lose?":                              {"4 of 11 compactions", "commit only, I push after │ Committed, not pushed."},
	"What did I throw away with /clear?":                       {"5 clears", "plan alerts for the new"},
	"Where was that error message?":                            {"019fae77:4 output WARNING: DATA RACE", "1 hit in 1 session"},
	"What happened in that session?":                           {"3 prompts", "✗ write_file src/promo.css", "you refused", "You have exhausted your capacity on this model"},
	"What was going on around that refusal?":                   {"3 refused", "because: two things:", "never run migrations against DATABASE_URL from here"},
	"How do I get back into a session?":                        {"10 of 34 sessions", "Cursor pagination for GET /orders │ 78154c97"},
	"How many tokens did I use, day by day?":                   {"2026-10-05 to 2026-10-22"},
	"Which model used them, and what would they cost?":         {"│ copilot │ gpt-5.4 │ 4 │ 23 │", "│ 1,177 │"},
	"Which files do agents edit most?":                         {"│ shop-api │ internal/orders/list.go │ claude │ 2 │"},
	"Which commands fail?":                                     {"│ codex │ go test │ 1 │ 100.0 │", "6 of 14 programs"},
	"Which logs are gone, and what is kept of them?":           {"which of our terraform modules still pin", "│ 2 │ │ prompts │"},
	"Was anything not read, or only guessed?":                  {"│ claude │ lines not wholly read │ 2 │", "│ claude │ records of unknown kind │ 1 │"},
	"How do I get it into a spreadsheet or another engine?":    {`2026-10-12,66,13,6,8,19.7`},
}

// TestCookbook: every question's example has the true answer.
func TestCookbook(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cookbook.md"))
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, m := range question.FindAllStringSubmatch(string(page), -1) {
		title, block := m[1], m[3]
		asked[title] = true
		if len(answers[title]) == 0 {
			t.Errorf("%s: the test knows no answer; count it in the sample's logs, and add it", title)
		}
		said := strings.Join(strings.Fields(block), " ")
		for _, want := range answers[title] {
			if !strings.Contains(said, want) {
				t.Errorf("%s: no %q in\n%s", title, want, block)
			}
		}
	}
	for title := range answers {
		if !asked[title] {
			t.Errorf("%s: the page doesn't ask it", title)
		}
	}
	if len(asked) != 25 {
		t.Errorf("%d questions, want 25", len(asked))
	}
}
