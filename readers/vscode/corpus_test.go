package vscode_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/vscode"
	"hindsql/tables"
)

// Counts of the collection, made without this reader.
const (
	corpusFiles    = 31 // 30 sessions and exports, of which one is empty, and a transcript
	corpusRequests = 452
	corpusRounds   = 192
	corpusCalls    = 127
	corpusTools    = 157 // shown tool calls
)

// tally holds the counts of a file, made twice: with encoding/json, and by the reader.
type tally struct {
	Requests, Removed, Rounds, Parts, RoundCalls, ToolParts int
	Stops, Failures, Input, Output                          int
	Results                                                 []string // texts, sorted
	RoundText                                               int      // bytes
}

// Parts of the format for the independent count.
type (
	rawSession struct{ Requests []rawRequest }
	rawRequest struct {
		RequestID                      string
		Response                       []json.RawMessage
		IsCanceled                     bool
		PromptTokens, CompletionTokens int
		ModelState                     *struct{ Value int }
		Result                         struct {
			Usage        struct{ PromptTokens, CompletionTokens int }
			ErrorDetails *struct{ Code string }
			Metadata     struct {
				ToolCallRounds []struct {
					Response  string
					ToolCalls []struct{ ID string }
				}
				ToolCallResults map[string]struct {
					Content []struct{ Value json.RawMessage }
				}
			}
		}
	}
	rawNode struct {
		Node            *rawNode
		Text            string
		LineBreakBefore bool
		Children        []rawNode
	}
)

func (n *rawNode) write(b *strings.Builder) {
	if n.LineBreakBefore && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteString("\n")
	}
	b.WriteString(n.Text)
	for i := range n.Children {
		n.Children[i].write(b)
	}
}

