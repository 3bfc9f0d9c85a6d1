package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/printable"
	"hindsql/internal/whole"
	"hindsql/queries"
)

// astray is text with characters that control a terminal, or that are invisible to the
// reader.
const astray = "\x1b[31mRED\x1b[0m \x1b]52;c;cm0gLXJmIC8=\x07 \x1b]0;TITLE\x07 \u009b31m \u202eevil\u202c \u2066x\u2069 \b\b \x7f \u0085 a\u200bb a\u200db \u2028 \ufeff \U000e0041 \u0090 \rOVER"

// strangeHome fills a home with logs that have astray in every text, and in names of
// files, sessions, projects and tools.
func strangeHome(t *testing.T, home string) {
	t.Helper()
	folder := filepath.Join(home, ".claude", "projects", "-p-"+strings.ReplaceAll(astray, "/", ""))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	common := map[string]any{"isSidechain": false, "userType": "external", "cwd": "/w/" + astray, "sessionId": "s" + astray, "version": "2.1.23" + astray, "gitBranch": astray, "timestamp": "2026-11-20T08:30:44.203Z"}
	var log strings.Builder
	line := func(fields map[string]any) {
		for name, value := range common {
			fields[name] = value
		}
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		log.Write(append(text, '\n'))
	}
	content := func(list ...any) []any { return list }
	line(map[string]any{"type": "user", "uuid": "p", "message": map[string]any{"role": "user", "content": astray}})
	line(map[string]any{"type": "assistant", "uuid": "a", "parentUuid": "p", "message": map[string]any{"role": "assistant", "model": astray, "id": "m", "usage": map[string]any{"input_tokens": 1, "output_tokens": 2}, "content": content(
		map[string]any{"type": "text", "text": astray},
		map[string]any{"type": "tool_use", "id": "t", "name": "Edit", "input": map[string]any{"command": astray, "file_path": astray, "old_string": astray, "new_string": astray + "x"}},
		map[string]any{"type": "tool_use", "id": "u", "name": astray, "input": map[string]any{astray: astray}})}})
	line(map[string]any{"type": "user", "uuid": "r", "parentUuid": "a", "toolUseResult": "Error: " + astray, "message": map[string]any{"role": "user", "content": content(
		map[string]any{"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n" + astray})}})
	line(map[string]any{"type": astray, "uuid": "k", astray: astray})
	log.WriteString(astray + " is no JSON\n{")
	if err := os.WriteFile(filepath.Join(folder, "11111111-1111-4111-8111-111111111111.jsonl"), []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

var ours = regexp.MustCompile("\x1b\\[(?:0|1|2|31|32|33|36)m")

// wantText checks that got has only text, plus hindsql's own colours if colours is set,
// and a progress bar.
func wantText(t *testing.T, what, got string, colours bool) {
	t.Helper()
	if strings.Contains(got, "\x1b[31mRED") {
		t.Errorf("%s: a colour of the log", what)
	}
	if colours {
		got = ours.ReplaceAllString(got, "")
	}
	if !utf8.ValidString(got) || printable.Text(got) != got {
		t.Errorf("%s: %q", what, got[:min(len(got), 600)])
	}
}

// everyText selects values of every kind that holds text.
const everyText = `SELECT *, [text] AS list, {'f': text} AS struct, MAP {coalesce(text, ''): text} AS map, to_json({'j': text}) AS json, 'x' AS "alias` + "\x1b[31m\u202e" + `" FROM messages ORDER BY message_index`

// strange returns commands to run in the home of [strangeHome], in all formats of
// results.
func strange() (commands [][]string) {
	for _, format := range term.Names() {
		if format != "chart" {
			commands = append(commands, []string{everyText, "--format", format}, []string{"FROM tool_calls", "--format", format}, []string{"FROM problems", "--format", format})
		}
		commands = append(commands, []string{"SELECT text, count(*) AS n FROM messages GROUP BY ALL", "--format", format}, []string{"sources", "--format", format}, []string{"tables", "--format", format})
	}
	for _, format := range []string{"text", "html", "markdown", "json"} {
		commands = append(commands, []string{"report", "run", "weekly", "--since", "1000d", "--format", format})
	}
	for _, format := range []string{"csv", "json", "ndjson"} {
		commands = append(commands, []string{"export", "-", "--table", "messages", "--format", format})
	}
	saved, _ := queries.All("")
	for _, q := range saved {
		commands = append(commands, []string{"run", q.Name})
	}
	return append(commands, []string{"export", "-", "--format", "sessions"}, []string{"sync", "--full"}, []string{"EXPLAIN SELECT * FROM messages WHERE text = '" + astray + "'"}, []string{"EXPLAIN ANALYZE SELECT text || '" + astray + "' FROM messages"},
		[]string{"SELECT '" + astray + "' FROM nowhere"}, []string{"SELECT \"" + astray + "\""}, []string{"SELECT CAST('" + astray + "' AS INTEGER)"}, []string{"SELECT error('" + astray + "')"}, []string{"SELECT blob '\\x1B\\xFF', chr(27) || chr(155)"},
		[]string{"run", astray}, []string{"run", "overview", "since=" + astray}, []string{"run", "overview", astray + "=1"}, []string{"tables", astray}, []string{"queries", astray}, []string{"report", "show", astray}, []string{"--" + astray}, []string{"--format", astray, "SELECT 1"},
		[]string{"--root", astray, "SELECT 1"}, []string{"--root", "claude=/" + astray, "sources"}, []string{"--store", "/dev/null/" + astray, "SELECT 1"}, []string{"-f", astray}, []string{"-o", "/nowhere/" + astray, "SELECT 1"}, []string{"--timezone", astray, "SELECT 1"},
		[]string{"import", astray, "--host", astray}, []string{"import", ".", "--host", astray}, []string{"prune", "--host", astray}, []string{"export", "/dev/null/" + astray}, []string{"export", "x", "--query", astray}, []string{"export", "x", "--since", astray}, []string{"help", astray}, []string{"version"})
}

// TestTerminalGetsText: every command and format writes only text, despite strange
// logs, file names and arguments.
func TestTerminalGetsText(t *testing.T) {
	t.Parallel()
	e, _, _ := outside(t)
	strangeHome(t, e.home)
	keepOpen(t, e.home)
	shown := 0
	for i, args := range strange() {
		what := strings.Join(args, " ")
		t.Run(what, func(t *testing.T) {
			whole.Most(t, i, 8, "each command and format")
			var stdout, stderr strings.Builder
			e.args, e.stdout, e.stderr = args, &stdout, &stderr
			e.stdoutTerminal, e.stderrTerminal, e.width = true, true, 160
			execute(context.Background(), e)
			format := args[len(args)-1]
			wantText(t, what, stdout.String(), !slices.Contains([]string{"csv", "tsv", "json", "ndjson", "markdown", "html"}, format))
			wantText(t, what+": stderr", barless(stderr.String()), false)
			if (format == "json" || format == "ndjson") && args[0] != "report" {
				wantJSON(t, what, stdout.String(), format)
			}
			shown += strings.Count(stdout.String()+stderr.String(), "U+202E") + strings.Count(stdout.String(), `\u202e`)
		})
	}
	t.Run("codes", func(t *testing.T) {
		whole.Test(t, "counts those of all commands")
		if shown < 200 {
			t.Errorf("only %d codes are shown", shown)
		}
	})
}

// barless removes a progress bar's output: lines after a carriage return.
func barless(s string) string {
	return regexp.MustCompile(`\r[^\r\n]*(?:\r|$)`).ReplaceAllString(s, "")
}

func wantJSON(t *testing.T, what, got, format string) {
	t.Helper()
	lines := []string{got}
	if format == "ndjson" {
		lines = strings.Split(strings.TrimSpace(got), "\n")
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("%s: no JSON: %q", what, line[:min(len(line), 300)])
		}
	}
}

// TestPipeGetsData: in a pipe, values stay unchanged; messages are still only text.
func TestPipeGetsData(t *testing.T) {
	t.Parallel()
	e, _, _ := outside(t)
	strangeHome(t, e.home)
	for _, format := range []string{"csv", "tsv", "json", "ndjson", "markdown"} {
		var stdout, stderr strings.Builder
		e.args, e.stdout, e.stderr = []string{"SELECT chr(8238) || chr(155) || chr(127) AS x", "--format", format}, &stdout, &stderr
		if execute(context.Background(), e); !strings.Contains(stdout.String(), "\u202e\u009b\x7f") {
			t.Errorf("%s: %q", format, stdout.String())
		}
	}
	var stdout, stderr strings.Builder
	e.args, e.stdout, e.stderr = []string{"SELECT \"" + astray + "\""}, &stdout, &stderr
	execute(context.Background(), e)
	wantText(t, "stderr", stderr.String(), false)
	if !strings.Contains(stderr.String(), "␛[31mRED") {
		t.Errorf("the code isn't shown: %q", stderr.String())
	}
}

// TestPromptShowsText: the prompt's rows, errors, names and messages are only text.
func TestPromptShowsText(t *testing.T) {
	t.Parallel()
	lines := []string{".mode line", "FROM messages;", ".mode csv", "FROM messages;", ".mode json", "FROM tool_calls;", ".mode table", everyText + ";", "SELECT error(chr(27) || chr(8238));", "SELECT \"" + "x" + "\";", ".sources", ".tables", ".problems", ".run overview", ".logs", ".refresh",
		".explain FROM messages", ".export - --table messages --format csv", "SELECT text, 1 AS n FROM messages;", ".chart SELECT text, 1 AS n FROM messages"}
	e, screen, _ := atPrompt(t, t.TempDir(), nil, lines)
	strangeHome(t, e.home)
	e.args = nil
	execute(context.Background(), e)
	got := screen.String()
	for _, line := range lines {
		got = strings.ReplaceAll(got, line, "") // echoed by the terminal
	}
	wantText(t, "prompt", barless(got), true)
	if strings.Count(got, "<U+202E>") < 20 {
		t.Errorf("few codes: %s", got)
	}
}
