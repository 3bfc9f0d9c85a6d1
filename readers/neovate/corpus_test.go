package neovate_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/neovate"
	"hindsql/tables"
)

// tally holds the counts of logs, made twice: with encoding/json, and by the reader.
type tally struct {
	Records, Messages, Inputs, Commands     int
	Calls, Ran, Refused, Skipped, Reasons   int
	Markers, Summaries, Shell, Agents       int
	Input, Output, TextBytes, ThinkingBytes int
	Titles, Project                         string
}

// Parts of the format for the independent count.
type (
	rawLine struct {
		Type, Role string
		UIContent  string
		Content    json.RawMessage
		Usage      struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		}
		Config struct{ Summary string }
	}
	rawPart struct {
		Type, Text, ID, ToolCallID string
		Hidden                     bool
		AgentID                    string
		Result                     struct{ LLMContent json.RawMessage }
	}
	rawData struct {
		Projects map[string]struct{ History []string }
	}
)

// count returns one session's tally.
func count(t *testing.T, log readers.Log) tally {
	t.Helper()
	var n tally
	results := map[string]string{} // by call: the last result that is no skip
	for line := range bytes.Lines(contents(t, log)) {
		var r rawLine
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", log.Rel, err)
		}
		n.Records++
		switch r.Type {
		case "message":
			n.Messages++
			n.message(r, results)
		case "config":
			n.Titles += r.Config.Summary
		}
	}
	for _, text := range results {
		switch {
		case text == "Error: Tool execution was denied by user.":
			n.Refused++
		case strings.HasPrefix(text, "Tool use rejected with user message: "):
			n.Refused++
			n.Reasons += len(strings.TrimPrefix(text, "Tool use rejected with user message: "))
		case text == "Error: Tool execution was skipped due to previous tool denial.":
			n.Skipped++
		case text != "[Request interrupted by user]":
			n.Ran++
		}
	}
	n.Project = path.Base(path.Dir(log.Rel)) // the key, from data.json
	return n
}

func contents(t *testing.T, log readers.Log) []byte {
	t.Helper()
	data, err := os.ReadFile(log.Path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (n *tally) message(r rawLine, results map[string]string) {
	n.Input += r.Usage.Input
	n.Output += r.Usage.Output
	if r.UIContent == "Chat history compacted successfully." {
		n.Summaries++
	}
	var text string
	var parts []rawPart
	if json.Unmarshal(r.Content, &text) == nil {
		parts = []rawPart{{Type: "text", Text: text}}
	} else if err := json.Unmarshal(r.Content, &parts); err != nil {
		panic(err)
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			n.text(p)
		case "reasoning":
			n.ThinkingBytes += len(p.Text)
		case "tool_use":
			n.Calls++
		case "tool-result", "tool_result":
			var text string
			if err := json.Unmarshal(p.Result.LLMContent, &text); err != nil {
				panic(err)
			}
			if p.AgentID != "" {
				n.Agents++
			}
			if id := p.ToolCallID + p.ID; results[id] == "" || !strings.Contains(text, "skipped due to") {
				results[id] = text
			}
		}
	}
}

func (n *tally) text(p rawPart) {
	switch {
	case p.Hidden:
		return
	case p.Text == "[Request interrupted by user]":
		n.Markers++
	case strings.HasPrefix(p.Text, "<bash-"):
		n.Shell++
	}
	n.TextBytes += len(p.Text)
	if strings.HasPrefix(p.Text, "<bash-input>") { // a row has it as typed, behind !
		n.TextBytes -= len("<bash-input></bash-input>") - len("!")
	}
}

// countData returns the tally of data.json.
func countData(t *testing.T, log readers.Log) tally {
	t.Helper()
	var d rawData
	if err := json.Unmarshal(contents(t, log), &d); err != nil {
		t.Fatal(err)
	}
	n := tally{Records: 2}
	for _, p := range d.Projects {
		n.Inputs += len(p.History)
		for _, text := range p.History {
			if strings.HasPrefix(text, "/") {
				n.Commands++
			}
		}
	}
	n.Records += n.Inputs
	return n
}

// read returns the tally of the reader's rows. A call that waited when the user pressed
// Esc counts as refused here, because its result says so.
func read(t *testing.T, root string, log readers.Log) tally {
	t.Helper()
	var n tally
	for table, rows := range load(t, root, log.Rel) {
		for _, row := range rows {
			n.row(t, table, row)
		}
	}
	return n
}

func (n *tally) row(t *testing.T, table string, row tables.Row) {
	number := func(column string) int { v, _ := row[column].(int64); return int(v) }
	text := func(column string) string { v, _ := row[column].(string); return v }
	switch table {
	case "sessions":
		n.Titles = text("title")
	case "own_names":
		n.Project = strings.Join(row["project_keys"].([]string), " ")
	case "messages":
		n.Messages++
		n.Input += number("input_tokens")
		n.Output += number("output_tokens")
		n.TextBytes += len(text("text"))
		n.ThinkingBytes += len(text("thinking"))
		switch row["kind"] {
		case tables.KindInterruption:
			n.Markers++
		case tables.KindCommand, tables.KindCommandOutput:
			n.Shell++
		}
	case "tool_calls":
		n.Calls++
		switch {
		case strings.Contains(text("output"), "denied by user"):
			n.Refused++
		case row["status"] == tables.StatusRejected:
			n.Refused++
		case row["status"] == tables.StatusSkipped:
			n.Skipped++
		case row["status"] == tables.StatusOK:
			n.Ran++
		}
		if row["subagent_session_id"] != nil {
			n.Agents++
		}
	case "rejections":
		n.Reasons += len(text("reason"))
	case "compactions":
		n.Summaries++
	case "prompts":
		n.Inputs++
		if row["is_command"] == true {
			n.Commands++
		}
	case "file_kinds":
		n.Records += number("lines")
		if row["known"] == false {
			t.Errorf("unknown kind: %v", row)
		}
	case "problems":
		t.Errorf("%v", row)
	}
}

// Every record of real logs is accounted for. Each file's counts equal the independent
// ones.
func TestCorpus(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "home"), ".neovate")
	logs, err := neovate.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, log := range logs {
		var want tally
		if log.Rel == "data.json" {
			want = countData(t, log)
		} else {
			want = count(t, log)
		}
		if diff := cmp.Diff(want, read(t, root, log)); diff != "" {
			t.Errorf("%s (-counted +read):\n%s", log.Rel, diff)
		}
		records += want.Records
	}
	if len(logs) != 43 || records != 313 {
		t.Errorf("%d logs with %d records, want 43 with 313", len(logs), records)
	}
}
