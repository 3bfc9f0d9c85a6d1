package tables

import "slices"

func (s *session) addCascades() {
	known := refusals{}
	for _, r := range s.rejections {
		known[r.ToolUseID] = r
	}
	for _, d := range s.decisions {
		if d.Decision == Granted && d.DecidedBy == ByUser && known[d.ToolUseID] == nil {
			known[d.ToolUseID] = &rejection{Rejection: &Rejection{}} // none: a call that a person granted was cut, not dropped
		}
	}
	for _, m := range s.messages {
		m.addCascades(known)
	}
}

// addCascades adds a rejection for each call that was dropped because another call of its
// batch (the calls of one message) was refused. It names the refused call as the cause.
// These rejections don't count as refusals by a person, because no person was asked
// about the dropped calls.
func (m *message) addCascades(known refusals) {
	ended := m.failedCalls()
	rejected, refused := ended.last(StatusRejected), ended.last(StatusRejected, StatusDenied)
	if refused == nil {
		return // no refusal, as in most messages
	}
	for _, c := range m.calls {
		if c.ParentToolUseID != "" || c.resultOrEmpty().InBackground {
			continue // a script's calls form no batch, and a call in the background outlives it
		}
		var cause *call
		switch {
		case c.status == StatusLost, c.status == StatusInterrupted && !m.cutAlone:
			cause = rejected
		case c.status == StatusSkipped:
			// A skipped call was dropped because of the last call before it that was
			// refused or failed: a failure drops the rest of the batch, too.
			if cause = ended.before(c.result); cause == nil {
				cause = refused
			}
		}
		if cause != nil && cause.status != StatusError && cause.ToolUseID != "" && c.ToolUseID != "" {
			m.session.addCascaded(c, cause, known)
		}
	}
}

// failedCalls holds the refused or failed calls of a message in the order of their
// results.
type failedCalls []*call

// failedCalls returns the message's refused or failed calls. Few messages have any.
func (m *message) failedCalls() (b failedCalls) {
	for _, c := range m.calls {
		if c.ParentToolUseID == "" && c.result != nil && !c.result.InBackground && (c.status == StatusRejected || c.status == StatusDenied || c.status == StatusError) {
			b = append(b, c)
		}
	}
	slices.SortFunc(b, func(x, y *call) int { return x.result.order - y.result.order })
	return b
}

// last returns the last call with one of the statuses; nil if no call has.
func (b failedCalls) last(statuses ...string) *call {
	for _, c := range slices.Backward(b) {
		if slices.Contains(statuses, c.status) {
			return c
		}
	}
	return nil
}

// before returns the last call that ended before result r; nil if no call did.
func (b failedCalls) before(r *result) *call {
	n, _ := slices.BinarySearchFunc(b, r.order, func(c *call, order int) int { return c.result.order - order })
	if n == 0 {
		return nil
	}
	return b[n-1]
}

// refusals maps the id of a refused call to the session's rejection.
type refusals map[string]*rejection

// Confidence of the rejection of a dropped call whose result doesn't say "skipped": the
// call was interrupted together with its batch, or has no result.
const (
	cutWithBatch  = 0.9
	lostWithBatch = 0.8
)

// addCascaded adds the rejection of call c, dropped because of call cause. The row
// belongs to the message with the result of c; for a lost call, to the message with the
// refusal.
func (s *session) addCascaded(c, cause *call, known refusals) {
	if known[c.ToolUseID] != nil {
		return
	}
	r := &rejection{session: s, call: c, at: cause.result.at, Rejection: &Rejection{
		ToolUseID: c.ToolUseID, DecidedBy: ByRule, Cascaded: true, CauseToolUseID: cause.ToolUseID,
		Evidence: EvidenceRecorded, Confidence: 1, Timestamp: cause.result.Timestamp,
	}}
	switch c.status {
	case StatusInterrupted:
		r.Evidence, r.Confidence = EvidenceInferred, cutWithBatch
	case StatusLost:
		r.Evidence, r.Confidence = EvidenceInferred, lostWithBatch
	}
	if c.result != nil {
		r.at, r.Rejection.Timestamp = c.result.at, c.result.Timestamp
	}
	if of := known[cause.ToolUseID]; of != nil && of.Evidence == EvidenceInferred {
		r.Evidence, r.Confidence = EvidenceInferred, min(r.Confidence, of.Confidence)
	}
	known[c.ToolUseID] = r
	s.rejections = append(s.rejections, r)
}
