package claude_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/claude"
	"hindsql/tables"
)

// happened holds counts of a labelled session, made by hand: from the names of the
// scenarios and a look at the lines.
type happened struct {
	typed, programs, commands  int // prompts of a person, of a program; commands
	compactions, clears, forks int
}

// labelledSessions lists sessions by the beginning of the id. No scenario names a clear
// or a fork; one names a compaction.
var labelledSessions = map[string]happened{
	"65b75cc1": {},                                      // a result without its call
	"3510e1b4": {typed: 1},                              // session start
	"795deed3": {typed: 1},                              // session start
	"be498d73": {typed: 1},                              // workflow; a notification is no prompt
	"f319cfc0": {typed: 1},                              // plan mode
	"218673fa": {typed: 1},                              // plan mode
	"07f5cca9": {typed: 2},                              // two requests
	"2f7a33aa": {typed: 2, commands: 1},                 // one of the prompts was queued
	"2f3afc56": {typed: 5, commands: 1},                 // one of the prompts was queued
	"4da8d241": {typed: 1},                              // terminal text
	"6c9d6476": {typed: 1},                              // terminal text
	"ef21e42a": {programs: 1},                           // sdk-cli
	"db77c401": {typed: 2},                              // interrupted turn
	"9298e3d0": {typed: 1},                              // tool call
	"727af0e3": {typed: 2, commands: 1, compactions: 1}, // /compact
	"2bbb4a67": {typed: 1},                              // subagent
	"f4f66752": {typed: 1},                              // stress, cut short
	"b60feffb": {typed: 4},                              // stress
	"e4bfc1ca": {typed: 2},                              // idle between two turns
	"9763e0b2": {typed: 1, commands: 1},                 // /model, cut short
	"cf591bac": {typed: 2, commands: 2},                 // /model there and back
	"6f077d0e": {typed: 1},                              // a long line
	"6a6fda74": {typed: 1},                              // self-correction
	"628b6a8c": {typed: 4},                              // resumed under its id
	"9f1601b2": {typed: 1},                              // streaming
	"65fbf48c": {typed: 1},                              // orphaned subagent
	"ca2e5b6b": {typed: 1},                              // the slash command left no line
	"635339f8": {programs: 1},                           // basic turn, sdk-cli
	"8dcc178f": {programs: 1},                           // basic turn, sdk-cli
	"8ba5a9cc": {programs: 1},                           // tool call, sdk-cli
	"a6357d32": {programs: 1},                           // task list, sdk-cli
	"f8814b3b": {typed: 2},                              // aborted by an error
	"777d8b6d": {typed: 1},                              // two agents
	"054adc29": {typed: 1},                              // context display
	"d3e286c9": {typed: 1},                              // background task; its notification was queued
	"9046234b": {typed: 1},                              // architect and editor
	"a845d6c4": {typed: 7},                              // permissions
	"a9dda813": {typed: 5},                              // one of them queued
}

func TestLabelledSessions(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "labelled"), ".claude")
	logs, err := claude.Reader.Find([]readers.Place{{Path: root, From: "labelled"}})
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for _, log := range logs {
		id := filepath.Base(log.Path)[:8]
		want, ok := labelledSessions[id]
		if strings.HasPrefix(id, "agent-") {
			want, ok = happened{}, true // no person types into a subagent
		}
		if !ok {
			t.Errorf("%s: not in the list", log.Rel)
		}
		met[id] = true
		if got := happenedIn(log); got != want {
			t.Errorf("%s: %+v, want %+v", id, got, want)
		}
	}
	for id := range labelledSessions {
		if !met[id] {
			t.Errorf("%s: no such log", id)
		}
	}
}

func happenedIn(log readers.Log) (h happened) {
	batch := tables.NewBatch(nil)
	defer batch.Release()
	claude.Reader.Load(log, tables.Source{Agent: "claude", Path: log.Path}).AppendTo(batch)
	for _, table := range tables.All() {
		if !table.Loaded() {
			continue
		}
		for _, row := range batch.Rows(table) {
			switch {
			case table.Name == "compactions":
				h.compactions++
			case table.Name == "clear_marks":
				h.clears++
			case table.Name == "fork_marks":
				h.forks++
			case table.Name != "messages":
			case row["kind"] == tables.KindCommand:
				h.commands++
			case row["kind"] == tables.KindPrompt && row["typed_by"] == tables.TypedByHuman:
				h.typed++
			case row["kind"] == tables.KindPrompt:
				h.programs++
			}
		}
	}
	return h
}
