package claude

import (
	"strings"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// isClear reports whether a command is /clear or an alias of /clear (FORMAT.md §8.2).
func isClear(command string) bool {
	return command == "/clear" || command == "/new" || command == "/reset"
}

// clearCommand emits a clear for a /clear command. If no person or model has spoken in
// this file before, the clear began this session. Otherwise it is a clear inside the
// session.
func (t *transcript) clearCommand(r *record, m *tables.Message) {
	command := firstWord(m.Text)
	if !isClear(command) || t.agent || r.GetBool("isMeta") {
		return
	}
	c := &tables.Clear{
		UUID:       r.uuid,
		Trigger:    tables.ClearByCommand,
		Command:    command,
		Project:    folder(r),
		Timestamp:  r.at,
		Evidence:   tables.EvidenceSessionStart,
		Confidence: 1,
	}
	if t.spoken {
		c.SessionID, c.InSession = t.id, true
	} else {
		c.NextSessionID = t.id
		t.opening = c
		t.predecessor(r)
	}
	t.emit(c)
}

// predecessor completes the clear that began this session with the id of the session
// that the user cleared. From 2.1.204 on, a line's session_id holds the old id and
// sessionId the new one. The first line with two different ids is used, because the
// clear's own lines may have no session_id.
func (t *transcript) predecessor(r *record) {
	if t.opening == nil || r.sidechain || r.session == "" {
		return
	}
	if before := readers.Text(r.Value, "session_id"); before != "" && before != r.session && before != t.id {
		t.opening.SessionID, t.opening = before, nil
	}
}

// transcriptPath matches the id of the old session in the text after an accepted plan.
// The id may be missing, because some tools redact it.
var transcriptPath = pattern.Lazy(`read the full transcript at:\s*\S*?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl`)

// acceptedPlan recognises the first line after the user accepted a plan and cleared the
// context. The line begins a new session (FORMAT.md §8.4). In 2.1.12 it has no parent
// and stands further down in the same file. Its text names the old transcript.
func (t *transcript) acceptedPlan(r *record, m *tables.Message) (*tables.Clear, bool) {
	if t.agent || r.sidechain || m.Kind != tables.KindPrompt && m.Kind != tables.KindInjected || r.GetBool("isMeta") || t.chain.has(t.chain.visible(r.parent)) {
		return nil, false
	}
	flagged := len(r.GetStringBytes("planContent")) > 0
	worded := strings.HasPrefix(m.Text, planStart) && strings.Contains(m.Text, "read the full transcript at:")
	if !flagged && !worded {
		return nil, false
	}
	c := &tables.Clear{
		UUID:       r.uuid,
		Trigger:    tables.ClearByPlan,
		Project:    folder(r),
		Timestamp:  r.at,
		Evidence:   tables.EvidenceSessionStart,
		Confidence: 1,
	}
	if !flagged {
		c.Confidence = 0.9
	}
	t.planned(r, m, c)
	return c, true
}

// planned fills in which sessions came before and after a clear by an accepted plan.
func (t *transcript) planned(r *record, m *tables.Message, c *tables.Clear) {
	if t.spoken {
		c.SessionID, c.InSession = t.id, true
		return
	}
	c.NextSessionID = t.id
	if named := transcriptPath.FindStringSubmatch(m.Text); named != nil {
		c.SessionID = named[1]
	} else {
		t.opening = c
		t.predecessor(r)
	}
}
