package gemini_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/gemini"
	"hindsql/tables"
)

// ends counts the facts of a session that its scenario's name may mention.
type ends struct {
	Stops       int // by the user
	SystemStops int
	Refusals    int
	Clears      int
	Compactions int
	Failures    int // calls with an exit code other than 0
}

// labelled lists the recorded scenarios and their facts, written by hand from the
// files.
var labelled = map[string]ends{
	"1-1_session-start":                  {},
	"1-3_long-idle-live-session":         {},
	"1-4_session-resume":                 {},
	"1-8_model-context-display":          {},
	"2-1_basic-turn":                     {},
	"2-2_auto-executed-tool-call":        {},
	"2-3_task-list":                      {},
	"2-4_self-correction-iteration":      {Failures: 1},
	"2-5_synchronous-slash-command":      {},
	"2-6_long-agentic-session-stress":    {},
	"2-12_context-compaction":            {Compactions: 1},
	"2-13_turn-end-terminal-text":        {},
	"2-14_turn-aborted-by-error":         {SystemStops: 1}, // the error, and the hint to look it up
	"2-16_oversized-transcript-line":     {Failures: 1},
	"2-21_streaming-partial-writes":      {},
	"3-3_background-process":             {},
	"3-4_subagent-orphan-cleanup":        {}, // killed from outside, without a trace
	"4-2_multiple-agents-same-workspace": {},
	"5-3_model-switch-midsession":        {},
	"5-8_task-estimate-marker":           {},
}

// TestLabelled: the rows of each recorded scenario show the facts that its name
// promises, for example one refusal, and no others.
func TestLabelled(t *testing.T) {
	home := corpus.Home(t, "labelled")
	manifest, err := os.ReadFile(filepath.Join(filepath.Dir(home), "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for line := range strings.Lines(string(manifest)) {
		columns := strings.Split(line, "\t")
		rel, below := strings.CutPrefix(columns[0], ".gemini/")
		if !below {
			continue
		}
		scenario := strings.TrimPrefix(columns[3], "scenarios/")
		want, written := labelled[scenario]
		if !written {
			t.Errorf("%s: nothing is written of it", scenario)
		}
		met[scenario] = true
		if got := endsOf(t, filepath.Join(home, ".gemini"), rel); got != want {
			t.Errorf("%s: %+v, want %+v", scenario, got, want)
		}
	}
	for scenario := range labelled {
		if !met[scenario] {
			t.Errorf("%s: no such recording", scenario)
		}
	}
}

func endsOf(t *testing.T, root, rel string) ends {
	t.Helper()
	b := tables.NewBatch(nil)
	defer b.Release()
	path := filepath.Join(root, filepath.FromSlash(rel))
	gemini.Reader.Load(readers.Log{Root: root, Rel: rel, Path: path}, tables.Source{Agent: "gemini", Path: path}).AppendTo(b)
	var e ends
	for _, table := range tables.All() {
		if !table.Loaded() {
			continue
		}
		for _, row := range b.Rows(table) {
			e.count(table.Name, row)
			if table.Name == "problems" || row["known"] == false {
				t.Errorf("%s: %v", rel, row)
			}
		}
	}
	return e
}

func (e *ends) count(table string, row tables.Row) {
	switch table {
	case "interruptions":
		if row["type"] == tables.InterruptedByUser {
			e.Stops++
		} else {
			e.SystemStops++
		}
	case "rejections":
		e.Refusals++
	case "clear_marks":
		e.Clears++
	case "compactions":
		e.Compactions++
	case "tool_calls":
		if code, ok := row["exit_code"].(int64); ok && code != 0 {
			e.Failures++
		}
	}
}
