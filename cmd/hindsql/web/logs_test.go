package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script is a made-up session's log, written line by line in Claude Code's form.
type script struct {
	id, folder, branch string
	at                 time.Time
	lines              strings.Builder
	n                  int
	parent             any
}

// object is a JSON object.
type object = map[string]any

func newScript(id, folder string, at time.Time) *script {
	return &script{id: id, folder: folder, branch: "main", at: at}
}

// line appends a record of a kind, a second after the last record.
func (s *script) line(kind string, fields object) {
	s.n++
	s.at = s.at.Add(time.Second)
	uuid := fmt.Sprintf("%s-%d", s.id, s.n)
	whole := object{
		"parentUuid": s.parent, "isSidechain": false, "userType": "external", "cwd": s.folder, "sessionId": s.id, "version": "2.1.23",
		"gitBranch": s.branch, "type": kind, "uuid": uuid, "timestamp": s.at.UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	for name, value := range fields {
		whole[name] = value
	}
	s.raw(whole)
	s.parent = uuid
}

func (s *script) raw(whole object) {
	text, err := json.Marshal(whole)
	if err != nil {
		panic(err)
	}
	s.lines.Write(append(text, '\n'))
}

func (s *script) user(content any, more object) {
	fields := object{"message": object{"role": "user", "content": content}}
	for name, value := range more {
		fields[name] = value
	}
	s.line("user", fields)
}

func (s *script) assistant(content ...object) {
	s.line("assistant", object{"requestId": fmt.Sprintf("req_%s_%d", s.id, s.n), "message": object{
		"id": fmt.Sprintf("msg_%s_%d", s.id, s.n), "type": "message", "role": "assistant", "model": "claude-opus-4-5-20251101", "stop_reason": "end_turn",
		"content": content, "usage": object{"input_tokens": 3, "cache_read_input_tokens": 15000, "output_tokens": 90},
	}})
}

func (s *script) prompt(text string) { s.user(text, nil) }
func (s *script) answer(text string) { s.assistant(object{"type": "text", "text": text}) }
func (s *script) think(text string) {
	s.assistant(object{"type": "thinking", "thinking": text, "signature": "x"})
}
func (s *script) title(text string) {
	s.raw(object{"type": "custom-title", "customTitle": text, "sessionId": s.id})
}
func (s *script) stop() {
	s.user([]object{{"type": "text", "text": "[Request interrupted by user]"}}, nil)
}
func (s *script) clear() {
	s.user("<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>", nil)
}

// call appends a tool's call and its result.
func (s *script) call(id, tool string, input object, output string) {
	s.assistant(object{"type": "tool_use", "id": id, "name": tool, "input": input})
	s.user([]object{{"type": "tool_result", "tool_use_id": id, "content": output}}, object{"toolUseResult": object{"stdout": output, "stderr": "", "interrupted": false}})
}

const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "

// refuse appends a call that the user refused, with the user's words unless empty.
func (s *script) refuse(id, tool string, input object, reason string) {
	s.assistant(object{"type": "tool_use", "id": id, "name": tool, "input": input})
	said := refusal + "STOP what you are doing and wait for the user to tell you how to proceed."
	if reason != "" {
		said = refusal + "To tell you how to proceed, the user said:\n" + reason
	}
	s.user([]object{{"type": "tool_result", "content": said, "is_error": true, "tool_use_id": id}}, object{"toolUseResult": "Error: " + said})
	if reason == "" {
		s.user([]object{{"type": "text", "text": "[Request interrupted by user for tool use]"}}, nil)
	}
}

func (s *script) compact(summary string) {
	s.line("system", object{"subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": false, "level": "info",
		"compactMetadata": object{"trigger": "auto", "preTokens": 150000}, "logicalParentUuid": s.parent, "parentUuid": nil})
	s.user("This session is being continued from a previous conversation that ran out of context. "+summary, object{"isCompactSummary": true, "isVisibleInTranscriptOnly": true})
}

// path returns the log's path in a home. project is the name of the project's folder
// there.
func (s *script) path(home, project string) string {
	return filepath.Join(home, ".claude", "projects", project, s.id+".jsonl")
}

// write writes the log into a home and returns its path.
func (s *script) write(t testing.TB, home, project string) string {
	t.Helper()
	path := s.path(home, project)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(s.lines.String()), 0o600))
	return path
}

// long returns a session with a number of prompts, and answers with code, calls,
// refusals, stops and compactions.
func long(id, folder string, prompts int, ends time.Time) *script {
	s := newScript(id, folder, ends.Add(-time.Duration(3*prompts)*time.Second))
	s.title("A long one")
	for n := range prompts {
		s.prompt(fmt.Sprintf("Prompt %d: make the %d. test of the cart pass, and say what was wrong with it.", n, n))
		call := fmt.Sprintf("toolu_%s_%d", id, n)
		switch {
		case n%50 == 7:
			s.refuse(call, "Bash", object{"command": fmt.Sprintf("rm -rf build/%d && make", n), "description": "clean build"}, fmt.Sprintf("never remove the build folder (%d)", n))
			s.answer("I leave the folder alone.")
		case n%10 == 3:
			s.call(call, "Bash", object{"command": fmt.Sprintf("go test ./cart -run Test%d", n)}, strings.Repeat("ok  \tacme.dev/shop/cart\t0.240s\n", 20))
			s.answer("It passes.")
		case n%10 == 6:
			s.call(call, "Edit", object{"file_path": folder + "/cart/cart.go", "old_string": "\tif n > 0 {\n\t\treturn n\n\t}", "new_string": fmt.Sprintf("\tif n > %d {\n\t\treturn n + 1\n\t}", n)}, "The file has been updated.")
			s.answer("The cart counts from **one** now.")
		default:
			s.answer(fmt.Sprintf("The test failed because of `n`:\n\n- it was %d\n- it should be %d\n\n```go\nfunc cart(n int) int {\n\treturn n + %d\n}\n```\n", n, n+1, n))
		}
		if n%700 == 650 {
			s.compact(strings.Repeat("We made tests of the cart pass. ", 60))
		}
	}
	return s
}
