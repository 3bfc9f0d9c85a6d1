package claude

import (
	"slices"
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/readers/claudefiles"
	"hindsql/tables"
)

// emitClear emits a clear for a /clear command. If no person or model has spoken in
// this file before, the clear began this session. Otherwise it is a clear inside the
// session.
func (t *transcript) emitClear(r *record, m *tables.Message) {
	command := claudefiles.FirstWord(m.Text)
	if !claudefiles.IsClear(command) || t.agent || r.GetBool("isMeta") {
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
	if t.hasSpoken {
		c.SessionID, c.InSession = t.id, true
	} else {
		c.NextSessionID = t.id
	}
	t.emit(c)
}

// emitProcess emits which session a process began with that wrote into this session.
// From 2.1.204 on, a line's session_id names that session, whatever the user cleared,
// resumed or branched since. The links decide whether it is the session before a clear.
func (t *transcript) emitProcess(r *record) {
	if t.agent || r.sidechain || r.session != t.id {
		return
	}
	began := r.GetStringBytes("session_id")
	if len(began) == 0 || string(began) == t.id || t.processes[string(began)] {
		return
	}
	c := &tables.Clear{
		SessionID:     string(began),
		NextSessionID: t.id,
		Project:       folder(r),
		Timestamp:     r.at,
		Evidence:      tables.EvidenceProcess,
		Confidence:    1,
	}
	t.processes[c.SessionID] = true
	t.emit(c)
}

// transcriptPath matches the id of the old session in the text after an accepted plan.
// The id may be missing, because some tools redact it.
var transcriptPath = pattern.Lazy(`read the full transcript at:\s*\S*?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl`)

// clearByPlan recognises the first line after the user accepted a plan and cleared the
// context. The line begins a new session (FORMAT.md §8.4). In 2.1.12 it has no parent
// and stands further down in the same file. Its text names the old transcript.
func (t *transcript) clearByPlan(r *record, m *tables.Message) (*tables.Clear, bool) {
	if t.agent || r.sidechain || m.Kind != tables.KindPrompt && m.Kind != tables.KindInjected || r.GetBool("isMeta") || t.chain.hasMessage(t.chain.nearestMessage(r.parent)) {
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
	t.setPlanSessions(m, c)
	return c, true
}

// setPlanSessions fills in which sessions came before and after a clear by an accepted
// plan.
func (t *transcript) setPlanSessions(m *tables.Message, c *tables.Clear) {
	if t.hasSpoken {
		c.SessionID, c.InSession = t.id, true
		return
	}
	c.NextSessionID = t.id
	if named := transcriptPath.FindStringSubmatch(m.Text); named != nil {
		c.SessionID = named[1]
	}
}

// queue holds input that the user typed while the agent worked, until Claude Code takes
// it (FORMAT.md §3.5).
type queue []string

// handleQueue handles a line about the queue. A queued /clear runs when it is taken
// from the queue, possibly long after it was typed.
func (t *transcript) handleQueue(r *record) {
	content := readers.Text(r.Value, "content")
	switch string(r.GetStringBytes("operation")) {
	case "enqueue":
		t.queue = append(t.queue, content)
		if kind := textKind(content); kind == "" || kind == tables.KindPrompt || kind == tables.KindCommand {
			t.endings.queued = append(t.endings.queued, r.at)
		}
	case "dequeue":
		if taken := t.queue.remove(0); claudefiles.IsClear(claudefiles.FirstWord(taken)) && t.opened && !t.agent {
			t.setQueuedClear(r, claudefiles.FirstWord(taken))
		}
	case "remove": // it went into the turn; commands never do
		t.queue.remove(slices.IndexFunc(t.queue, func(s string) bool { return !readers.IsCommand(s) }))
	case "popAll":
		t.queue = nil
	}
}

// remove removes and returns the input at an index; empty if the queue has no such input.
func (q *queue) remove(at int) (taken string) {
	if at < 0 || at >= len(*q) {
		return ""
	}
	taken = (*q)[at]
	*q = slices.Delete(*q, at, at+1)
	return taken
}

// setQueuedClear keeps a /clear that Claude Code took from the queue. The clear ends this
// session, so finish emits the clear at the end of the log. But if the session goes on,
// the queue was wrong: a program that had died left the input in it, and the line
// reports an input of another program's queue.
func (t *transcript) setQueuedClear(r *record, command string) {
	t.queuedClear = &tables.Clear{
		SessionID:  t.id,
		Trigger:    tables.ClearByCommand,
		Command:    command,
		Project:    t.facts.project,
		Timestamp:  r.at,
		Evidence:   tables.EvidenceQueue,
		Confidence: 1,
	}
}

// dropStaleClear drops the kept clear if the model answers after the time of the clear.
// The last answer from before the clear may stand after it in the file, so
// dropStaleClear allows a second.
func (t *transcript) dropStaleClear(at time.Time) {
	if t.queuedClear != nil && at.After(t.queuedClear.Timestamp.Add(sameKeypress)) {
		t.queuedClear = nil
	}
}

// queuedDuring reports whether a person typed input after from and clearly before to. A
// person can't type input while Claude Code asks a question.
func (e *endings) queuedDuring(from, to time.Time) bool {
	if from.IsZero() {
		return false
	}
	at, _ := slices.BinarySearchFunc(e.queued, from, time.Time.Compare)
	return at < len(e.queued) && e.queued[at].Before(to.Add(-sameMoment))
}
