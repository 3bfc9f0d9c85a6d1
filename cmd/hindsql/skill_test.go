package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hindsql/cmd/hindsql/agents/skills"
	"hindsql/internal/whole"
)

// TestSkillExamples: every command line in a skill runs on the sample and has an
// answer. Ages are made longer, because the sample's dates don't move.
func TestSkillExamples(t *testing.T) {
	whole.Test(t, "starts processes, 1.8 s of processor time")
	t.Parallel()
	fence := regexp.MustCompile("(?s)```sh\n(.*?)```")
	e, stdout, stderr := onSample(t, "--format", "csv", "SELECT session_id || ':' || message_index FROM rejections WHERE decided_by = 'user' LIMIT 1")
	session := strings.Split(succeed(t, e, stdout, stderr), "\n")[1]
	fill := strings.NewReplacer("SELECT … LIMIT 50", "FROM sessions LIMIT 50", "ID:MESSAGE", session, " ID ", " "+strings.Split(session, ":")[0]+" ", `project="$PWD"`, "project=work", `"$PWD"`, "shop-api")
	asked := 0
	for _, s := range skills.All() {
		e, stdout, stderr := outside(t, "skill", s.Name)
		text := succeed(t, e, stdout, stderr)
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(block[1]) {
				line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
				words := shellWords(t, regexp.MustCompile(`since=\d+d`).ReplaceAllString(fill.Replace(line+" "), "since=2026-01-01"))
				e, stdout, stderr := onSample(t, words[1:]...)
				if words[1] == "queries" { // needs no logs
					e.args = words[1:]
				}
				got := succeed(t, e, stdout, stderr)
				if asked++; strings.Count(got, "\n") < 3 && !slices.Contains(words, "refused-then-done") { // missing in the sample
					t.Errorf("%s: %s: no rows:\n%s", s.Name, line, got)
				}
			}
		}
	}
	if asked < 16 {
		t.Errorf("%d command lines found", asked)
	}
}

// shellWords splits a command line at spaces outside of quotes.
func shellWords(t *testing.T, line string) (words []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?:[^\s"]|"[^"]*")+`).FindAllString(line, -1) {
		words = append(words, strings.ReplaceAll(m, `"`, ""))
	}
	if len(words) < 2 || words[0] != "hindsql" {
		t.Fatalf("no command line: %s", line)
	}
	return words
}

// TestRuleCandidatesProve: each id of a candidate belongs to a call of the same kind
// that the user refused or granted. The number of ids equals the candidate's count.
func TestRuleCandidatesProve(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.1 s of processor time")
	t.Parallel()
	rows := func(args ...string) (rows []map[string]any) {
		e, stdout, stderr := onSample(t, append([]string{"--format", "json"}, args...)...)
		if err := json.Unmarshal([]byte(succeed(t, e, stdout, stderr)), &rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	is := map[string]map[any]bool{"refused": {}, "granted": {}}
	for _, r := range rows(`SELECT 'refused' AS what, tool_kind || tool_use_id AS id FROM rejections WHERE decided_by = 'user' AND NOT cascaded
		UNION ALL SELECT 'granted', tool_kind || tool_use_id FROM tool_calls WHERE decided_by = 'user' AND decision = 'granted'`) {
		is[r["what"].(string)][r["id"]] = true
	}
	named := map[any]bool{}
	for _, r := range rows("rule-candidates", "top=0") {
		for what, of := range is {
			ids, _ := r[what+"_ids"].([]any)
			for _, id := range ids {
				if id := r["kind"].(string) + id.(string); !of[id] {
					t.Errorf("%v %v: %s wasn't %s by a person", r["kind"], r["about"], id, what)
				} else if what == "refused" {
					named[id] = true
				}
			}
			if n := r[what].(float64); float64(len(ids)) != min(n, map[string]float64{"refused": 8, "granted": 4}[what]) {
				t.Errorf("%v %v: %d ids of %v %s", r["kind"], r["about"], len(ids), n, what)
			}
		}
	}
	if len(named) != len(is["refused"]) {
		t.Errorf("%d of %d refusals are in a candidate", len(named), len(is["refused"]))
	}
	if got := rows("--safe", "rule-candidates", "least=2", "top=1"); len(got) != 1 || got[0]["about"] != "rm" {
		t.Errorf("with --safe: %v", got)
	}
}
