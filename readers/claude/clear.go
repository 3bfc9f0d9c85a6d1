package claude

import (
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// isClear reports whether a command is /clear or an alias of /clear (FORMAT.md §8.2).
func isClear(command string) bool {
	return command == "/clear" || command == "/new" || command == "/reset"
}

// clearCommand emits a clear. In a session's first lines, the command's line shows that
// a clear began the session. Further down, it is a clear inside the session.
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
// before. From 2.1.204 on, session_id keeps the old id while sessionId has the new one.
// The first such line counts, because the clear's own lines may have no session_id.
func (t *transcript) predecessor(r *record) {
	if t.opening == nil || r.sidechain || r.session == "" {
		return
	}
	if before := readers.Text(r.Value, "session_id"); before != "" && before != r.session && before != t.id {
		t.opening.SessionID, t.opening = before, nil
	}
}

// transcriptPath matches the old session's id. Some tools redact the id.
var transcriptPath = readers.Lazy(`read the full transcript at:\s*\S*?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl`)

// acceptedPlan recognises the first line after an accepted plan with cleared context.
// The line begins a session (FORMAT.md §8.4) or, in 2.1.12, a new root further down in
// the same file. Its text names the old transcript.
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

// planned fills in the sessions before and after a plan's clear.
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
