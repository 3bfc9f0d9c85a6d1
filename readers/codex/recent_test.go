package codex_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/codex"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

// What happened in each turn of the newest logs, written by hand: the session
// by the last part of its id, and for each prompt, in order, its scenario and
// what became of the calls. A script's calls stand in brackets behind it.
var recent = map[string][]string{
	"3bd750750906": {
		"plain: command error 2",
		"plainesc: command ok 0",
		"plainesc: command ok 0",
		"plainesc: command ok 0",
		"dpar: command ok 0, command ok 0",
		"dpatchin: edit ok 0",
		"dpatch: edit ok 0",
		"dpatch: edit ok 0",
		"dslow: command interrupted",
	},
}

// loaded is what a test looks at of one log's rows.
type loaded struct {
	id                          string
	messages, calls, rejections []tables.Row
}

func load(t *testing.T, home string) map[string]*loaded {
	t.Helper()
	logs, err := codex.Reader.Find([]readers.Place{{Path: path.Join(home, ".codex"), From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*loaded{}
	for _, log := range logs {
		b := tables.NewBatch(nil)
		codex.Reader.Load(log, tables.Source{Agent: "codex", Path: log.Path}).AppendTo(b)
		l := &loaded{}
		for _, table := range tables.All() {
			if !table.Loaded() {
				continue
			}
			switch rows := b.Rows(table); table.Name {
			case "messages":
				l.messages = rows
			case "tool_calls":
				l.calls = rows
			case "rejections":
				l.rejections = rows
			}
		}
		b.Release()
		name := strings.TrimSuffix(path.Base(log.Rel), ".jsonl")
		all[name[max(0, len(name)-12):]] = l
	}
	return all
}

// turns says of each prompt that names a scenario what became of its calls.
func (l *loaded) turns() []string {
	var turns []string
	at := -1
	for i, m := range l.messages {
		text, _ := m["text"].(string)
		_, scenario, ok := strings.Cut(text, "S:")
		if m["kind"] != tables.KindPrompt || !ok {
			continue
		}
		if at >= 0 {
			turns[len(turns)-1] += l.ended(at, i)
		}
		at = i
		turns = append(turns, strings.TrimSpace(scenario)+":")
	}
	if at >= 0 {
		turns[len(turns)-1] += l.ended(at, len(l.messages))
	}
	return turns
}

// ended says how the calls between two messages ended, and who refused them.
func (l *loaded) ended(from, to int) string {
	text := ""
	for _, c := range l.calls {
		if i := c["message_index"].(int64); i >= int64(from) && i < int64(to) && c["parent_tool_use_id"] == nil {
			text += ", " + l.call(c)
			children := ""
			for _, child := range l.calls {
				if child["parent_tool_use_id"] == c["tool_use_id"] {
					children += ", " + l.call(child)
				}
			}
			if children != "" {
				text += " [" + children[2:] + "]"
			}
		}
	}
	if text == "" {
		return " no call"
	}
	return text[1:]
}

func (l *loaded) call(c tables.Row) string {
	text := fmt.Sprint(c["tool_kind"], " ", c["status"])
	if code, ok := c["exit_code"]; ok {
		text += fmt.Sprint(" ", code)
	}
	if why, ok := c["error_type"]; ok && why != tables.ErrorExitCode {
		text += fmt.Sprint(" ", why)
	}
	for _, r := range l.rejections {
		if r["tool_use_id"] == c["tool_use_id"] {
			text += fmt.Sprint(" by ", r["decided_by"])
			if r["evidence"] != tables.EvidenceRecorded {
				text += fmt.Sprint(" ", r["evidence"])
			}
		}
	}
	return text
}

// The calls of each turn of the newest logs end as they did.
func TestRecent(t *testing.T) {
	all := load(t, readertest.CorpusOf(t, "recent"))
	for id, want := range recent {
		if all[id] == nil {
			t.Errorf("no log %s", id)
			continue
		}
		got := all[id].turns()
		for i, line := range want {
			if i >= len(got) || got[i] != line {
				t.Errorf("%s, turn %d: got %q, want %q", id, i, slices.Concat(got, make([]string, len(want)))[i], line)
			}
		}
	}
}
