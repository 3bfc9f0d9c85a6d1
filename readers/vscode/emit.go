package vscode

import (
	"cmp"
	"strconv"

	"hindsql/readers"
	"hindsql/tables"
)

// sent is an emitted message.
type sent struct {
	uuid  string
	place int // 1-based, among all messages
}

// finish emits all rows of the file.
func (c *chat) finish() {
	if !c.foreign && (len(c.requests) > 0 || c.facts.id != "" && len(c.newer) == 0) {
		main := c.session()
		c.in.Emit(main)
		for _, r := range c.requests {
			for _, b := range r.rounds {
				for _, t := range b.calls {
					t.settle(r, b.Timestamp)
				}
			}
		}
		e := &emitter{chat: c, main: main, rounds: map[string]int{}, fates: c.fatesOfEdits()}
		for _, r := range c.requests {
			e.request(r)
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
	main     *tables.Session
	fates    fates
	sent     int            // messages so far
	left     []sent         // active messages not yet replaced by a summary
	rounds   map[string]int // place of the first message of each round
	inactive []string
	parent   string // the last message of the active line
}

// message emits a message of a request.
func (e *emitter) message(r *request, m *tables.Message, round string) {
	m.ParentUUID = e.parent
	if r.removed {
		e.inactive = append(e.inactive, m.UUID)
	} else {
		e.parent = m.UUID
	}
	e.in.Emit(m)
	e.note(m.UUID, r.removed)
	if _, met := e.rounds[round]; !met && round != "" {
		e.rounds[round] = e.sent
	}
}

// note remembers an emitted message; removed means that its request is no longer
// active.
func (e *emitter) note(uuid string, removed bool) {
	if e.sent++; !removed {
		e.left = append(e.left, sent{uuid, e.sent})
	}
}

// request emits a request: the question, the answer, and how the answer ended.
func (e *emitter) request(r *request) {
	if r.user != nil {
		e.message(r, r.user, "")
	}
	if r.compacted && len(r.summaries) == 0 {
		e.in.Emit(e.compaction(r)) // no file has its summary
	}
	e.nameCallers(r)
	inRound := map[string][]*summary{}
	for _, s := range r.summaries {
		if r.hasRound(s.round) {
			inRound[s.round] = append(inRound[s.round], s)
		} else {
			e.summary(r, s)
		}
	}
	for _, b := range r.rounds {
		if b.agent != "" {
			e.subagent(r, b)
			continue
		}
		e.round(r, b)
		for _, s := range inRound[b.id] {
			e.summary(r, s)
		}
	}
	for i, m := range r.notices {
		m.UUID = r.uuid + "/notice/" + strconv.Itoa(i)
		e.message(r, m, "")
	}
	e.end(r)
}

func (r *request) hasRound(id string) bool {
	for _, b := range r.rounds {
		if b.id == id && id != "" {
			return true
		}
	}
	return false
}

func (e *emitter) summary(r *request, s *summary) {
	until, met := e.rounds[s.round]
	if !met {
		until = e.sent
	}
	replaced := []string{}
	for ; len(e.left) > 0 && e.left[0].place <= until; e.left = e.left[1:] {
		replaced = append(replaced, e.left[0].uuid)
	}
	e.emitSummary(r, s, replaced)
	uuid := r.uuid + "/" + s.round + "/summary"
	e.note(uuid, r.removed)
	if r.removed {
		e.inactive = append(e.inactive, uuid)
	}
}

func (e *emitter) round(r *request, b *round) {
	e.message(r, &b.Message, b.id)
	if b.encrypted {
		k := e.compaction(r)
		k.SummarySource = tables.SummaryEncrypted
		e.in.Emit(k)
	}
	e.calls(r, b)
}

func (e *emitter) calls(r *request, b *round) {
	for _, t := range b.calls {
		t.Extra = readers.Object(t.extra)
		e.in.Emit(&t.ToolCall)
		e.emitResult(t, e.fates[t])
		if d := t.decisionEvent(cmp.Or(t.shownIn, r)); d != nil {
			e.in.Emit(d)
		}
		if t.outcome.by != "" {
			e.in.Emit(rejectionOf(t))
		}
	}
}

func rejectionOf(t *call) *tables.Rejection {
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
