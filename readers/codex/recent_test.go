package codex_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/codex"
	"hindsql/tables"
)

// firstRecent describes the turns of the newest logs, written by hand. The key is the
// end of the session's id. Each entry has the scenario that a prompt belongs to, and
// how the turn's calls ended, in order. The calls that a script made follow the script
// in brackets.
var firstRecent = map[string][]string{
	"7330e7b67a14": {"ok2: script ok [command ok 0, command error 3]"},
	"1c445ce28fbc": {
		"par: script ok [command ok 0, command ok 0]",
		"esc: script ok [command ok 0]",
		"esc: script error other [command rejected by user]",
		"esc: script interrupted [command rejected by user inferred]",
		"esc2: script interrupted [command rejected by user inferred]",
		"esc2: script ok [command ok 0, command rejected by user]",
		"esc: script ok [command ok 0]",
		"esc: script ok [command ok 0]",
		"slow: script interrupted [command interrupted -1]",
		"yield: script ok [command ok 0], script error other",
		"long: script ok [command error 5], script error other",
		"patch: script error other",
		"patchout: script error other",
		"patchout: script error other",
		"patchout: script error other",
		"throw: script error other",
		"mcpok: script ok [mcp ok]",
		"mcperr: script ok [mcp error other]",
		"mcpslow: script ok [mcp error timeout]",
		"empty: no call",
		"stream: no call",
		"ask: script error other",
		"ask: script error other",
	},
	"d8976077d27b": {
		"tools: script ok",
		"two: script ok [command ok 0], script ok [command ok 0]",
		"mcpw: script ok [mcp ok]",
		"mcpw: script ok [mcp rejected by user]",
		"mcpw: script ok [mcp rejected by user]",
		"patch: script error other",
		"patchout: script error other",
		"patchout: script error other",
		"patchout: script error other",
		"ask2: question ok",
		"ask2: question ok",
	},
	"3f18014ddd52": {
		"tools: script ok",
		"patch: script ok [edit ok]",
		"patchout: script ok [edit ok]",
		"patchout: script ok [edit ok]",
		"spawn2: script error other, script error other",
	},
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
		"dmcpw: mcp rejected by user",
		"dmcpw: mcp rejected by user",
		"dmcperr: mcp error other",
		"ask2: question ok",
		"ask2: question rejected by user",
	},
	"a70a7379adfb": {
		"desc: command ok 0",
		"desc: command rejected by user",
		"desc: command rejected by user inferred",
		"dpar2: command interrupted by rule inferred, command rejected by user inferred",
		"dpo: edit ok 0",
		"dpo: edit rejected by user",
		"dpo: edit interrupted",
		"desc: command rejected by user inferred",
		"plain: command error 2",
	},
	"170613fb1f0d": {
		"esc3: script error other [command rejected by user]",
		"esc3: script interrupted [command rejected by user inferred]",
		"po: script ok [edit ok]",
		"po: script error other [edit rejected by user]",
		"po: script interrupted",
		"yield2: script ok [command error 7], script ok",
		"esc3: script interrupted [command rejected by user inferred]",
	},
	"22597c7dbfa2": {
		"esc3: script ok [command ok 0]",
		"po: script ok [edit ok]",
		"mcpw: script ok [mcp ok]",
		"esc3: script ok [command ok 0]",
		"esc3: script ok [command ok 0]",
		"pview: script ok",
		"dspawn: agent ok, agent ok",
	},
	"50c628e11fad": {
		"esc3: script error other [command denied by classifier]",
		"po: script error other [edit denied by classifier]",
		"mcpw: script ok [mcp denied by classifier]",
	},
	"0b74957d734a": {
		"desc: command rejected by user",
		"desc: command ok 0",
		"dpo: edit rejected by user",
		"dmcperr: mcp error other",
		"plain: command error 2",
		"desc: command rejected by user inferred",
	},
	"6552de156a87": {
		"ok2: script ok [command ok 0, command error 3]",
		"po: script error other [edit rejected by user]",
		"mcperr: script ok [mcp error other]",
	},
	"75bee5a1ee24": {
		"plan: no call",
		"implement: no call",
		"esc3: script error other [command rejected by user]",
		"yield2: script ok [command error 7], script ok",
	},
	"9326f89c6ef6": {"implement: no call", "implement two: no call"},
	"a424246c38ee": {"implement three: no call"},
	"4de46131fa47": {"ok2: script ok [command ok 0, command error 3]"},
}

// labelled counts, for logs with a known scenario, the calls by how they ended. No
// scenario names a refusal.
var labelled = map[string]map[string]int{
	"03e6fc208083": {"command ok 0": 56, "command error 1": 3, "edit ok 0": 11, "plan ok": 17},
	"31d84a0a2c7a": {"command ok 0": 1},
	"1267eccf8793": {"command ok 0": 1, "edit ok 0": 1},
	"d10201bf7d90": {"command ok 0": 1},
	"317515784d62": {"command ok 0": 1, "command error 1": 1},
	"b560f4a1d899": {"command ok 0": 10},
	"3815a3e23047": {"command ok 0": 3, "edit ok 0": 4},
	"a48972b3f833": {"command ok 0": 1, "edit ok 0": 1},
}

// loaded holds rows of one log.
type loaded struct {
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

// turns describes, for each prompt with a scenario, how the turn's calls ended.
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
		scenario, _, _ = strings.Cut(scenario, "\n")
		turns = append(turns, strings.TrimSpace(scenario)+":")
	}
	if at >= 0 {
		turns[len(turns)-1] += l.ended(at, len(l.messages))
	}
	return turns
}

// ended describes how the calls between two messages ended, and who refused them.
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

// TestRecent tests that the calls of each turn of the newest logs end as written by
// hand.
func TestRecent(t *testing.T) {
	all := load(t, corpus.Home(t, "recent"))
	for id, l := range all {
		if diff := cmp.Diff(firstRecent[id], l.turns()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	for id := range firstRecent {
		if all[id] == nil {
			t.Errorf("no log %s", id)
		}
	}
}

func TestLabelled(t *testing.T) {
	all := load(t, corpus.Home(t, "labelled"))
	for id, l := range all {
		got := map[string]int{}
		for _, c := range l.calls {
			got[l.call(c)]++
		}
		if diff := cmp.Diff(labelled[id], got, cmpopts.EquateEmpty()); diff != "" || len(l.rejections) > 0 {
			t.Errorf("%s: %d rejections; calls (-want +got):\n%s", id, len(l.rejections), diff)
		}
	}
	for id := range labelled {
		if all[id] == nil {
			t.Errorf("no log %s", id)
		}
	}
}
