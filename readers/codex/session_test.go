package codex

import (
	"strings"
	"testing"
	"time"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

// TestMayFollowClear: a possible clear is emitted only for a session that a person
// began and that copies no older text. The clear's time is the session's start, not the
// time of the first line.
func TestMayFollowClear(t *testing.T) {
	const head = `{"timestamp":"2026-11-02T10:00:05.000Z","type":"session_meta","payload":{"id":"x","timestamp":"2026-11-02T10:00:00.000Z","cwd":"/w","originator":"codex-tui","source":"cli"}}` + "\n"
	for _, test := range []struct {
		name, from, to string // text put in place of a part of the head
		may            bool
	}{
		{"from nothing", "", "", true},
		{"a fork", `"cwd"`, `"forked_from_id":"y","cwd"`, false},
		{"from another's lines", `"cwd"`, `"history_base":{"thread_id":"y","end_ordinal_exclusive":3},"cwd"`, false},
		{"of a parent", `"cwd"`, `"parent_thread_id":"y","cwd"`, false},
		{"a subagent", `"source":"cli"`, `"source":{"subagent":"review"}`, false},
		{"of a program", `codex-tui`, `codex_exec`, false},
	} {
		var marks []*tables.Clear
		log := strings.Replace(head, test.from, test.to, 1)
		for _, e := range readertest.EventsOf(Reader, "sessions/rollout-2026-11-02T10-00-00-x.jsonl", log) {
			if c, ok := e.(*tables.Clear); ok {
				marks = append(marks, c)
			}
		}
		if may := len(marks) == 1; may != test.may {
			t.Errorf("%s: %d marks, want %v", test.name, len(marks), test.may)
		} else if may && !marks[0].Timestamp.Equal(time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: at %v", test.name, marks[0].Timestamp)
		}
	}
}
