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
	"What did I do with agents lately, and where?":             {"│ all │ total │ 2026-10-22 │ 43 │", "│ 222 │", "│ 43 │ 21 │"},
	"What did I refuse, and what did I say?":                   {"8 of 43 refusals", "next: Build only, please."},
	"What exactly would a refused edit have done?":             {"2 of 17 edits", "+const tries = 5", "reason = the limit belongs in config.yaml"},
	"What did the agent do right after I refused?":             {"8 of 43 refusals", "All right, I leave"},
	"Which refused thing was tried again?":                     {"8 refusals", "npx playwright test"},
	"Which tools do I refuse most?":                            {"bash 6 █", "Edit 6 █", "Bash 6 █"},
	"At what hour do I refuse most?":                           {"│ 09:00 │ 45 │ 11 │"},
	"Who refused it: I, a rule, a hook or a classifier?":       {"│ user │ false │ 43 │", "│ hook │ false │ 4 │", "│ classifier │ false │ 3 │"},
	"What went down with a call that I refused?":               {"git checkout login_test.go │ rejected", "git push │ skipped", "npm run build npm run deploy │ rejected"},
	"Which rules would spare me questions?":                    {"│ npm run format:* │ 2 │ 0 │"},
	"How long do agents wait for me?":                          {"│ 2026-10-19 │ site │ 12 │ 12 │ 0 │"},
	"What did I interrupt, and what had been printed by then?": {"8 of 21 interruptions", "restic forget", "--keep-within 90d --prune"},
	"What did a compaction lose?":                              {"4 of 15 compactions", "put the prune into cron, │ Done."},
	"What did I throw away with /clear?":                       {"7 clears", "plan alerts for the new"},
	"Where was that error message?":                            {"019fae77:4 output WARNING: DATA RACE", "1 hit in 1 session"},
	"What happened in that session?":                           {"3 prompts", "✗ write_file src/promo.css", "refused by you", "You have exhausted your capacity on this model"},
	"What was going on around that refusal?":                   {"3 refused", "because: two things:", "never run migrations against DATABASE_URL from here"},
	"How do I get back into a session?":                        {"10 of 43 sessions", "Add the theme harbour │ 17925950"},
	"How many tokens did I use, day by day?":                   {"2026-10-05 to 2026-10-22"},
	"Which model used them, and what would they cost?":         {"│ copilot │ gpt-5.4 │ 4 │ 23 │", "│ 1,177 │"},
	"Which files do agents edit most?":                         {"│ shop-api │ internal/orders/list.go │ claude │ 2 │"},
	"Which commands fail?":                                     {"│ codex │ go test │ 1 │ 100.0 │", "6 of 18 programs"},
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
