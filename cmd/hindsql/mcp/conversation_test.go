package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/sample"
)

// The maximum cost to a model of the question "what did I refuse in this repository
// this month, and which rules follow": number of calls, and characters of the results.
const mostCalls, mostHanded = 4, 12_000

// TestConversation makes another vendor's client follow the server's instructions for
// the question about refusals and rules. The results must have the refusals, and ids
// that prove each candidate for a rule.
func TestConversation(t *testing.T) {
	folder := os.Getenv("HINDSQL_MCP_CLIENTS")
	if folder == "" {
		t.Skip("$HINDSQL_MCP_CLIENTS is not set; `make e2e-mcp` sets it")
	}
	t.Run("in a repository", func(t *testing.T) {
		h := emptyHome(t)
		shop, other := filepath.Join(h.folder, "src", "shop"), filepath.Join(h.folder, "src", "other")
		for i := range 12 {
			h.refusal(fmt.Sprintf("shop-%d", i), shop, "git push --force origin main", "never force, open a pull request")
			h.refusal(fmt.Sprintf("other-%d", i), other, "secret of another repository", "no")
		}
		s := stdioServer(t, h.folder)
		s.Cwd = shop
		must(t, os.MkdirAll(shop, 0o700))
		if out, err := exec.Command("git", "init", "--quiet", shop).CombinedOutput(); err != nil {
			t.Fatalf("git init: %v\n%s", err, out)
		}
		if all := converse(t, python(t, folder, "auto", s), "2026-01-01"); strings.Contains(all, "another repository") || !strings.Contains(all, "never force") {
			t.Error(all)
		}
	})
	t.Run("on the sample", func(t *testing.T) {
		home, err := sample.Write(t.TempDir())
		must(t, err)
		converse(t, python(t, folder, "auto", stdioServer(t, home, "--project", "/home/ada/work/shop-api")), "2026-01-01")
	})
	t.Run("on real logs", func(t *testing.T) {
		from, home := corpus.Home(t, "home"), t.TempDir()
		must(t, os.CopyFS(home, os.DirFS(from)))
		// The repository with the most refusals, in the 30 days up to its last refusal.
		const most = `SELECT p.repository, max(r.timestamp)::DATE - 30 AS since FROM rejections r JOIN projects p USING (project)
			WHERE r.decided_by = 'user' AND NOT r.cascaded AND p.repository IS NOT NULL GROUP BY ALL ORDER BY count(*) DESC LIMIT 1`
		var of struct{ Repository, Since string }
		must(t, json.Unmarshal(said(t, home, "--format", "ndjson", most), &of))
		converse(t, python(t, folder, "auto", stdioServer(t, home, "--project", of.Repository)), of.Since)
	})
}

// said returns hindsql's output on a home's logs.
func said(t *testing.T, home string, arguments ...string) []byte {
	t.Helper()
	cmd := exec.Command(binary(t), arguments...)
	cmd.Env = os.Environ()
	for name, value := range environment(home) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", arguments, err, wrong.String())
	}
	return out
}

// converse asks the question's calls, and returns all their texts.
func converse(t *testing.T, c *foreign, since string) (all string) {
	t.Helper()
	handed := 0
	calls := []struct {
		tool      string
		arguments request
	}{
		{"run", request{"name": "rule-candidates", "params": request{"since": since, "least": "2"}, "max_rows": 10}},
		{"run", request{"name": "rejections", "params": request{"since": since}, "max_rows": 15}},
		{"query", request{"sql": "SELECT decided_by, count(*) AS n FROM rejections WHERE timestamp >= CAST($since AS TIMESTAMPTZ) AND NOT cascaded GROUP BY ALL ORDER BY n DESC", "params": request{"since": since}}},
	}
	var got []*answer
	for _, call := range calls {
		a := c.call(t, call.tool, call.arguments)
		got = append(got, a)
		var compact bytes.Buffer
		must(t, json.Compact(&compact, a.structured))
		larger := max(len([]rune(a.text)), len([]rune(compact.String())))
		t.Logf("%s %v: %d rows, %d characters", call.tool, call.arguments["name"], len(a.Rows), larger)
		handed += larger
		all += a.text
	}
	t.Logf("%d calls, %d characters", len(calls), handed)
	if len(calls) > mostCalls || handed >= mostHanded {
		t.Errorf("%d calls, %d characters", len(calls), handed)
	}
	wantProved(t, got[0])
	if len(got[1].Rows) == 0 || len(got[2].Rows) == 0 {
		t.Errorf("no refusals: %s\n%s", got[1].text, got[2].text)
	}
	return all
}

// wantProved checks that each candidate for a rule has ids of calls that prove it: as
// many as the candidate's count, but at most eight.
func wantProved(t *testing.T, a *answer) {
	t.Helper()
	place := map[string]int{}
	for i, c := range a.Columns {
		place[c.Name] = i
	}
	if len(a.Rows) == 0 || a.Truncated != (a.Next != "") {
		t.Errorf("%d candidates, cut: %v, next %q", len(a.Rows), a.Truncated, a.Next)
	}
	for _, row := range a.Rows {
		ids, _ := row[place["refused_ids"]].(string)
		if n := int(row[place["refused"]].(float64)); n < 2 || strings.Count(ids, ",")+1 != min(n, 8) {
			t.Errorf("%v refusals of %v are proved by %s", n, row[place["about"]], ids)
		}
	}
}
