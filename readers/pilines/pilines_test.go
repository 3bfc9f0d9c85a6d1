package pilines_test

import (
	"testing"

	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/tables"
)

// TestSession gives a session's lines one by one. A damaged line is a problem, and the
// session goes on.
func TestSession(t *testing.T) {
	var messages []*tables.Message
	var problems []*tables.Problem
	session := ""
	in := &readers.Input{Rel: "a/b.sqlite", Emit: func(e tables.Event) {
		switch e := e.(type) {
		case *tables.Message:
			messages = append(messages, e)
		case *tables.Problem:
			problems = append(problems, e)
		case *tables.Session:
			session = e.SessionID
		}
	}}
	s := pilines.Begin(in, pilines.Options{ID: "given"})
	for i, line := range []string{
		`{"type":"message","id":"1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"go"}}`,
		`{"type":"message","id":"2","par`,
		``,
		`{"type":"message","id":"3","parentId":"1","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"stopReason":"stop"}}`,
	} {
		s.Line(int64(i), []byte(line))
	}
	s.End()
	if session != "given" || len(messages) != 2 || messages[1].Line != 3 || len(problems) != 3 { // one more: no header
		t.Errorf("session %q, %d messages, problems %v", session, len(messages), problems)
	}
}
