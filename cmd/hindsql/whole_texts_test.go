package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/whole"
	"hindsql/queries"
)

// longWords are the kinds of long texts in the log of TestWholeTexts.
var longWords = []string{"command", "prompt", "reason", "answer"}

// longText returns a text of about 10,000 characters and several lines. Its lines tell
// which kind of text they are from.
func longText(word string) string {
	text := word + "-begin"
	for n := 0; len(text) < 10_000; n++ {
		text += fmt.Sprintf("\n%s-line %d, with  two blanks, \"quotes\" and a\ttab", word, n)
	}
	return text + "\n" + word + "-end"
}

// notWhole lists the columns that have only a part of a long text on purpose, with the
// reason.
var notWhole = map[string]string{
	"failing-commands.program":             "the program of the command",
	"failing-commands.last_said":           "the end of an output, which may have megabytes; tool_calls.output has it",
	"slow-commands.program":                "the program of the command",
	"refused-commands.program":             "the program of the command",
	"rejection-reasons.begins":             "the first words are the group",
	"rule-candidates.about":                "the program of the command is the group",
	"refusals/Commands by program.program": "the first program of the command",
	"sessions.about":                       "the title of a session, made when the log is loaded; messages.text has the prompt",
	"longest-sessions.about":               "the title of a session",
	"compacted-sessions.about":             "the title of a session",
	"refusals/Why.about":                   "the title of a session",
	"weekly/What you refused.about":        "the title of a session",
	"weekly/Sessions.about":                "the title of a session",
	"rejections.about":                     "the title of a session",
	"interruptions.about":                  "the title of a session",
	"compactions.about":                    "the title of a session",
	"clears.next_about":                    "the title of a session",
}

