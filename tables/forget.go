package tables

import (
	"crypto/md5" //nolint:gosec // names lines, and secures nothing: DuckDB computes the same number, see KeySQL
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Forgotten is what a person wants forgotten of one agent's logs.
type Forgotten struct {
	Sessions  map[string]bool // ids of the forgotten sessions, subagents included
	Keys      map[uint64]bool // of their messages and prompts, see KeySQL
	Approvals map[string]bool // their ApprovalKeys
}

// ForgetResult is what [File.Forget] learned about forgotten sessions.
type ForgetResult struct {
	Sessions  []string // the sessions left out
	Keys      []uint64 // of their messages, as far as they were new
	Approvals []string // their ApprovalKeys
}

// Relatives is a session's id, with the ids of the sessions that it belongs to: its
// parent, and the session that it continues.
type Relatives struct {
	SessionID string
	Above     []string
	Started   []string // subagents that the session's results name
}

// Kinds of keys.
const (
	keyOfLine    = "line"
	keyOfAnswer  = "answer"
	keyOfContent = "content"
	keyOfTitle   = "title"
	keyOfPrompt  = "prompt"
)

// shortestUUID and shortestID are the least lengths of a uuid, and of an API id, that is an
// identity by itself. Shorter ids are counters, see link 3-copies.
const (
	shortestUUID = 16
	shortestID   = 20
)

func hashKey(agent, kind, value string) uint64 {
	sum := md5.Sum([]byte(agent + "\n" + kind + "\n" + value)) //nolint:gosec // as above
	return binary.LittleEndian.Uint64(sum[:8])
}

// KeySQL returns the SQL of a list of a row's keys: of a message's ids, of a session's
// title, or of a prompt. Under these numbers, copies of what was forgotten are known,
// though no text of it is kept.
func KeySQL(table string) string {
	switch table {
	case "sessions":
		return "[" + keySQL(keyOfTitle, "title") + "]"
	case "prompts":
		return "[" + keySQL(keyOfPrompt, "coalesce(epoch_us(timestamp), 0) || chr(10) || coalesce(text, '')") + "]"
	}
	return fmt.Sprintf("[CASE WHEN uuid IS NOT NULL THEN %s END, CASE WHEN length(message_id) >= %d THEN %s END]",
		keySQL(keyOfLine, fmt.Sprintf("uuid || CASE WHEN length(uuid) < %d THEN coalesce(message_id, if(kind = 'tool_result', '', text), '') ELSE '' END", shortestUUID)),
		shortestID, keySQL(keyOfAnswer, "message_id"))
}

// ContentKeySQL returns the SQL of the key of a message's content; null if the message
// has an API id.
func ContentKeySQL() string {
	return "CASE WHEN message_id IS NULL THEN " + keySQL(keyOfContent, "coalesce(role, '') || chr(10) || coalesce(kind, '') || chr(10) || coalesce(text, coalesce(epoch_us(timestamp), 0)::VARCHAR)") + " END"
}

func keySQL(kind, value string) string {
	return fmt.Sprintf("md5_number_upper(coalesce(agent, '') || chr(10) || '%s' || chr(10) || %s)", kind, value)
}

// copyKeys returns the keys that a copy of the message shares.
func (m *message) copyKeys(agent string) (list []uint64) {
	if m.UUID != "" {
		text := ""
		switch {
		case len(m.UUID) >= shortestUUID:
		case m.MessageID != "":
			text = m.MessageID
		case m.Kind != KindToolResult:
			text = m.Text
		}
		list = append(list, hashKey(agent, keyOfLine, m.UUID+text))
	}
	if len(m.MessageID) >= shortestID {
		list = append(list, hashKey(agent, keyOfAnswer, m.MessageID))
	}
	return list
}

// contentKey returns the key of the content of a message without an API id. Some resumes
// renew the uuids.
func (m *message) contentKey(agent string) (uint64, bool) {
	text := m.Text
	if text == "" {
		text = strconv.FormatInt(micros(m.Timestamp), 10)
	}
	return hashKey(agent, keyOfContent, m.Role+"\n"+m.Kind+"\n"+text), m.MessageID == ""
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Relatives returns which other sessions each session of the file names.
func (f *File) Relatives() (list []Relatives) {
	for _, s := range f.sessions {
		k := Relatives{SessionID: s.SessionID}
		for _, above := range []string{s.ParentSessionID, s.Continues} {
			if above != "" {
				k.Above = append(k.Above, above)
			}
		}
		for _, r := range s.results {
			if r.SubagentSessionID != "" {
				k.Started = append(k.Started, r.SubagentSessionID)
			}
		}
		list = append(list, k)
	}
	return list
}

// Forget leaves out the forgotten sessions, and what the other sessions and the
// histories of the file have of them: copied messages, prompts, titles and clears. It
// is called after [File.Join]. A file that had only forgotten sessions gives a row of
// forgotten_logs, and nothing else.
func (f *File) Forget(x *Forgotten) (out ForgetResult) {
	var rest []*session
	for _, s := range f.sessions {
		if !x.Sessions[s.SessionID] {
			rest = append(rest, s)
			continue
		}
		out.record(s, x)
	}
	for _, s := range rest {
		f.hasForgotten = s.forgetCopies(x) || f.hasForgotten
	}
	had := len(f.prompts) + len(f.sessionNotes) + len(f.clears) + len(f.approvals)
	f.sessions = slices.DeleteFunc(rest, func(s *session) bool { return s.isEmptied })
	f.prompts = slices.DeleteFunc(f.prompts, func(p *Prompt) bool {
		return x.Sessions[p.SessionID] || x.Keys[hashKey(f.Agent, keyOfPrompt, strconv.FormatInt(micros(p.Timestamp), 10)+"\n"+p.Text)]
	})
	f.sessionNotes = slices.DeleteFunc(f.sessionNotes, func(n *SessionNote) bool { return x.Sessions[n.SessionID] })
	f.approvals = slices.DeleteFunc(f.approvals, func(a *Approval) bool { return x.Approvals[a.Key] })
	f.clears = slices.DeleteFunc(f.clears, func(c *clearMark) bool { return x.Sessions[c.Clear.SessionID] || x.Sessions[c.NextSessionID] })
	left := len(f.prompts) + len(f.sessionNotes) + len(f.clears) + len(f.approvals)
	f.hasForgotten = f.hasForgotten || len(out.Sessions) > 0 || left < had
	f.isForgotten = f.hasForgotten && len(f.sessions) == 0 && len(f.prompts)+len(f.sessionNotes)+len(f.approvals) == 0 && len(rest)+len(out.Sessions) > 0
	return out
}

// record adds a forgotten session. The messages up to the last known message
// existed when a person forgot the session. Messages without a key among them were copies
// of another session's messages, and stay.
func (out *ForgetResult) record(s *session, x *Forgotten) {
	agent, known := s.file.Agent, -1
	for i, m := range s.messages {
		if slices.ContainsFunc(m.copyKeys(agent), func(k uint64) bool { return x.Keys[k] }) {
			known = i
		}
	}
	for _, m := range s.messages[known+1:] {
		if m.OriginSessionID != "" && !x.Sessions[m.OriginSessionID] {
			continue
		}
		out.Keys = append(out.Keys, m.copyKeys(agent)...)
		if k, ok := m.contentKey(agent); ok {
			out.Keys = append(out.Keys, k)
		}
	}
	if k := hashKey(agent, keyOfTitle, s.Title); s.Title != "" && !x.Keys[k] {
		out.Keys = append(out.Keys, k)
	}
	if s.ApprovalKey != "" && !x.Approvals[s.ApprovalKey] {
		out.Approvals = append(out.Approvals, s.ApprovalKey)
	}
	out.Sessions = append(out.Sessions, s.SessionID)
}

// forgetCopies leaves out the session's copies of forgotten messages. It reports whether
// anything was left out.
func (s *session) forgetCopies(x *Forgotten) bool {
	forgotten := s.forgottenCopies(x)
	if x.Sessions[s.ForkedFrom] {
		s.ForkedFrom = ""
	}
	if len(forgotten) == 0 {
		return false
	}
	if s.Title != "" && x.Keys[hashKey(s.file.Agent, keyOfTitle, s.Title)] {
		s.Title = ""
	}
	s.isEmptied = len(forgotten) == len(s.messages)
	s.messages = slices.DeleteFunc(s.messages, func(m *message) bool { return forgotten[m] })
	s.calls = slices.DeleteFunc(s.calls, func(c *call) bool { return forgotten[c.at] })
	s.rejections = slices.DeleteFunc(s.rejections, func(r *rejection) bool { return forgotten[r.at] || r.call != nil && forgotten[r.call.at] })
	s.interruptions = slices.DeleteFunc(s.interruptions, func(i *interruption) bool { return forgotten[i.at] || forgotten[i.cut] })
	s.orphans = slices.DeleteFunc(s.orphans, func(r *result) bool { return forgotten[r.at] })
	s.compactions = slices.DeleteFunc(s.compactions, func(c *compaction) bool { return forgotten[c.at] })
	return true
}

// forgottenCopies returns the session's copies of forgotten messages, by the rules of
// link 3-copies.
func (s *session) forgottenCopies(x *Forgotten) map[*message]bool {
	forgotten, last, agent := map[*message]bool{}, -1, s.file.Agent
	for i, m := range s.messages {
		if x.Sessions[m.OriginSessionID] || slices.ContainsFunc(m.copyKeys(agent), func(k uint64) bool { return x.Keys[k] }) {
			forgotten[m], last = true, i
		}
	}
	for _, m := range s.messages[:last+1] {
		if k, ok := m.contentKey(agent); ok && x.Keys[k] {
			forgotten[m] = true
		}
	}
	if len(forgotten) == 0 {
		return nil
	}
	for _, c := range s.calls {
		if forgotten[c.at] && c.result != nil && c.result.at != nil {
			forgotten[c.result.at] = true
		}
	}
	return forgotten
}

var forgottenLogs = newRowTable(Table{
	Name:     "forgotten_logs",
	Doc:      "One row per log from which a forgotten session was left out, see hindsql prune --forget.",
	Internal: true,
}, []column[File]{
	text("agent", "agent that wrote the log", func(f *File) string { return f.Agent }),
	text("path", "path of the file; null if the log also has other sessions, and a row in sources", func(f *File) string {
		if !f.isForgotten {
			return ""
		}
		return f.Path
	}),
	text("part", "part of a file with many sessions side by side", func(f *File) string { return f.Part }),
	bigint("size", "as in sources", func(f *File) int64 { return f.Size }),
	instant("modified_at", "as in sources", func(f *File) time.Time { return f.ModifiedAt }),
	text("stamp", "as in sources", func(f *File) string { return f.Stamp }),
	bigint("reader_version", "as in sources", func(f *File) int64 { return int64(f.ReaderVersion) }),
	text("machine", machineDoc, func(f *File) string { return f.machine() }),
	bigint("source_id", "id of the log", func(f *File) int64 { return f.id }),
})

// ForgottenLogs returns the table of logs from which sessions were left out.
func ForgottenLogs() *Table { return forgottenLogs.Table }
