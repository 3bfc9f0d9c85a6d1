package codex_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/codex"
	"hindsql/tables"
)

// recentSessions describes the newest sessions, written by hand: each stop, with the
// scenario of the prompt before it and the message that was cut; compactions; and the
// session's relation to another one (fork, revert, subagent, guardian). Sessions
// without such events are left out. The end of a file's name or id identifies the
// session.
var recentSessions = map[string][]string{
	"1c445ce28fbc": {
		"esc: user, approval, response", "esc2: user, approval, response", "slow: user, tool, response",
		"mcpslow: system, tool, response", "empty: system, response, nothing", "stream: user, response, nothing",
	},
	"3bd750750906": {"dslow: user, tool, response", "ask2: user, approval, response"},
	"a70a7379adfb": {
		"desc: user, approval, response", "dpar2: user, approval, response", "dpo: user, tool, response", "desc: user, approval, response",
		"manual compaction",
	},
	"170613fb1f0d": {"esc3: user, approval, response", "po: user, tool, response", "esc3: user, approval, response"},
	"0b74957d734a": {"desc: user, approval, response"},
	"d9b0997b37b0": {"fork of a70a7379adfb"},
	"447c88cd93bf": {"fork of 22597c7dbfa2", "subagent of 22597c7dbfa2"},
	"4b6e58f11ca4": {"guardian of 50c628e11fad"},
	"a424246c38ee": {"goes on with 9326f89c6ef6 from 18"},
}

// labelledSessions describes the labelled sessions. Their scenarios name a compaction,
// a fork, and a parent with three subagents, one of them with inherited lines; no
// scenario names a stop.
var labelledSessions = map[string][]string{
	"d8067191edf9": {"manual compaction"},
	"3061e4ff06e2": {"fork of 4f52f86449a4"},
	"1db381270b73": {"fork of cd9d3eb99189", "subagent of cd9d3eb99189"},
	"1db381270b74": {"subagent of cd9d3eb99189"},
	"1db381270b75": {"subagent of cd9d3eb99189"},
}

func TestRecentSessions(t *testing.T) {
	if diff := cmp.Diff(recentSessions, happenings(t, "recent")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLabelledSessions(t *testing.T) {
	if diff := cmp.Diff(labelledSessions, happenings(t, "labelled")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func end(id any) string {
	s := fmt.Sprint(id)
	return s[max(0, len(s)-12):]
}

// happenings loads a collection's logs, one at a time.
func happenings(t *testing.T, name string) map[string][]string {
	t.Helper()
	logs, err := codex.Reader.Find([]readers.Place{{Path: path.Join(corpus.Home(t, name), ".codex"), From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, log := range logs {
		if list := happened(rowsOf(log)); len(list) > 0 {
			all[end(strings.TrimSuffix(path.Base(log.Rel), ".jsonl"))] = list
		}
	}
	return all
}

// rowsOf returns the rows of a log by table.
func rowsOf(log readers.Log) map[string][]tables.Row {
	b := tables.NewBatch(nil)
	defer b.Release()
	codex.Reader.Load(log, tables.Source{Agent: "codex", Path: log.Path}).AppendTo(b)
	rows := map[string][]tables.Row{}
	for _, table := range tables.All() {
		if table.Loaded() {
			rows[table.Name] = b.Rows(table)
		}
	}
	return rows
}

// happened describes a session's events from the rows of its log.
func happened(rows map[string][]tables.Row) (list []string) {
	messages := rows["messages"]
	for _, i := range rows["interruptions"] {
		scenario, cut := "", "nothing"
		for _, m := range messages[:i["message_index"].(int64)] {
			if m["kind"] == tables.KindPrompt {
				_, scenario, _ = strings.Cut(fmt.Sprint(m["text"]), "S:")
			}
		}
		if at, ok := i["interrupted_message_index"].(int64); ok {
			cut = fmt.Sprint(messages[at]["kind"])
		}
		list = append(list, fmt.Sprintf("%s: %s, %s, %s", scenario, i["type"], i["phase"], cut))
	}
	for _, c := range rows["compactions"] {
		list = append(list, fmt.Sprintf("%s compaction", c["trigger"]))
	}
	for _, f := range rows["fork_marks"] {
		list = append(list, "fork of "+end(f["forked_from"]))
	}
	for _, c := range rows["continuations"] {
		list = append(list, fmt.Sprintf("goes on with %s from %d", end(c["continues"]), c["undone_from"]))
	}
	for _, s := range rows["sessions"] {
		if s["parent_session_id"] != nil {
			list = append(list, fmt.Sprintf("%s of %s", s["kind"], end(s["parent_session_id"])))
		}
	}
	return list
}
