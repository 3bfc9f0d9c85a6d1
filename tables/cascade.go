package tables

import "slices"

// cascade says, for each call that a refused call of its batch pulled down,
// whose refusal that was. It counts as no refusal by a person: nobody was
// asked about the call.
func (m *message) cascade() {
	if m.lastEnded(nil, StatusRejected, StatusDenied) == nil {
		return // nobody refused: most messages
	}
	cut := m.cutAlone()
	for _, c := range m.calls {
		if c.ParentToolUseID != "" {
			continue // a script makes its calls as it pleases: they are no batch
		}
		if cause := m.causeOf(c, cut); cause != nil && c.ToolUseID != "" {
			m.session.addCascaded(c, cause)
		}
	}
}

// cutAlone says whether somebody stopped a call of the message, or the message
// itself, by another keypress than a refusal.
func (m *message) cutAlone() bool {
	for _, i := range m.session.interruptions {
		if !i.PairedRejection && (i.cut == m || i.call != nil && i.call.at == m) {
			return true
		}
	}
	return false
}

// causeOf is the refused call that pulled a call down; nil for none. A call
// that was skipped goes down with the call that ended badly just before it,
// which need not have been refused: a failure takes its batch along too.
func (m *message) causeOf(c *call, cut bool) *call {
	var cause *call
	switch {
	case c.status == StatusLost, c.status == StatusInterrupted && !cut:
		cause = m.lastEnded(nil, StatusRejected)
	case c.status == StatusSkipped:
		if cause = m.lastEnded(c.result, StatusRejected, StatusDenied, StatusError); cause == nil {
			cause = m.lastEnded(nil, StatusRejected, StatusDenied)
		}
	}
	if cause == nil || cause.status == StatusError || cause.ToolUseID == "" {
		return nil
	}
	return cause
}

// lastEnded is the call of the message that ended last in one of the ways,
// before a result, or at all where that is nil; nil for none.
func (m *message) lastEnded(before *result, ways ...string) *call {
	var last *call
	for _, c := range m.calls {
		switch {
		case c.ParentToolUseID != "", c.result == nil || !slices.Contains(ways, c.status), before != nil && c.result.order >= before.order:
		case last == nil || c.result.order > last.result.order:
			last = c
		}
	}
	return last
}

// How sure it is that a call without a result of its own kind went down with
// its batch-mate: a cut in the same batch, and no result at all.
const (
	cutWithMate  = 0.9
	lostWithMate = 0.8
)

// addCascaded adds the row. It stands where the call's end does; a lost call's
// where the refusal does.
func (s *session) addCascaded(c, cause *call) {
	r := &rejection{session: s, call: c, at: cause.result.at, Rejection: &Rejection{
		ToolUseID: c.ToolUseID, DecidedBy: ByRule, Cascaded: true, CauseToolUseID: cause.ToolUseID,
		Evidence: EvidenceRecorded, Confidence: 1, Timestamp: cause.result.Timestamp,
	}}
	switch c.status {
	case StatusInterrupted:
		r.Evidence, r.Confidence = EvidenceInferred, cutWithMate
	case StatusLost:
		r.Evidence, r.Confidence = EvidenceInferred, lostWithMate
	}
	if c.result != nil {
		r.at, r.Rejection.Timestamp = c.result.at, c.result.Timestamp
	}
	for _, given := range s.rejections {
		if given.ToolUseID == c.ToolUseID {
			return
		}
		if given.ToolUseID == cause.ToolUseID && given.Evidence == EvidenceInferred {
			r.Evidence, r.Confidence = EvidenceInferred, min(r.Confidence, given.Confidence)
		}
	}
	s.rejections = append(s.rejections, r)
}