// state replays a log in the simplest way, and counts the requests that were removed on
// the way.
func state(t *testing.T, data []byte) (any, int) {
	t.Helper()
	var root any
	met := map[string]bool{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	for decoder.More() {
		var e struct {
			Kind int
			K    []any
			V    any
			I    *int
		}
		if err := decoder.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.Kind == 0 {
			root = e.V
		} else {
			root = changed(root, e.K, func(old any) any {
				if e.Kind == 1 {
					return e.V
				}
				list, _ := old.([]any)
				if e.I != nil {
					list = list[:*e.I]
				}
				tail, _ := e.V.([]any)
				return append(list[:len(list):len(list)], tail...)
			})
		}
		for id := range requestIDs(root) {
			met[id] = true
		}
	}
	return root, len(met) - len(requestIDs(root))
}

func changed(v any, keys []any, change func(any) any) any {
	if len(keys) == 0 {
		return change(v)
	}
	switch key := keys[0].(type) {
	case string:
		m := v.(map[string]any)
		m[key] = changed(m[key], keys[1:], change)
	case float64:
		list := v.([]any)
		list[int(key)] = changed(list[int(key)], keys[1:], change)
	}
	return v
}

func requestIDs(root any) map[string]bool {
	ids := map[string]bool{}
	list, _ := root.(map[string]any)["requests"].([]any)
	for _, r := range list {
		ids[r.(map[string]any)["requestId"].(string)] = true
	}
	return ids
}

// count returns one file's tally, made with encoding/json.
func count(t *testing.T, log readers.Log) tally {
	t.Helper()
	data, err := os.ReadFile(log.Path)
	if err != nil {
		t.Fatal(err)
	}
	n := tally{}
	if path.Ext(log.Rel) == ".jsonl" {
		var root any
		root, n.Removed = state(t, data)
		if data, err = json.Marshal(root); err != nil {
			t.Fatal(err)
		}
	}
	var s rawSession
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Requests {
		n.request(t, r)
	}
	return n
}

func (n *tally) request(t *testing.T, r rawRequest) {
	n.Requests++
	n.Parts += len(r.Response)
	n.Input += max(r.PromptTokens, r.Result.Usage.PromptTokens)
	n.Output += max(r.CompletionTokens, r.Result.Usage.CompletionTokens)
	switch failure := r.Result.ErrorDetails; {
	case r.IsCanceled || r.ModelState != nil && r.ModelState.Value == 2:
		n.Stops++
	case failure != nil:
		n.Failures++
	}
	for _, p := range r.Response {
		if bytes.Contains(p, []byte(`"kind":"toolInvocationSerialized"`)) || bytes.Contains(p, []byte(`"kind": "toolInvocationSerialized"`)) {
			n.ToolParts++
		}
	}
	for _, round := range r.Result.Metadata.ToolCallRounds {
		n.Rounds++
		n.RoundCalls += len(round.ToolCalls)
		n.RoundText += len(round.Response)
	}
	for _, result := range r.Result.Metadata.ToolCallResults {
		var text strings.Builder
		for _, c := range result.Content {
			var plain string
			if json.Unmarshal(c.Value, &plain) == nil {
				text.WriteString(plain)
				continue
			}
			var tree rawNode
			if err := json.Unmarshal(c.Value, &tree); err != nil {
				t.Fatal(err)
			}
			tree.Node.write(&text)
		}
		n.Results = append(n.Results, text.String())
		slices.Sort(n.Results)
	}
}

// read returns the tally of the reader's rows.
func read(t *testing.T, log readers.Log, want tally) tally {
	t.Helper()
	b := tables.NewBatch(nil)
	defer b.Release()
	vscode.Reader.Load(log, tables.Source{Agent: "vscode", Path: log.Path}).AppendTo(b)
	n := tally{}
	joined, own := 0, 0
	for _, table := range tables.All() {
		if !table.Loaded() {
			continue
		}
		for _, row := range b.Rows(table) {
			n.row(t, table.Name, row)
			if row["kind"] == "tool part content/(VS Code's own, no call)" {
				lines, _ := row["lines"].(int64)
				own += int(lines)
			}
			if table.Name != "tool_calls" {
				continue
			}
			if extra := row["extra"].(string); !strings.Contains(extra, `"join":"none"`) {
				joined++
			}
			if output, _ := row["output"].(string); slices.Contains(want.Results, output) {
				n.Results = append(n.Results, output)
				slices.Sort(n.Results)
			}
		}
	}
	if rows := len(b.Rows(table("tool_calls"))); rows != n.RoundCalls+n.ToolParts-joined-own {
		t.Errorf("%s: %d rows of tool_calls, want %d + %d - %d - %d", log.Rel, rows, n.RoundCalls, n.ToolParts, joined, own)
	}
	return n
}

func table(name string) *tables.Table {
	for _, t := range tables.All() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (n *tally) row(t *testing.T, table string, row tables.Row) {
	number := func(column string) int { v, _ := row[column].(int64); return int(v) }
	switch table {
	case "messages":
		n.Input += number("input_tokens")
		n.Output += number("output_tokens")
		uuid, _ := row["uuid"].(string)
		if text, _ := row["text"].(string); row["role"] == tables.RoleAssistant && !strings.Contains(uuid, "/response/") && !strings.HasSuffix(uuid, "/rest") && row["stop_reason"] == nil {
			n.RoundText += len(text)
		}
		if row["role"] == tables.RoleUser && row["is_active"] == false {
			n.Removed++
		}
	case "interruptions":
		if row["type"] == tables.InterruptedByUser {
			n.Stops++
		} else {
			n.Failures++
		}
	case "file_kinds":
		switch kind, _ := row["kind"].(string); {
		case kind == "session content/request":
			n.Requests += number("lines")
		case kind == "request content/round":
			n.Rounds += number("lines")
		case kind == "round content/call":
			n.RoundCalls += number("lines")
		case strings.HasPrefix(kind, "response content/"):
			n.Parts += number("lines")
			if kind == "response content/toolInvocationSerialized" {
				n.ToolParts += number("lines")
			}
		}
		if row["known"] == false {
			t.Errorf("unknown kind: %v", row)
		}
	case "problems":
		t.Errorf("%v", row)
	}
}

// TestCorpus: every request, part and round of real logs is counted under a kind, and
// each file's counts equal those made without the reader.
func TestCorpus(t *testing.T) {
	home := corpus.Home(t, "home")
	logs, err := vscode.Reader.Find([]readers.Place{{Path: filepath.Join(home, ".config", "Code")}, {Path: filepath.Join(home, "chat-exports")}})
	if err != nil || len(logs) != corpusFiles {
		t.Errorf("%d files (%v), want %d", len(logs), err, corpusFiles)
	}
	var all tally
	for _, log := range logs {
		if strings.Contains(log.Rel, "/transcripts/") {
			continue
		}
		want := count(t, log)
		all.Requests, all.Rounds = all.Requests+want.Requests, all.Rounds+want.Rounds
		all.RoundCalls, all.ToolParts = all.RoundCalls+want.RoundCalls, all.ToolParts+want.ToolParts
		got := read(t, log, want)
		want.Requests += want.Removed // the reader keeps removed requests
		got.Failures -= removedFailures[path.Base(log.Rel)]
		got.Parts -= removedParts[path.Base(log.Rel)]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-counted +read):\n%s", log.Rel, diff)
		}
	}
	if all.Requests != corpusRequests || all.Rounds != corpusRounds || all.RoundCalls != corpusCalls || all.ToolParts != corpusTools {
		t.Errorf("%d requests, %d rounds, %d calls, %d shown; want %d, %d, %d, %d", all.Requests, all.Rounds, all.RoundCalls, all.ToolParts,
			corpusRequests, corpusRounds, corpusCalls, corpusTools)
	}
}

// Contents of the requests that a log removed.
var (
	removedParts    = map[string]int{"d50c1ed6-cfc0-4b77-bbd2-f9f45726b5a8.jsonl": 1}
	removedFailures = map[string]int{"84a9b101-1e01-4579-8217-66c13cba73cb.jsonl": 1}
)
