package vscode

import (
	"cmp"
	"slices"
	"strconv"

	"hindsql/readers"
	"hindsql/tables"
)

// sent is an emitted message.
type sent struct {
	uuid  string
	place int // 1-based, among all messages
}

// emitAll emits all rows of the file.
func (c *chat) emitAll() {
	if !c.foreign && (len(c.requests) > 0 || c.facts.id != "" && len(c.newer) == 0) {
		main := c.newSession()
		c.in.Emit(main)
		for _, r := range c.requests {
			for _, b := range r.rounds {
				for _, t := range b.calls {
					t.resolve(r, b.Timestamp)
				}
			}
		}
		e := &emitter{chat: c, main: main, rounds: map[string]int{}, kept: c.resolveEdits()}
		for _, r := range c.requests {
			e.emitRequest(r)
		}
		if len(e.inactive) > 0 {
			c.in.Emit(&tables.Inactive{UUIDs: e.inactive})
		}
	}
	c.kinds.Emit(c.in.Emit)
}

// emitter emits requests. It remembers the emitted messages, because a later summary
// replaces them.
type emitter struct {
	*chat
	main       *tables.Session
	kept       keptEdits
	sent       int            // messages so far
	unreplaced []sent         // active messages not yet replaced by a summary
	rounds     map[string]int // place of the first message of each round
	inactive   []string
	parent     string // the last message of the active line
}

// emitMessage emits a message of a request.
func (e *emitter) emitMessage(r *request, m *tables.Message, round string) {
	m.ParentUUID = e.parent
	if r.removed {
		e.inactive = append(e.inactive, m.UUID)
	} else {
		e.parent = m.UUID
	}
	e.in.Emit(m)
	e.recordMessage(m.UUID, r.removed)
	if _, seen := e.rounds[round]; !seen && round != "" {
		e.rounds[round] = e.sent
	}
}

// recordMessage remembers an emitted message; removed means that its request is no longer
// active.
func (e *emitter) recordMessage(uuid string, removed bool) {
	if e.sent++; !removed {
		e.unreplaced = append(e.unreplaced, sent{uuid, e.sent})
	}
}

// emitRequest emits a request: the question, the answer, and how the answer ended.
func (e *emitter) emitRequest(r *request) {
	if r.user != nil {
		e.emitMessage(r, r.user, "")
	}
	if r.compacted && len(r.summaries) == 0 {
		e.in.Emit(r.newCompaction()) // no file has its summary
	}
	for _, b := range r.rounds {
		if b.by != nil {
			b.by.child = e.subagentSessionID(b) // the call started the subagent
		}
	}
	inRound := map[string][]*summary{}
	for _, s := range r.summaries {
		if s.round != "" && slices.ContainsFunc(r.rounds, func(b *round) bool { return b.id == s.round }) {
			inRound[s.round] = append(inRound[s.round], s)
		} else {
			e.emitSummary(r, s)
		}
	}
	for _, b := range r.rounds {
		if b.agent != "" {
			e.emitSubagent(r, b)
			continue
		}
		e.emitRound(r, b)
		for _, s := range inRound[b.id] {
			e.emitSummary(r, s)
		}
	}
	for i, m := range r.notices {
		m.UUID = r.uuid + "/notice/" + strconv.Itoa(i)
		e.emitMessage(r, m, "")
	}
	e.emitEnd(r)
}

func (e *emitter) emitSummary(r *request, s *summary) {
	until, seen := e.rounds[s.round]
	if !seen {
		until = e.sent
	}
	replaced := []string{}
	for ; len(e.unreplaced) > 0 && e.unreplaced[0].place <= until; e.unreplaced = e.unreplaced[1:] {
		replaced = append(replaced, e.unreplaced[0].uuid)
	}
	e.emitSummaryMessage(r, s, replaced)
	uuid := r.uuid + "/" + s.round + "/summary"
	e.recordMessage(uuid, r.removed)
	if r.removed {
		e.inactive = append(e.inactive, uuid)
	}
}

func (e *emitter) emitRound(r *request, b *round) {
	e.emitMessage(r, &b.Message, b.id)
	if b.encrypted {
		k := r.newCompaction()
		k.SummarySource = tables.SummaryEncrypted
		e.in.Emit(k)
	}
	e.emitCalls(r, b)
}

func (e *emitter) emitCalls(r *request, b *round) {
	for _, t := range b.calls {
		t.Extra = readers.Object(t.extra)
		e.in.Emit(&t.ToolCall)
		e.emitResult(t, e.kept[t])
		if d := t.decisionEvent(cmp.Or(t.shownIn, r)); d != nil {
			e.in.Emit(d)
		}
		if t.outcome.by != "" {
			e.in.Emit(newRejection(t))
		}
	}
}

func newRejection(t *call) *tables.Rejection {
	x := &tables.Rejection{
		ToolUseID: t.ToolUseID, DecidedBy: t.outcome.by, Timestamp: t.Timestamp,
		Evidence: t.outcome.evidence, Confidence: t.outcome.confidence,
	}
	if t.part != nil {
		x.DenialKind = t.part.decision.denialKind()
	}
	if t.outcome.by != tables.ByUser {
		x.RejectionType = tables.RejectPermission
	}
	return x
}

// emitSubagent emits a subagent's messages and calls, in a session of its own.
func (e *emitter) emitSubagent(r *request, b *round) {
	s := *e.main
	s.SessionID, s.NativeID = e.subagentSessionID(b), b.agent
	s.Kind, s.ParentSessionID = tables.SessionSubagent, e.main.SessionID
	s.Title, s.Extra = "", ""
	if b.by != nil && b.by.round != nil && b.by.round.agent != "" {
		s.ParentSessionID = e.subagentSessionID(b.by.round)
	}
	e.in.Emit(&s)
	e.in.Emit(&b.Message)
	e.emitCalls(r, b)
	if r.removed {
		e.in.Emit(&tables.Inactive{UUIDs: []string{b.UUID}})
	}
	e.in.Emit(e.main)
}

// subagentSessionID returns the session id of a subagent.
func (e *emitter) subagentSessionID(b *round) string { return e.main.SessionID + "/" + b.agent }

// emitSummaryMessage emits a summary as a message, and its compaction. replaced lists the
// messages that the summary replaces: all messages up to its round.
func (c *chat) emitSummaryMessage(r *request, s *summary, replaced []string) {
	m := &tables.Message{
		UUID:      r.uuid + "/" + s.round + "/summary",
		Role:      tables.RoleUser,
		Kind:      tables.KindSummary,
		Text:      s.text,
		Timestamp: r.started,
		RequestID: r.id,
		Line:      r.line,
		Extra:     readers.Object(s.extra),
	}
	e := r.newCompaction()
	e.UUID, e.Summary, e.SummarySource = m.UUID, s.text, tables.SummaryInline
	e.PreTokens, e.DurationMS = s.pre, s.duration
	e.ReplacedUUIDs = replaced
	c.in.Emit(m)
	c.in.Emit(e)
}

// newCompaction returns a compaction of the request, without its summary.
func (r *request) newCompaction() *tables.Compaction {
	e := &tables.Compaction{Trigger: "auto", TriggerInferred: true, SummarySource: tables.SummaryNone, Timestamp: r.started}
	if r.compact {
		e.Trigger, e.TriggerInferred = "manual", false
	}
	return e
}
