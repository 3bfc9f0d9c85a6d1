package copilot_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/copilot"
	"hindsql/tables"
)

// tally holds the counts of a log, made twice: with encoding/json, and by the reader.
type tally struct {
	Records, Prompts, Responses, Injected, Results, Stops, Errors int
	Calls, TextBytes, ThinkingBytes, OutputBytes                  int
	Input, Output, CacheRead, CacheWrite                          int
	Project, Version                                              string
}

// rawEvent is the part of an event for the independent count.
type rawEvent struct {
	Type, AgentID string
	Data          struct {
		Content, ReasoningText, CopilotVersion, Source string
		IsAutopilotContinuation, IsUserRequested       bool
		OutputTokens                                   int
		ToolRequests                                   []json.RawMessage
		Context                                        struct{ Cwd string }
		Result                                         struct{ Content string }
		Error                                          struct{ Message string }
		Usage                                          rawUsage
		ModelMetrics                                   map[string]struct{ Usage rawUsage }
	}
}

type rawUsage struct{ InputTokens, OutputTokens, CacheReadTokens, CacheWriteTokens int }

// count returns a log's tally. Without usage records, it adds the last shutdown's
// totals, which include resumed processes.
func count(t *testing.T, log readers.Log) tally {
	t.Helper()
	data, err := os.ReadFile(log.Path)
	if err != nil {
		t.Fatal(err)
	}
	var n tally
	var total rawUsage
	for line := range bytes.Lines(data) {
		var e rawEvent
		if err := json.Unmarshal(line, &e); err != nil && e.Type == "" {
			t.Fatalf("%s: %v", log.Rel, err)
		}
		n.Records++
		n.event(e)
		if e.Type == "session.shutdown" {
			total = rawUsage{}
			for _, m := range e.Data.ModelMetrics {
				total.InputTokens += m.Usage.InputTokens
				total.CacheReadTokens += m.Usage.CacheReadTokens
				total.CacheWriteTokens += m.Usage.CacheWriteTokens
			}
		}
	}
	if n.Input == 0 {
		n.Input, n.CacheRead, n.CacheWrite = total.InputTokens-total.CacheReadTokens-total.CacheWriteTokens, total.CacheReadTokens, total.CacheWriteTokens
	}
	return n
}

func (n *tally) event(e rawEvent) {
	switch d := e.Data; e.Type {
	case "session.start":
		n.Project, n.Version = d.Context.Cwd, d.CopilotVersion
	case "user.message":
		n.TextBytes += len(d.Content)
		if e.AgentID == "" && d.Source == "" && !d.IsAutopilotContinuation {
			n.Prompts++
		} else {
			n.Injected++
		}
	case "assistant.message":
		n.Responses++
		n.Calls += len(d.ToolRequests)
		n.TextBytes += len(d.Content)
		n.ThinkingBytes += len(d.ReasoningText)
		n.Output += d.OutputTokens
	case "tool.execution_complete":
		if !d.IsUserRequested {
			n.Results++
			n.OutputBytes += len(d.Result.Content) + len(d.Error.Message)
		}
	case "abort":
		n.Stops++
	case "session.error":
		n.Errors++
	case "session.usage_record":
		u := d.Usage
		n.Input += u.InputTokens - u.CacheReadTokens - u.CacheWriteTokens
		n.Output, n.CacheRead, n.CacheWrite = n.Output+u.OutputTokens, n.CacheRead+u.CacheReadTokens, n.CacheWrite+u.CacheWriteTokens
	}
}

// read returns the tally of the reader's rows.
func read(t *testing.T, rows map[string][]tables.Row) tally {
	t.Helper()
	var n tally
	text := func(row tables.Row, column string) string { s, _ := row[column].(string); return s }
	number := func(row tables.Row, column string) int { i, _ := row[column].(int64); return int(i) }
	for _, m := range rows["messages"] {
		switch kind := m["kind"]; kind {
		case tables.KindPrompt:
			n.Prompts++
		case tables.KindInjected:
			n.Injected++
		case tables.KindResponse:
			n.Responses++
		case tables.KindToolResult:
			n.Results++
		case tables.KindInterruption:
			n.Stops++
		case tables.KindError:
			n.Errors++
		}
		if k := m["kind"]; k == tables.KindPrompt || k == tables.KindInjected || k == tables.KindResponse {
			n.TextBytes += len(text(m, "text"))
		}
		n.ThinkingBytes += len(text(m, "thinking"))
		n.Input, n.Output = n.Input+number(m, "input_tokens"), n.Output+number(m, "output_tokens")
		n.CacheRead, n.CacheWrite = n.CacheRead+number(m, "cache_read_tokens"), n.CacheWrite+number(m, "cache_write_tokens")
	}
	for _, c := range rows["tool_calls"] {
		n.Calls++
		n.OutputBytes += len(text(c, "output"))
	}
	for _, k := range rows["file_kinds"] {
		n.Records += number(k, "lines")
		if k["known"] == false {
			t.Errorf("unknown kind: %v", k)
		}
	}
	for _, s := range rows["sessions"] {
		if s["kind"] == tables.SessionMain {
			n.Project, n.Version = text(s, "project"), text(s, "agent_version")
		}
	}
	if len(rows["problems"]) > 0 {
		t.Errorf("%v", rows["problems"])
	}
	return n
}

// TestCorpus: every record of real logs is accounted for. Each log's counts equal the
// independent ones.
func TestCorpus(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "new-agents"), ".copilot")
	logs, err := copilot.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, log := range logs {
		if !strings.HasSuffix(log.Rel, ".jsonl") {
			continue
		}
		want := count(t, log)
		if diff := cmp.Diff(want, read(t, loadLog(t, root, log.Rel))); diff != "" {
			t.Errorf("%s (-counted +read):\n%s", log.Rel, diff)
		}
		records += want.Records
	}
	if len(logs) != 62 || records != 1005 {
		t.Errorf("%d logs with %d records, want 62 with 1005", len(logs), records)
	}
	if prompts := loadLog(t, root, "command-history-state.json")["prompts"]; len(prompts) != 31 || prompts[0]["text"] != "/help" {
		t.Errorf("%d prompts, the oldest %v", len(prompts), prompts[0])
	}
}