// writeLongTexts writes Claude Code's log of two sessions with long texts: refused,
// done later, failed, interrupted, compacted and cleared.
func writeLongTexts(t *testing.T, home string) {
	t.Helper()
	texts := map[string]string{}
	for _, word := range longWords {
		texts[word] = longText(word)
	}
	at := time.Date(2026, 10, 19, 9, 0, 0, 0, time.UTC)
	calls := 0
	write := func(session string, records ...map[string]any) {
		var log strings.Builder
		parent := any(nil)
		for n, r := range records {
			at = at.Add(10 * time.Second)
			id := fmt.Sprintf("%s-0000-4000-8000-%012d", session[:8], n)
			maps.Copy(r, map[string]any{"uuid": id, "parentUuid": parent, "isSidechain": false, "timestamp": at.Format("2006-01-02T15:04:05.000Z"), "sessionId": session, "cwd": "/home/ada/work/shop", "version": "2.1.87", "userType": "external", "entrypoint": "cli"})
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			log.Write(append(b, '\n'))
			parent = id
		}
		file := filepath.Join(home, ".claude", "projects", "-home-ada-work-shop", session+".jsonl")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(log.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	user := func(content any) map[string]any {
		return map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": content}}
	}
	said := func(n int, blocks ...any) map[string]any {
		return map[string]any{"type": "assistant", "message": map[string]any{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": "claude-opus-4-5-20251101", "content": blocks, "stop_reason": "tool_use", "usage": map[string]any{"input_tokens": 10, "output_tokens": 20}}}
	}
	text := func() any { return map[string]any{"type": "text", "text": texts["answer"]} }
	call := func() any {
		calls++
		return map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", calls), "name": "Bash", "input": map[string]any{"command": texts["command"]}}
	}
	resultOf := func(content string, isError bool) map[string]any {
		r := user([]any{map[string]any{"type": "tool_result", "tool_use_id": fmt.Sprintf("toolu_%d", calls), "content": content, "is_error": isError}})
		if isError {
			r["toolUseResult"] = "Error: " + content
		}
		return r
	}
	const no = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "
	cutOff := func(r map[string]any) map[string]any {
		r["message"].(map[string]any)["stop_reason"] = nil
		return r
	}
	stopped := func() map[string]any {
		return user([]any{map[string]any{"type": "text", "text": "[Request interrupted by user]"}})
	}
	write("aaaaaaaa-1111-4111-8111-111111111111",
		user(texts["prompt"]), said(1, text(), call()), resultOf(no+"To tell you how to proceed, the user said:\n"+texts["reason"], true),
		said(2, call()), resultOf("fine", false),
		said(3, call()), resultOf("Exit code 1\n"+texts["answer"], true),
		cutOff(said(4, text())), stopped(), user(texts["prompt"]),
		said(5, call()), resultOf(no+"STOP what you are doing and wait for the user to tell you how to proceed.", true), user(texts["prompt"]),
		said(6, text()),
		map[string]any{"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "compactMetadata": map[string]any{"trigger": "manual", "preTokens": 91822}},
		map[string]any{"type": "user", "isCompactSummary": true, "message": map[string]any{"role": "user", "content": "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n" + texts["answer"]}},
		said(7, text()))
	write("bbbbbbbb-2222-4222-8222-222222222222",
		user("<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>"),
		user(texts["prompt"]), said(8, text(), call()), resultOf("fine", false))
}

// TestWholeTexts: CSV and JSON have every long text of every saved query and every
// section of a report byte for byte, with its line ends. Who shows an answer cuts it.
func TestWholeTexts(t *testing.T) {
	t.Parallel()
	whole.Test(t, "asks each query twice")
	home := t.TempDir()
	writeLongTexts(t, home)
	answer := func(args ...string) string {
		e, stdout, stderr := outside(t, append([]string{"--timezone", "UTC", "--store", home + "/store"}, args...)...)
		e.home = home
		e.now = func() time.Time { return time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC) }
		return succeed(t, e, stdout, stderr)
	}
	all, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, q := range all {
		records, err := csv.NewReader(strings.NewReader(answer("--format", "csv", q.Name))).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
		for _, record := range records[1:] {
			for i, cell := range record {
				checkWhole(t, "CSV", q.Name+"."+records[0][i], cell, seen)
			}
		}
		var rows []map[string]any
		if err := json.Unmarshal([]byte(answer("--format", "json", q.Name)), &rows); err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
		for _, row := range rows {
			for name, v := range row {
				eachText(v, func(s string) { checkWhole(t, "JSON", q.Name+"."+name, s, seen) })
			}
		}
	}
	for _, name := range []string{"weekly", "refusals"} {
		checkWholeReport(t, name, answer("report", "run", name, "since=2026-10-13", "until=2026-10-20", "--format", "json"), seen)
	}
	for _, column := range []string{
		"rejections.refused", "rejections.said", "after-refusal.did", "refused-then-done.done", "refused-then-retried.tried_again", "failing-commands.last_command",
		"interruptions.cut", "interruptions.next_prompt", "compactions.summary", "clears.next_prompt", "before-compaction.it_said_last", "rejection-reasons.last_said", "weekly/What you refused.said", "refusals/Why.said", "refusals/Commands by program.last",
	} {
		if !seen[column] {
			t.Errorf("%s: no long text; the log of this test should give one", column)
		}
	}
	for column := range notWhole {
		if !seen["part of "+column] {
			t.Errorf("%s has whole texts: take it off the list", column)
		}
	}
}

// checkWholeReport checks the sections of a report in JSON.
func checkWholeReport(t *testing.T, name, document string, seen map[string]bool) {
	t.Helper()
	var report struct {
		Sections []struct {
			Title  string
			Result result.Set
		}
	}
	if err := json.Unmarshal([]byte(document), &report); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, section := range report.Sections {
		for _, row := range section.Result.Rows {
			for i, v := range row {
				column := name + "/" + section.Title + "." + section.Result.Columns[i].Name
				eachText(v, func(s string) { checkWhole(t, "JSON", column, s, seen) })
			}
		}
	}
}

// eachText calls do with each text in a decoded JSON value.
func eachText(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case []any:
		for _, item := range v {
			eachText(item, do)
		}
	case map[string]any:
		for _, item := range v {
			eachText(item, do)
		}
	}
}

// checkWhole checks that a cell with a part of a long text has all of it, as it is or
// in JSON.
func checkWhole(t *testing.T, format, column, cell string, seen map[string]bool) {
	t.Helper()
	for _, word := range longWords {
		if !strings.Contains(cell, word+"-begin") && !strings.Contains(cell, word+"-line") && !strings.Contains(cell, word+"-end") {
			continue
		}
		full := longText(word)
		inJSON, _ := json.Marshal(full)
		if strings.Contains(cell, full) || strings.Contains(cell, string(inJSON[1:len(inJSON)-1])) {
			seen[column] = true
			continue
		}
		seen["part of "+column] = true
		if notWhole[column] == "" {
			t.Errorf("%s of %s has only a part of a %s, %d bytes: %.60q…%q", format, column, word, len(cell), cell, cell[max(0, len(cell)-30):])
		}
	}
}
