package tables

import (
	"cmp"
	"time"
)

// joinDecisions sets the decisions about calls: first from refusals, then from
// interruptions while a call waited for approval. The reader's Decision events come
// last and override both.
func (s *session) joinDecisions() {
	for _, r := range s.rejections {
		if c := s.byToolUseID[r.ToolUseID]; c != nil && !r.Cascaded {
			c.decision = Decision{Decision: Refused, DecidedBy: r.DecidedBy, Confidence: r.Confidence}
			if r.DecidedBy == ByNobody {
				c.decision.Decision = Unanswered
			}
		}
	}
	for _, i := range s.interruptions {
		if i.call != nil && i.Phase == PhaseApproval && i.Type == InterruptedByUser && i.call.decision.Decision == "" {
			i.call.decision = Decision{Decision: Cancelled, DecidedBy: ByUser, Confidence: i.Confidence}
		}
	}
	for _, d := range s.decisions {
		if c := s.byToolUseID[d.ToolUseID]; c != nil {
			c.decision.add(d)
		}
	}
}

// leastWait is the shortest time in which a person can refuse a call. It is used if
// only the times of the call and the refusal are known. If less time lies between them,
// the agent wrote both lines at once, and the wait is unknown.
const leastWait = 500 * time.Millisecond

// joinWaits computes how long a person took to refuse a call: from the call to the
// refusal. A refused call doesn't run, so the whole time is the person's. A wait set by
// the reader is kept. A call that ran and was undone later gets no wait.
func (s *session) joinWaits() {
	for _, r := range s.rejections {
		c := s.byToolUseID[r.ToolUseID]
		if c == nil || r.Cascaded || c.status != StatusRejected || c.decision.Decision != Refused || c.decision.DecidedBy != ByUser || c.decision.WaitedMS.OK || c.decision.WaitUnknown {
			continue
		}
		if r.Timestamp.IsZero() || c.ToolCall.Timestamp.IsZero() {
			continue
		}
		if gap := r.Timestamp.Sub(c.ToolCall.Timestamp); gap > leastWait && gap.Milliseconds() <= MostCounted {
			c.decision.WaitedMS = Some(gap.Milliseconds())
		}
	}
}

// add overrides fields of d with the fields set in a later event e.
func (d *Decision) add(e *Decision) {
	if e.Decision != "" && e.Decision != d.Decision {
		*d = Decision{Decision: e.Decision, Confidence: cmp.Or(e.Confidence, 1), WaitedMS: d.WaitedMS}
	}
	d.DecidedBy = cmp.Or(e.DecidedBy, d.DecidedBy)
	d.Scope = cmp.Or(e.Scope, d.Scope)
	d.Confidence = cmp.Or(e.Confidence, d.Confidence)
	d.WaitUnknown = e.WaitUnknown || d.WaitUnknown
	if e.WaitedMS.OK {
		d.WaitedMS = e.WaitedMS
	}
}

func (c *call) decisionConfidence() Maybe[float64] {
	return Maybe[float64]{c.decision.Confidence, c.decision.Decision != ""}
}

// commandParts returns the simple commands of a command granted or refused by a person;
// nil for any other call.
func (c *call) commandParts() []string {
	if c.Parts == nil || c.Command == "" || c.decision.DecidedBy != ByUser || c.decision.Decision != Granted && c.decision.Decision != Refused {
		return nil
	}
	parts := c.Parts(c.Command)
	if parts == nil {
		parts = []string{}
	}
	return parts
}

// typedBy returns who typed a prompt or command; empty for messages of another kind.
func (m *message) typedBy() string {
	if m.Kind != KindPrompt && m.Kind != KindCommand {
		return ""
	}
	return cmp.Or(m.Message.TypedBy, TypedByHuman)
}
