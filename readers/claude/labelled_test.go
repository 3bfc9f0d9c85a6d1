package claude_test

import (
	"path"
	"path/filepath"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/claude"
	"hindsql/tables"
)

// stoppedOrRefused holds the stops and refusals in a recording, according to its label
// or name.
type stoppedOrRefused struct {
	scenario        string
	refused         int // by a person
	denied          int // by a rule
	stopped, failed int // interruptions by a person, by the system
}

// labelled is written by hand, from the manifest of the recordings and a look at each.
// Sessions are named by the first part of the id. Sessions not listed have no stop or
// refusal.
var labelled = map[string]stoppedOrRefused{
	"a845d6c4": {scenario: "15-permission-hooks", refused: 2, stopped: 2}, // Esc at the question, twice
	"db77c401": {scenario: "interrupted-turn", stopped: 1},                // Esc while it answered
	"f8814b3b": {scenario: "2-14_turn-aborted-by-error", failed: 2},       // the API's errors
	"2f3afc56": {scenario: "08-issue-114-stuck-working-a", denied: 1},     // a long sleep, blocked by a built-in check
	"2f7a33aa": {scenario: "09-issue-114-stuck-working-b", denied: 1},     // a long sleep, blocked by a built-in check
	"218673fa": {scenario: "2-18_user-blocking-plan-mode-approval"},       // no plan came up for a decision
	"f319cfc0": {scenario: "2-18_user-blocking-plan-mode-approval"},       // the plan was never answered
	"65b75cc1": {scenario: "05-bug-c-orphan-toolresult"},                  // a call without a result
	"65fbf48c": {scenario: "3-4_subagent-orphan-cleanup"},                 // the program was killed
	"9298e3d0": {scenario: "2-2_auto-executed-tool-call"},                 // nothing was asked
	"ca2e5b6b": {scenario: "2-5_synchronous-slash-command"},               // a command, but no clear
	"727af0e3": {scenario: "2-12_context-compaction"},                     // no refusal
	"ef21e42a": {scenario: "agent-imperative-pending"},                    // a question in the answer's text
	"d3e286c9": {scenario: "3-3_background-process"},                      // a process that outlives its call
}

const labelledLogs = 38

// TestLabelled: the rows of each recording show exactly the interruptions and refusals
// that the recording was made to show.
func TestLabelled(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "labelled"), ".claude")
	logs, err := claude.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(logs) != labelledLogs {
		t.Fatalf("%d logs, want %d", len(logs), labelledLogs)
	}
	met := 0
	for _, log := range logs {
		want, listed := labelled[path.Base(log.Rel)[:8]]
		if listed {
			met++
		}
		if got := stopsIn(log, want.scenario); got != want {
			t.Errorf("%s: %+v, want %+v", path.Base(log.Rel), got, want)
		}
	}
	if met != len(labelled) {
		t.Errorf("%d of %d listed recordings are there", met, len(labelled))
	}
}

func stopsIn(log readers.Log, scenario string) stoppedOrRefused {
	b := tables.NewBatch(nil)
	defer b.Release()
	claude.Reader.Load(log, tables.Source{Agent: "claude", Path: log.Path}).AppendTo(b)
	is := stoppedOrRefused{scenario: scenario}
	for _, table := range tables.All() {
		if !table.Loaded() {
			continue
		}
		for _, row := range b.Rows(table) {
			switch {
			case table.Name == "rejections" && row["decided_by"] == tables.ByUser:
				is.refused++
			case table.Name == "rejections":
				is.denied++
			case table.Name == "interruptions" && row["type"] == tables.InterruptedByUser:
				is.stopped++
			case table.Name == "interruptions":
				is.failed++
			}
		}
	}
	return is
}
