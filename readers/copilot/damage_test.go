package copilot_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/copilot"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

// damagedLog holds the counts of a damaged log.
type damagedLog struct {
	messages, refusals, problems int
	reason                       string
	last                         string // text of the last answer
}

func damagedIn(rows map[string][]tables.Row) (d damagedLog) {
	d.messages, d.refusals, d.problems = len(rows["messages"]), len(rows["rejections"]), len(rows["problems"])
	for _, r := range rows["rejections"] {
		d.reason, _ = r["reason"].(string)
	}
	for _, m := range rows["messages"] {
		if m["kind"] == tables.KindResponse {
			d.last, _ = m["text"].(string)
		}
	}
	return d
}

// TestDamaged: EXPECTED.tsv says what each damaged copy of a session should give. The
// undamaged session has 5 messages, including a notice, and a refusal with its reason.
func TestDamaged(t *testing.T) {
	folder := filepath.Join(filepath.Dir(corpus.Home(t, "new-agents")), "damaged")
	const reason, last = "no, archive it instead of deleting", "All right, I leave it alone."
	for id, want := range map[string]damagedLog{
		"1": {5, 1, 1, reason, last},                                // NULs at the end
		"2": {5, 1, 1, reason, last},                                // half an event, then the whole
		"3": {5, 1, 1, reason, last},                                // two events on a line: read, with a problem
		"4": {5, 1, 1, reason, "All right,\nI leave it alone."},     // a raw newline: the two lines are one event
		"5": {5, 1, 0, reason, "All right,\u2028I leave it alone."}, // U+2028 ends no line
		"6": {5, 1, 1, reason, last},                                // the last line, a shutdown, is cut
	} {
		rows := loadLog(t, filepath.Join(folder, ".copilot"), "session-state/00000000-0000-4000-8000-00000000000"+id+"/events.jsonl")
		if got := damagedIn(rows); got != want {
			t.Errorf("%s: %+v, want %+v; problems %v", id, got, want, rows["problems"])
		}
	}
	expected, err := os.Open(filepath.Join(folder, "EXPECTED.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer expected.Close()
	cases := 0
	for s := bufio.NewScanner(expected); s.Scan(); cases++ {
	}
	if cases != 6 {
		t.Errorf("EXPECTED.tsv has %d cases, want 6", cases)
	}
}

// TestRawNewlines: an event over several lines is one event. A line that only looks
// like the event's rest is not part of the event.
func TestRawNewlines(t *testing.T) {
	t.Parallel()
	user := func(id, content string) string {
		return `{"type":"user.message","data":{"content":"` + content + `"},"id":"` + id + `","timestamp":"2026-11-21T09:00:00.000Z","parentId":null}` + "\n"
	}
	for _, test := range []struct {
		name, log string
		texts     string // joined by |
		problems  int
	}{
		{"one newline", user("1", "a\nb") + user("2", "c"), "a\nb|c", 1},
		{"many, with braces and blank lines", user("1", "a {\n\n} \\\"x\\\"\n}") + user("2", "c"), "a {\n\n} \\\"x\\\"\n}|c", 1},
		{"at the end of the log", user("1", "a\nb"), "a\nb", 1},
		{"an end that is missing", user("1", "abc def")[:60] + "\n" + user("2", "c"), "c", 1},
		{"junk after a whole event", user("1", "a") + "junk\n" + user("2", "c"), "a|c", 1},
		{"junk after half an event", user("1", "a")[:60] + "\nmore junk\n" + user("2", "c"), "c", 2},
		{"half an event, then NULs", user("1", "a")[:60] + "\n\x00\x00\x00\n" + user("2", "c"), "c", 2},
	} {
		rows := readertest.RowsOf(copilot.Reader, "session-state/x/events.jsonl", test.log)
		var texts []string
		for _, m := range rows["messages"] {
			text, _ := m["text"].(string)
			texts = append(texts, text)
		}
		if got := strings.Join(texts, "|"); got != strings.ReplaceAll(test.texts, `\"`, `"`) || len(rows["problems"]) != test.problems {
			t.Errorf("%s: %q with %d problems, want %q with %d: %v", test.name, got, len(rows["problems"]), test.texts, test.problems, rows["problems"])
		}
	}
}
