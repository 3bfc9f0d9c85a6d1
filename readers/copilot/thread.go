package copilot

import (
	"cmp"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// thread is one conversation: the session's own, or a subagent's. The lines of both are
// mixed in one file (FORMAT.md §2).
type thread struct {
	session     *tables.Session
	agent       string
	extra       readers.Extra
	parentCall  *call           // the call that started the subagent
	lastMessage *tables.Message // last prompt, command, answer or result; nil if none
	answer      *tables.Message // the last answer with an id of the API
	answeredIDs map[string]bool // ids of API calls with an answer
	reasoning   string          // thinking whose answer has not come yet
	open        []*call         // in order, including ended calls
	compaction  openCompaction
	idle        bool // no prompt since the last stop
	inTurn      bool // the model's turn goes on
	models
}

// thread returns the thread to which an event belongs. A subagent's events name the
// agent; in older versions, they name the call that started the agent.
func (l *log) thread(e *event) *thread {
	agent := readers.Text(e.whole, "agentId")
	if agent == "" && e.kind != "subagent.started" {
		if by := readers.Text(e.Value, "parentToolCallId"); by != "" {
			agent = cmp.Or(l.agents[by], by)
		}
	}
	return l.threadOf(agent)
}

func (l *log) threadOf(agent string) *thread {
	if t := l.threads[agent]; t != nil {
		return t
	}
	t := &thread{
		agent: agent,
		extra: readers.Extra{},
		session: &tables.Session{
			SessionID: l.id + "/" + agent, NativeID: agent,
			Kind: tables.SessionSubagent, ParentSessionID: l.id,
		},
	}
	l.threads[agent] = t
	if c := l.calls[agent]; c != nil { // to 1.0.78 the agent's id is its call's id
		l.setParentCall(t, c)
	}
	return t
}

// setParentCall links a subagent's thread to the call c that started the subagent.
func (l *log) setParentCall(t *thread, c *call) {
	if c.thread == t || t.parentCall != nil {
		return
	}
	t.parentCall, l.agents[c.native] = c, t.agent
	t.session.ParentSessionID = c.thread.session.SessionID
	c.child = t.session.SessionID
	if c.result != nil { // the subagent runs in the background
		c.result.SubagentSessionID = c.child
	}
}

// emit emits a row of a thread.
func (l *log) emit(t *thread, e tables.Event) {
	l.switchTo(t)
	l.in.Emit(e)
}

// emitMessage emits a message.
func (l *log) emitMessage(t *thread, m *tables.Message) {
	m.IsSidechain = t.agent != ""
	l.emit(t, m)
	switch m.Kind {
	case tables.KindPrompt, tables.KindCommand, tables.KindToolResult, tables.KindResponse:
		t.lastMessage, t.idle = m, false
	case tables.KindInterruption, tables.KindError:
		t.idle = true
	}
	if t.compaction.begun && m.UUID != "" {
		t.compaction.since = append(t.compaction.since, m.UUID)
	}
}

// message makes a message from an event.
func (e *event) message(role, kind, text string) *tables.Message {
	return &tables.Message{
		UUID: e.id, ParentUUID: readers.Text(e.whole, "parentId"), Role: role, Kind: kind, Text: text,
		Timestamp: e.at, Line: e.line,
	}
}

// subagentStarted handles the beginning of a subagent: the envelope names the subagent,
// the data the call that started it.
func (l *log) subagentStarted(e *event) {
	by := readers.Text(e.Value, "toolCallId")
	agent := cmp.Or(readers.Text(e.whole, "agentId"), by)
	if agent == "" {
		return
	}
	t := l.threadOf(agent)
	l.agents[by] = agent
	t.session.Title = cmp.Or(readers.Text(e.Value, "agentDisplayName"), readers.Text(e.Value, "agentName"))
	t.model = cmp.Or(l.modelIn(e.Value, "model"), t.model)
	t.extra.JSON("agent_name", e.Get("agentName"))
	t.extra.JSON("agent_description", e.Get("agentDescription"))
	t.extra.JSON("agent_type", e.Get("agentType"))
	t.extra.JSON("execution_mode", e.Get("executionMode"))
	if c := l.calls[by]; c != nil {
		l.setParentCall(t, c)
	}
	l.switchTo(t)
}

// subagentEnded handles the end of a subagent, with its totals.
func (l *log) subagentEnded(e *event) {
	agent := cmp.Or(readers.Text(e.whole, "agentId"), l.agents[readers.Text(e.Value, "toolCallId")], readers.Text(e.Value, "toolCallId"))
	if agent == "" {
		return
	}
	t := l.threadOf(agent)
	t.extra.Set("status", "completed")
	if e.kind == "subagent.failed" {
		t.extra.Set("status", "failed")
		if e.GetBool("cancelled") {
			t.extra.Set("status", "cancelled")
		}
	}
	for name, key := range map[string]string{"error": "error", "total_tokens": "totalTokens", "total_tool_calls": "totalToolCalls", "duration_ms": "durationMs"} {
		t.extra.JSON(name, e.Get(key))
	}
}

// openCompaction describes a compaction that has begun and not ended.
type openCompaction struct {
	begun bool
	at    time.Time
	since []string // messages written during the compaction; they are not replaced
}

func (l *log) compactionStarted(e *event) {
	l.thread(e).compaction = openCompaction{begun: true, at: e.at}
}

// compacted handles the end of a compaction: its summary becomes a message. If the
// compaction failed or wasn't applied, it replaced no messages (FORMAT.md §6).
func (l *log) compacted(e *event) {
	t := l.thread(e)
	s := t.compaction
	t.compaction = openCompaction{}
	outcome := readers.Text(e.Value, "outcome")
	if !e.GetBool("success") || outcome != "" && outcome != "applied" {
		m := e.message(tables.RoleSystem, tables.KindNotice, cmp.Or(readers.Text(e.Value, "error"), "compaction: "+cmp.Or(outcome, "failed")))
		l.emitMessage(t, m)
		return
	}
	m := e.message(tables.RoleUser, tables.KindSummary, readers.Text(e.Value, "summaryContent"))
	extra := readers.Extra{}
	extra.JSON("trigger", e.Get("trigger"))
	extra.JSON("custom_instructions", e.Get("customInstructions"))
	extra.JSON("tokens_used", e.Get("compactionTokensUsed"))
	extra.JSON("messages_removed", e.Get("messagesRemoved"))
	m.Extra = readers.Object(extra)
	l.emitMessage(t, m)
	c := &tables.Compaction{
		UUID:              e.id,
		LogicalParentUUID: m.ParentUUID,
		Trigger:           readers.TriggerOf(readers.Text(e.Value, "trigger")),
		PreTokens:         readers.Count(e.Value, "preCompactionTokens"),
		PostTokens:        readers.Count(e.Value, "postCompactionTokens"),
		TokensEstimated:   strings.Contains(readers.Text(e.Value, "tokenAccountingBasis"), "estimate"),
		DurationMS:        readers.MillisBetween(s.at, e.at),
		Summary:           m.Text,
		SummarySource:     tables.SummaryInline,
		PreservedUUIDs:    s.since,
		Timestamp:         e.at,
	}
	if m.Text == "" {
		c.SummarySource = tables.SummaryNone
	}
	l.emit(t, c)
}
