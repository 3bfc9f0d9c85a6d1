package queries_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/queries"
)

// windowsCall is a made-up call. end is ran, failed, refused or granted.
type windowsCall struct{ tool, key, value, end string }

// windowsLog returns a session of Claude Code in a Windows folder.
func windowsLog(calls []windowsCall) string {
	var out strings.Builder
	n := 0
	line := func(kind string, message, more any) {
		n++
		data, _ := json.Marshal(map[string]any{"role": kind, "id": fmt.Sprint("m", n), "model": "x", "content": message})
		extra, _ := json.Marshal(more)
		fmt.Fprintf(&out, `{"type":%q,"uuid":"u%d","parentUuid":"u%d","sessionId":"5e550001-0000-4000-8000-000000000001","cwd":"C:\\w\\site","version":"2.1.330","timestamp":"2026-09-01T09:%02d:%02d.000Z","message":%s,%s`+"\n",
			kind, n, n-1, n/60, n%60, data, strings.TrimPrefix(string(extra), "{"))
	}
	line("user", "go", map[string]any{"isMeta": false})
	for i, c := range calls {
		id := fmt.Sprint("t", i)
		line("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": c.tool, "input": map[string]any{c.key: c.value}}}, map[string]any{"isMeta": false})
		text, more := "done", map[string]any{"toolUseResult": "done"}
		switch c.end {
		case "failed":
			text = "Exit code 2\nno"
			more["toolUseResult"] = "Error: " + text
		case "refused":
			text = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nnot that"
			more["toolDenialKind"] = "user-rejected"
			more["permissionDecision"] = map[string]any{"decision": "reject", "source": "user_reject"}
		case "granted":
			more["permissionDecision"] = map[string]any{"decision": "accept", "source": "user_temporary"}
		}
		line("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": c.end == "failed" || c.end == "refused", "content": text}}, more)
	}
	return out.String()
}

// TestWindows: either slash splits paths, and PowerShell's words aren't a program.
func TestWindows(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, ".claude", "projects", "C--w-site")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	log := windowsLog([]windowsCall{
		{"Edit", "file_path", `C:\w\site\src\a.go`, "ran"}, {"Edit", "file_path", `c:/w/site/src/a.go`, "ran"}, {"Edit", "file_path", `C:\w\site\src\a.go`, "refused"},
		{"Edit", "file_path", `D:\x\b.go`, "refused"},
		{"PowerShell", "command", `$env:CI = 'true'; npm test`, "failed"}, {"PowerShell", "command", `npm test`, "ran"},
		{"PowerShell", "command", `Get-Content a.txt | Select-String x`, "refused"}, {"PowerShell", "command", `Get-Content b.txt`, "granted"}, {"PowerShell", "command", `Get-Content b.txt`, "granted"},
		{"Bash", "command", `git status`, "granted"}, {"Bash", "command", `git status`, "granted"},
	})
	if err := os.WriteFile(filepath.Join(folder, "5e550001-0000-4000-8000-000000000001.jsonl"), []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	run := opened(t, home)
	for _, test := range []struct{ query, columns, want string }{
		{"edits-by-file", "file, edits, refused", `src/a.go 2 1; D:\x\b.go 0 1`},
		{"refused-files", "file, refused, edits_let_pass", `src/a.go 1 2; D:\x\b.go 1 0`},
		{"failing-commands", "program, failed, ran", "npm test 1 2"},
		{"refused-commands", "program, refused, ran", "Get-Content 1 2"},
		{"slow-commands", "program, ran", "Get-Content 2; git status 2; npm test 2"},
		{"rule-candidates", "kind, about, refused", `command Get-Content 1; edit D:\x\ 1; edit src/ 1`},
		{"permission-rules", "part, allow_rule, why_not", `Get-Content a.txt | Select-String x <nil> more than plain words; Get-Content b.txt <nil> more than plain words; git status:* "Bash(git status:*)" <nil>`},
	} {
		q, _ := queries.Find("", test.query)
		args, err := q.Bind(t.Context(), run, map[string]any{})
		if err != nil {
			t.Fatal(err)
		}
		set, err := run(t.Context(), "SELECT "+test.columns+" FROM ("+q.TypedSQL()+") ORDER BY ALL", args)
		if err != nil {
			t.Fatalf("%s: %v", test.query, err)
		}
		var got []string
		for _, row := range set.Rows {
			got = append(got, strings.TrimSuffix(fmt.Sprintln(row...), "\n"))
		}
		want := strings.Split(test.want, "; ")
		if diff := cmp.Diff(among(want), among(got)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.query, diff)
		}
	}
}

func among(list []string) map[string]bool {
	set := map[string]bool{}
	for _, s := range list {
		set[s] = true
	}
	return set
}
