package pi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/pi"
	"hindsql/tables"
)

// tally holds the counts of a log, made twice: with encoding/json, and by the reader.
type tally struct {
	Records, Prompts, Responses, Results, Commands int
	Calls, Failed, Input, Output, Cached           int
	TextBytes, ThinkingBytes                       int
	Micros                                         int // millionths of a dollar
	ID, Project, Title                             string
}

// rawLine holds the fields for the independent count.
type rawLine struct {
	Type, ID, Cwd, Name string
	Message             struct {
		Role       string
		Content    []struct{ Type, Text, Thinking string }
		Command    string
		Output     string
		IsError    bool
		StopReason string
		Usage      struct {
			Input, Output, CacheRead int
			Cost                     struct{ Total float64 }
		}
	}
	Summary string
}

func count(t *testing.T, log readers.Log) (n tally) {
	t.Helper()
	data, err := os.ReadFile(log.Path)
	if err != nil {
		t.Fatal(err)
	}
	cost := 0.0
	for line := range bytes.Lines(data) {
		var r rawLine
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", log.Rel, err)
		}
		n.Records++
		cost += r.Message.Usage.Cost.Total
		n.line(r)
	}
	n.Micros = int(cost*1e6 + 0.5)
	return n
}

func (n *tally) line(r rawLine) {
	switch r.Type + r.Message.Role {
	case "session":
		n.ID, n.Project = r.ID, r.Cwd
	case "session_info":
		n.Title = r.Name
	case "compaction":
		n.TextBytes += len(r.Summary)
	case "messageuser":
		n.Prompts++
	case "messageassistant":
		n.Responses++
	case "messagetoolResult":
		n.Results++
		if r.Message.IsError {
			n.Failed++
		}
	case "messagebashExecution":
		n.Commands++
		n.TextBytes += len("!") + len(r.Message.Command) + len(r.Message.Output)
	}
	n.Input += r.Message.Usage.Input
	n.Output += r.Message.Usage.Output
	n.Cached += r.Message.Usage.CacheRead
	for _, p := range r.Message.Content {
		if p.Type == "toolCall" {
			n.Calls++
		}
		if r.Message.Role != "toolResult" && r.Message.StopReason != "error" { // an error's text is in no part
			n.TextBytes += len(p.Text)
		}
		n.ThinkingBytes += len(p.Thinking)
	}
}

// read returns the tally of the reader's rows.
func read(t *testing.T, root string, log readers.Log) (n tally) {
	t.Helper()
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
		n.ID, n.Project, n.Title = text("session_id"), text("project"), text("title")
		cost, _ := row["cost_usd"].(float64)
		n.Micros = int(cost*1e6 + 0.5)
	case "messages":
		n.message(row["kind"])
		n.Input += number("input_tokens")
		n.Output += number("output_tokens")
		n.Cached += number("cache_read_tokens")
		n.ThinkingBytes += len(text("thinking"))
		if row["kind"] != tables.KindError {
			n.TextBytes += len(text("text"))
		}
	case "tool_calls":
		n.Calls++
		if row["is_error"] == true {
			n.Failed++
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

func (n *tally) message(kind any) {
	switch kind {
	case tables.KindPrompt:
		n.Prompts++
	case tables.KindResponse, tables.KindError:
		n.Responses++
	case tables.KindToolResult:
		n.Results++
	case tables.KindCommand:
		n.Commands++
	}
}

// Every record of real logs is accounted for. Each file's counts equal the independent
// ones.
func TestCorpus(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "new-agents"), ".pi", "agent", "sessions")
	logs, err := pi.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, log := range logs {
		want, got := count(t, log), read(t, root, log)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-counted +read):\n%s", log.Rel, diff)
		}
		records += want.Records
	}
	if len(logs) != 42 {
		t.Errorf("%d logs with %d records; want 42", len(logs), records)
	}
}
