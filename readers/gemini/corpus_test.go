package gemini_test

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
	"hindsql/readers/gemini"
	"hindsql/tables"
)

// Counts in the collection's own README, made without this program.
const (
	corpusSessions  = 97 // files named session-…
	corpusCancelled = 6
	corpusDeclined  = 2
)

// tally holds the counts of logs, made twice: with encoding/json, and by the reader.
type tally struct {
	Sessions, Records, Messages, Inputs, Clears   int
	Calls, Cancelled, Declined, Policy, Notices   int
	Tokens, Cached, Thoughts, Output, OutputBytes int
}

// Parts of the format for the independent count.
type (
	rawChat struct {
		rawMessage
		SessionID string `json:"sessionId"`
		Messages  []rawMessage
		Set       *struct{ Messages []rawMessage } `json:"$set"`
	}
	rawMessage struct {
		ID, Type  string
		Content   json.RawMessage
		Tokens    struct{ Total, Cached, Thoughts, Output int }
		ToolCalls []struct {
			ID, Status string
			Result     []struct {
				FunctionResponse struct {
					Response struct{ Output, Error string }
				}
			}
		}
	}
)

// count returns one file's tally. Of a message's and a call's states, the last is
// counted; of a call's outputs, the first.
func count(t *testing.T, log readers.Log) tally {
	t.Helper()
	data, err := os.ReadFile(log.Path)
	if err != nil {
		t.Fatal(err)
	}
	var n tally
	if path.Base(log.Rel) == "logs.json" {
		var inputs []struct{ Message string }
		if err := json.Unmarshal(data, &inputs); err != nil {
			t.Fatal(err)
		}
		for _, in := range inputs {
			if strings.HasPrefix(in.Message, "/clear") {
				n.Clears++
			}
		}
		n.Inputs, n.Records = len(inputs), len(inputs)
		return n
	}
	if strings.HasPrefix(path.Base(log.Rel), "session-") {
		n.Sessions++
	}
	messages := map[string]rawMessage{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	for decoder.More() {
		var r rawChat
		if err := decoder.Decode(&r); err != nil {
			t.Fatalf("%s: %v", log.Rel, err)
		}
		n.Records += 1 + len(r.Messages)
		list := r.Messages
		if r.ID != "" {
			list = append(list, r.rawMessage)
		}
		if r.Set != nil {
			list = append(list, r.Set.Messages...)
		}
		for _, m := range list {
			messages[m.ID] = later(messages[m.ID], m)
		}
	}
	for _, m := range messages {
		n.message(m)
	}
	return n
}

// later keeps the first output of each call.
func later(before, m rawMessage) rawMessage {
	for i, c := range m.ToolCalls {
		for _, old := range before.ToolCalls {
			if old.ID == c.ID {
				m.ToolCalls[i].Result = old.Result
			}
		}
	}
	return m
}

func (n *tally) message(m rawMessage) {
	n.Messages++
	n.Tokens += m.Tokens.Total
	n.Cached += m.Tokens.Cached
	n.Thoughts += m.Tokens.Thoughts
	n.Output += m.Tokens.Output + m.Tokens.Thoughts
	if m.Type == "info" && string(m.Content) == `"Request cancelled."` {
		n.Notices++
	}
	for _, c := range m.ToolCalls {
		n.Calls++
		answer := c.Result[0].FunctionResponse.Response
		switch {
		case c.Status == "cancelled":
			n.Cancelled++
			if strings.HasSuffix(answer.Error, "User denied execution.") {
				n.Declined++
			}
		case strings.HasPrefix(answer.Error, "Tool execution denied by policy"):
			n.Policy++
		case c.Status == "success":
			n.OutputBytes += len(answer.Output)
		}
	}
}

// read returns the tally of the reader's rows.
func read(t *testing.T, log readers.Log) tally {
	t.Helper()
	b := tables.NewBatch(nil)
	defer b.Release()
	gemini.Reader.Load(log, tables.Source{Agent: "gemini", Path: log.Path}).AppendTo(b)
	var n tally
	for _, table := range tables.All() {
		if table.Loaded() {
			for _, row := range b.Rows(table) {
				n.row(t, table.Name, row)
			}
		}
	}
	return n
}

func (n *tally) row(t *testing.T, table string, row tables.Row) {
	number := func(column string) int { v, _ := row[column].(int64); return int(v) }
	switch table {
	case "sessions":
		if row["kind"] != tables.SessionSubagent {
			n.Sessions++
		}
	case "messages":
		n.Messages++
		n.Tokens += number("input_tokens") + number("cache_read_tokens") + number("output_tokens")
		n.Cached += number("cache_read_tokens")
		n.Thoughts += number("reasoning_tokens")
		n.Output += number("output_tokens")
	case "tool_calls":
		n.Calls++
		switch row["status"] {
		case tables.StatusInterrupted, tables.StatusRejected, tables.StatusSkipped:
			n.Cancelled++
		case tables.StatusOK:
			output, _ := row["output"].(string)
			n.OutputBytes += len(output)
		}
	case "rejections":
		if row["decided_by"] == tables.ByUser {
			n.Declined++
		} else {
			n.Policy++
		}
	case "interruptions":
		if row["type"] == tables.InterruptedByUser {
			n.Notices++
		}
	case "prompts":
		n.Inputs++
	case "clear_marks":
		if row["evidence"] != tables.EvidenceProcess {
			n.Clears++
		}
	case "file_kinds":
		if kind, _ := row["kind"].(string); !strings.Contains(kind, "content/") {
			n.Records += number("lines")
		}
		if row["known"] == false {
			t.Errorf("unknown kind: %v", row)
		}
	case "problems":
		t.Errorf("%v", row)
	}
}

func (n *tally) add(one tally) {
	n.Sessions, n.Records, n.Messages = n.Sessions+one.Sessions, n.Records+one.Records, n.Messages+one.Messages
	n.Cancelled, n.Declined = n.Cancelled+one.Cancelled, n.Declined+one.Declined
}

// TestCorpus: every record of real logs is counted under a kind, and each file's counts
// equal those that count made without the reader.
func TestCorpus(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "home"), ".gemini")
	logs, err := gemini.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	var all tally
	for _, log := range logs {
		want := count(t, log)
		if diff := cmp.Diff(want, read(t, log)); diff != "" {
			t.Errorf("%s (-counted +read):\n%s", log.Rel, diff)
		}
		all.add(want)
	}
	if all.Sessions != corpusSessions || all.Cancelled != corpusCancelled || all.Declined != corpusDeclined {
		t.Errorf("%d sessions, %d cancelled, %d of them declined; want %d, %d, %d",
			all.Sessions, all.Cancelled, all.Declined, corpusSessions, corpusCancelled, corpusDeclined)
	}
	t.Logf("%d records, %d messages", all.Records, all.Messages)
}
