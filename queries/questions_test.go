package queries_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/queries"
)

// TestQuestionsInOrder: the questions of one call stand in the order in which they were
// asked, each with its own answer. A refused call is one row.
func TestQuestionsInOrder(t *testing.T) {
	home := t.TempDir()
	log := filepath.Join(home, ".claude/projects/-w/77770001-0000-4000-8000-000000000001.jsonl")
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, []byte(askedAndRefused(t, 30)), 0o600); err != nil {
		t.Fatal(err)
	}
	q, _ := queries.Find("", "questions")
	run := opened(t, home)
	args, err := q.Bind(t.Context(), run, map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := run(t.Context(), "SELECT question, how, picked, words FROM ("+q.TypedSQL()+")", args)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"[Go on? refused <nil> <nil>]"}
	for i := range 30 {
		switch i % 3 {
		case 0:
			want = append(want, fmt.Sprintf("[Question %d? answered yes <nil>]", i))
		case 1:
			want = append(want, fmt.Sprintf("[Question %d? answered  maybe]", i))
		default:
			want = append(want, fmt.Sprintf("[Question %d? left open  <nil>]", i))
		}
	}
	var got []string
	for _, row := range set.Rows {
		got = append(got, fmt.Sprint(row))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// askedAndRefused returns a log of Claude Code's: a call with n questions, of which the
// person answered the first, the fourth … with a label, the second, the fifth … with
// words, and the others not at all; later a refused question.
func askedAndRefused(t *testing.T, n int) (log string) {
	type object map[string]any
	var asked []object
	given := map[string]string{}
	for i := range n {
		question := fmt.Sprintf("Question %d?", i)
		asked = append(asked, object{"question": question, "options": []object{{"label": "yes"}, {"label": "no"}}})
		if i%3 < 2 {
			given[question] = []string{"yes", "maybe"}[i%3]
		}
	}
	last := []object{{"question": "Go on?", "options": []object{{"label": "yes"}}}}
	for i, line := range []object{
		{"type": "user", "message": object{"role": "user", "content": "ask me"}},
		{"type": "assistant", "message": object{"id": "m1", "role": "assistant", "content": []object{{"type": "tool_use", "id": "t1", "name": "AskUserQuestion", "input": object{"questions": asked}}}}},
		{"type": "user", "message": object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": "t1", "content": "User has answered your questions: x"}}},
			"toolUseResult": object{"questions": asked, "answers": given}},
		{"type": "assistant", "message": object{"id": "m2", "role": "assistant", "content": []object{{"type": "tool_use", "id": "t2", "name": "AskUserQuestion", "input": object{"questions": last}}}}},
		{"type": "user", "message": object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": "t2", "is_error": true,
			"content": "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."}}},
			"toolUseResult": "User rejected tool use"},
	} {
		line["sessionId"], line["uuid"], line["cwd"], line["version"] = "77770001-0000-4000-8000-000000000001", fmt.Sprint("u", i), "/w", "2.1.123"
		line["timestamp"] = fmt.Sprintf("2026-03-02T09:00:%02d.000Z", i)
		if i > 0 {
			line["parentUuid"] = fmt.Sprint("u", i-1)
		}
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		log += string(text) + "\n"
	}
	return log
}
