package vscode_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/vscode"
	"hindsql/tables"
)

// happened is a person's finding about an export, made by reading it.
type happened struct {
	Calls      int      // of the model and its subagents
	Sidechains int      // calls of subagents
	Own        int      // tools that VS Code ran by itself
	Refused    []string // tools of the calls that the user refused
	Undone     int      // edits undone later
	Stops      []string // phase, tool and the rest of the cut answer
	Granted    map[string]int
	Failed     map[string]int // calls, by error_type
}

// A person's findings about newer exports.
var recent = map[string]happened{
	"ElekDTomi+parking-system-chat2@a5c285.json": {
		Calls: 17, Own: 8,
		Granted: map[string]int{"user": 2, "rule": 5},
		Failed:  map[string]int{"invalid_call": 1},
	},
	// The stop of request 1 marked a call as skipped that the model had left long
	// before.
	"ElekDTomi+parking-system-chat@c038c2.json": {
		Calls: 77, Sidechains: 34, Own: 19,
		Refused: []string{"run_in_terminal"},
		Stops:   []string{"response", "approval run_in_terminal"},
		Granted: map[string]int{"user": 8, "rule": 1},
		Failed:  map[string]int{"invalid_call": 1},
	},
	// The command of request 2 never ran, though its result names a stopped call.
	"bunty1981+AI-copilot-vibe-app-copilot-chat@34d6b3.json": {
		Calls:   40,
		Stops:   []string{"approval run_in_terminal", "response create_file"},
		Granted: map[string]int{"user": 3, "rule": 16},
		Failed:  map[string]int{"other": 3},
	},
	"martha-ketsela-mengistu+automation-auditor-docs__chat@332d6b.json": {
		Calls:   47,
		Undone:  3,
		Stops:   []string{"response apply_patch"},
		Granted: map[string]int{"user": 7},
		Failed:  map[string]int{"exit_code": 1, "invalid_call": 1, "other": 4},
	},
}

// TestRecent compares the reader's rows of the exports with a person's findings.
func TestRecent(t *testing.T) {
	home := corpus.Home(t, "recent")
	logs, err := vscode.Reader.Find([]readers.Place{{Path: filepath.Join(home, "chat-exports")}})
	if err != nil || len(logs) != len(recent) {
		t.Fatalf("%d exports (%v), want %d", len(logs), err, len(recent))
	}
	for _, log := range logs {
		b := tables.NewBatch(nil)
		vscode.Reader.Load(log, tables.Source{Agent: "vscode", Path: log.Path}).AppendTo(b)
		got := happenedIn(b)
		b.Release()
		if diff := cmp.Diff(recent[filepath.Base(log.Path)], got); diff != "" {
			t.Errorf("%s (-by hand +read):\n%s", filepath.Base(log.Path), diff)
		}
	}
}

func happenedIn(b *tables.Batch) happened {
	h := happened{Granted: map[string]int{}, Failed: map[string]int{}}
	for _, row := range b.Rows(table("tool_calls")) {
		h.Calls++
		if strings.Contains(row["extra"].(string), "subagent_invocation_id") {
			h.Sidechains++
		}
		if by, _ := row["decided_by"].(string); row["decision"] == tables.Granted {
			h.Granted[by]++
		}
		if row["edit_kept"] == tables.EditUndone {
			h.Undone++
		}
		if kind, _ := row["error_type"].(string); kind != "" {
			h.Failed[kind]++
		}
	}
	for _, row := range b.Rows(table("rejections")) {
		name, _ := row["tool_name"].(string)
		h.Refused = append(h.Refused, name)
	}
	for _, row := range b.Rows(table("interruptions")) {
		words := []string{row["phase"].(string)}
		for _, column := range []string{"tool_name", "partial_output"} {
			if s, _ := row[column].(string); s != "" {
				words = append(words, s)
			}
		}
		h.Stops = append(h.Stops, strings.Join(words, " "))
	}
	for _, row := range b.Rows(table("file_kinds")) {
		if lines, _ := row["lines"].(int64); row["kind"] == "tool part content/(VS Code's own, no call)" {
			h.Own = int(lines)
		}
	}
	return h
}
