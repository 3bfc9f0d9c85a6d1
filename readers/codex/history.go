package codex

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// readHistory reads history.jsonl: one typed input a line, including drafts that were
// never sent (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	err := readers.JSONLines(in, []string{`{"session_id":"`}, func(v *fastjson.Value, _ readers.Line) {
		p := &tables.Prompt{SessionID: readers.Text(v, "session_id"), Text: readers.Text(v, "text"), Timestamp: secondsSince1970(v.Get("ts"))}
		if !v.Exists("text") {
			kinds.Count("history (no text)", false, "", p.Timestamp)
			return
		}
		kinds.Record(v, "history", true, "", p.Timestamp)
		p.IsCommand = readers.IsCommand(p.Text) || strings.HasPrefix(p.Text, "!")
		in.Emit(p)
	})
	kinds.Emit(in.Emit)
	return err
}

func secondsSince1970(v *fastjson.Value) time.Time {
	if v == nil || v.Type() != fastjson.TypeNumber {
		return time.Time{}
	}
	s := v.GetFloat64()
	if !(s >= 1 && s < 4e9) {
		return time.Time{}
	}
	return time.Unix(int64(s), 0).UTC()
}

var indexStarts = []string{`{"id":"`}

// readIndex reads session_index.jsonl, the names of sessions. If an id has several
// lines, the last name is valid (FORMAT.md §1).
func readIndex(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	notes := map[string]*tables.SessionNote{}
	err := readers.JSONLines(in, indexStarts, func(v *fastjson.Value, _ readers.Line) {
		at := readers.Time(v.Get("updated_at"))
		if v.Exists("thread_name") {
			kinds.Record(v, "session_index", true, "", at)
		} else {
			kinds.Count("session_index (no name)", false, "", at)
		}
		id := readers.Text(v, "id")
		if notes[id] == nil {
			notes[id] = &tables.SessionNote{SessionID: id}
			in.Emit(notes[id])
		}
		notes[id].Title = readers.Text(v, "thread_name")
	})
	kinds.Emit(in.Emit)
	return err
}
