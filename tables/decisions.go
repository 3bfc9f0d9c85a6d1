package tables

import (
	"cmp"
	"time"
)

// joinDecisions ties what was decided to the calls: first what a refusal or a
// stop at the question says, then what the reader says, which stands.
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

// leastWait is how long a refusal takes a person at least, where only the times
// of call and refusal tell: what stands nearer together was written at once.
const leastWait = 500 * time.Millisecond

// joinWaits tells how long a person took to refuse a call, where the reader
// doesn't know better: from the call to the refusal. A refused call has no time
// of its own in that. One that ran, and whose edit was undone later, waited for
// nobody.
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

// add puts what a further event says in the place of what was known.
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

// commandParts are those of a command that a person was asked about.
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

// typedBy is who typed a prompt or a command; empty for what nobody typed.
func (m *message) typedBy() string {
	if m.Kind != KindPrompt && m.Kind != KindCommand {
		return ""
	}
	return cmp.Or(m.Message.TypedBy, TypedByHuman)
}
