package kimi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/kimi"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

// tally holds the counts of a log, made twice: with encoding/json, and by the reader.
type tally struct {
	Records, Prompts, Responses, Calls, Results, Refused, Granted int
	Stops, Compactions, Input, Output, Cached, Inputs             int
}

// rawLine holds the fields for the independent count.
type rawLine struct {
	Type, Kind, ToolCallID, Content, Reason, StopReason string
	Message                                             json.RawMessage
	Event                                               struct{ Type, ToolCallID, StepUUID string }
	Result                                              struct{ Decision string }
	Response                                            json.RawMessage
	Usage                                               struct{ InputOther, Output, InputCacheRead int }
}

func count(t *testing.T, log readers.Log) (n tally) {
	t.Helper()
	data, err := os.ReadFile(log.Path)
	if err != nil {
		t.Fatal(err)
	}
	calls, steps, questions := map[string]bool{}, map[string]bool{}, 0
	for line := range bytes.Lines(data) {
		var r rawLine
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", log.Rel, err)
		}
		n.Records++
		switch {
		case r.Content != "":
			n.Inputs++
		case r.Kind == "event":
		case r.Event.Type == "tool.result":
			n.Results++
		case r.Event.Type == "content.part" || r.Event.Type == "tool.call":
			steps[r.Event.StepUUID] = true
			if r.Event.ToolCallID != "" {
				calls[r.Event.ToolCallID] = true
			}
		case r.Type == "interaction.request":
			calls[r.ToolCallID] = true
		case r.Type == "interaction.resolved" && bytes.Contains(r.Response, []byte(`"answers"`)):
			questions++
		default:
			n.line(r)
		}
	}
	n.Calls, n.Responses, n.Granted = len(calls), len(steps), n.Granted+questions
	return n
}

// line counts a line of no step and no dialog.
func (n *tally) line(r rawLine) {
	switch {
	case r.Type == "context.append_message" && bytes.Contains(r.Message, []byte(`"origin":{"kind":"user"`)):
		n.Prompts++
	case r.Type == "permission.record_approval_result" && r.Result.Decision == "approved":
		n.Granted++
	case r.Type == "permission.record_approval_result":
		n.Refused++
	case r.Type == "turn.cancel", r.Type == "turn.ended" && (r.Reason == "failed" || r.StopReason != ""):
		n.Stops++
	case r.Type == "context.apply_compaction":
		n.Compactions++
	case r.Type == "usage.record":
		n.Input, n.Output, n.Cached = n.Input+r.Usage.InputOther, n.Output+r.Usage.Output, n.Cached+r.Usage.InputCacheRead
	}
}

// row counts a row of the reader.
func (n *tally) row(t *testing.T, table string, row tables.Row) {
	number := func(column string) int { v, _ := row[column].(int64); return int(v) }
	switch table {
	case "messages":
		n.message(row["kind"])
		n.Input, n.Output, n.Cached = n.Input+number("input_tokens"), n.Output+number("output_tokens"), n.Cached+number("cache_read_tokens")
	case "tool_calls":
		n.Calls++
		if row["decision"] == tables.Granted && row["decided_by"] == tables.ByUser {
			n.Granted++
		}
	case "rejections":
		if row["decided_by"] == tables.ByUser {
			n.Refused++
		}
	case "interruptions":
		n.Stops++
	case "compactions":
		n.Compactions++
	case "prompts":
		n.Inputs++
	case "file_kinds":
		if n.Records += number("lines"); row["known"] == false {
			t.Errorf("unknown kind: %v", row)
		}
	case "file_fields", "problems":
		t.Errorf("%s: %v", table, row)
	}
}

func (n *tally) message(kind any) {
	switch kind {
	case tables.KindPrompt:
		n.Prompts++
	case tables.KindResponse:
		n.Responses++
	case tables.KindToolResult:
		n.Results++
	}
}

// Every record of real logs is accounted for. Each file's counts equal the independent
// ones.
func TestCorpus(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "agents-3"), ".kimi-code")
	logs, err := kimi.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	wires := 0
	for _, log := range logs {
		data, err := os.ReadFile(log.Path)
		if err != nil {
			t.Fatal(err)
		}
		var got tally
		for table, rows := range readertest.RowsOf(kimi.Reader, log.Rel, string(data)) {
			for _, row := range rows {
				got.row(t, table, row)
			}
		}
		if diff := cmp.Diff(count(t, log), got); diff != "" {
			t.Errorf("%s (-counted +read):\n%s", log.Rel, diff)
		}
		if path.Base(log.Rel) == "wire.jsonl" {
			wires++
		}
	}
	if wires != 40 {
		t.Errorf("%d wires, want 40", wires)
	}
}

// The real wires are small. Joined, and repeated three times, they make a wire as long as
// a day's.
func BenchmarkReader(b *testing.B) {
	root := b.TempDir()
	for day := range 10 {
		folder := filepath.Join(root, "sessions", "wd_w_0", fmt.Sprintf("session_%d", day), "agents", "main")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "wire.jsonl"), longWire(b), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	readertest.Bench(b, kimi.Reader, root)
}

func longWire(b *testing.B) []byte {
	paths, err := filepath.Glob(filepath.Join(corpus.Home(b, "agents-3"), ".kimi-code", "sessions", "*", "*", "agents", "main", "wire.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	var long bytes.Buffer
	for i := range 3 {
		again := strings.NewReplacer(`uuid":"`, fmt.Sprintf(`uuid":"%d-`, i), `Uuid":"`, fmt.Sprintf(`Uuid":"%d-`, i), `Id":"`, fmt.Sprintf(`Id":"%d-`, i), `"id":"`, fmt.Sprintf(`"id":"%d-`, i))
		for _, name := range paths {
			data, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			long.WriteString(again.Replace(string(data)))
		}
	}
	return long.Bytes()
}
