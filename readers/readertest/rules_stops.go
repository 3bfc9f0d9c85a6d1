package readertest

import (
	"cmp"
	"fmt"
	"os"
	"testing"

	"hindsql/readers"
	"hindsql/tables"
)

func stopRules() []rule {
	return []rule{
		{name: "stops", check: func(l *log) error { return checkStops(l.load(l.data)) },
			why: "a stop points at the response that it cut, or at none, and at the prompt that was being answered wherever one stands before it; " +
				"a turn that the system stopped got no answer after that"},
	}
}

// Stops checks the interruptions that a reader finds in the logs below a home folder.
func Stops(t testing.TB, r *readers.Reader, home string) {
	t.Helper()
	var places []readers.Place
	for _, root := range r.Roots(readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }}) {
		places = append(places, readers.Place{Path: root})
	}
	found, err := r.Find(places)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		l := &log{sample: &sample{reader: r, root: f.Root}, found: f, rel: f.Rel, data: data}
		if err := checkStops(l.load(data)); err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
}

// session holds the rows and events of one session.
type session struct {
	kind     string
	messages []tables.Row
	called   map[int64]bool // indexes of messages with calls
	begins   map[string]bool
}

func checkStops(r read) error {
	sessions := map[any]*session{}
	for _, s := range r.rows["sessions"] {
		kind, _ := s["kind"].(string)
		sessions[s["session_id"]] = &session{kind: kind, called: map[int64]bool{}, begins: map[string]bool{}}
	}
	for _, m := range r.rows["messages"] {
		s := sessions[m["session_id"]]
		s.messages = append(s.messages, m)
	}
	for _, c := range r.rows["tool_calls"] {
		if at, ok := c["message_index"].(int64); ok {
			sessions[c["session_id"]].called[at] = true
		}
	}
	eachWithSession(r.events, func(session string, e tables.Event) {
		if m, ok := e.(*tables.Message); ok && m.BeginsTurn && sessions[session] != nil {
			sessions[session].begins[m.UUID] = true
		}
	})
	for _, i := range r.rows["interruptions"] {
		s := sessions[i["session_id"]]
		if err := cmp.Or(s.checkCut(i), s.checkPrompt(i), s.checkUnanswered(i)); err != nil {
			return fmt.Errorf("the stop at message %v of session %v: %w", i["message_index"], i["session_id"], err)
		}
	}
	return nil
}

// checkCut checks that the interrupted message is a response.
func (s *session) checkCut(i tables.Row) error {
	at, ok := i["interrupted_message_index"].(int64)
	if ok && s.messages[at]["kind"] != tables.KindResponse {
		return fmt.Errorf("interrupted_message_index is %d, of the kind %v", at, s.messages[at]["kind"])
	}
	return nil
}

// checkPrompt checks that the prompt_index of an interruption names a prompt, a command, or
// a subagent's first task. If a prompt precedes the interruption, prompt_index must be
// set.
func (s *session) checkPrompt(i tables.Row) error {
	at, marked := i["message_index"].(int64)
	prompt, ok := i["prompt_index"].(int64)
	if !ok {
		for _, m := range s.messages[:at+1] {
			if marked && m["kind"] == tables.KindPrompt && m["is_sidechain"] == s.messages[at]["is_sidechain"] {
				return fmt.Errorf("prompt_index is null, though message %v is a prompt", m["message_index"])
			}
		}
		return nil
	}
	m := s.messages[prompt]
	switch kind := m["kind"]; {
	case prompt > at:
		return fmt.Errorf("prompt_index is %d, behind it", prompt)
	case kind == tables.KindPrompt || kind == tables.KindCommand:
	case kind == tables.KindInjected && m["role"] == tables.RoleUser && (prompt == 0 && s.kind != tables.SessionMain || m["is_sidechain"] == true):
	default:
		return fmt.Errorf("prompt_index is %d, of the kind %v", prompt, kind)
	}
	return nil
}

// checkUnanswered checks that the model gave no answer between an interruption by the
// system and the next prompt. It skips subagents inside a session, because the rows
// don't say which subagent answered.
func (s *session) checkUnanswered(i tables.Row) error {
	at, marked := i["message_index"].(int64)
	if !marked || i["type"] != tables.InterruptedBySystem || i["phase"] != tables.PhaseResponse {
		return nil
	}
	side := s.messages[at]["is_sidechain"]
	if side == true && s.kind == tables.SessionMain {
		return nil
	}
	for _, m := range s.messages[at+1:] {
		uuid, _ := m["uuid"].(string)
		index, _ := m["message_index"].(int64)
		switch {
		case m["is_sidechain"] != side || m["message_index"] == i["interrupted_message_index"]:
		case m["kind"] == tables.KindPrompt || m["kind"] == tables.KindCommand && m["typed_by"] != tables.TypedByAgent || s.begins[uuid]:
			return nil
		case m["kind"] == tables.KindResponse && (m["text"] != nil || m["thinking"] != nil || s.called[index]):
			return fmt.Errorf("message %d answers the turn that the system is said to have stopped", index)
		}
	}
	return nil
}
