package tables

import "slices"

func (s *session) cascades() {
	given := refusals{}
	for _, r := range s.rejections {
		given[r.ToolUseID] = r
	}
	for _, m := range s.messages {
		m.cascade(given)
	}
}

// cascade says, for each call that a refused call of its batch pulled down,
// whose refusal that was. It counts as no refusal by a person: nobody was
// asked about the call.
func (m *message) cascade(given refusals) {
	ended := m.endedBadly()
	rejected, refused := ended.last(StatusRejected), ended.last(StatusRejected, StatusDenied)
	if refused == nil {
		return // nobody refused: most messages
	}
	for _, c := range m.calls {
		if c.ParentToolUseID != "" {
			continue // a script makes its calls as it pleases: they are no batch
		}
		var cause *call
		switch {
		case c.status == StatusLost, c.status == StatusInterrupted && !m.cutAlone:
			cause = rejected
		case c.status == StatusSkipped:
			// It went down with the call that ended badly just before it, which
			// need not have been refused: a failure takes its batch along too.
			if cause = ended.before(c.result); cause == nil {
				cause = refused
			}
		}
		if cause != nil && cause.status != StatusError && cause.ToolUseID != "" && c.ToolUseID != "" {
			m.session.addCascaded(c, cause, given)
		}
	}
}

// badEnds are the calls of a message that were refused or failed, in the order
// of their results.
type badEnds []*call

// endedBadly are those of a message. Few have any.
func (m *message) endedBadly() (b badEnds) {
	for _, c := range m.calls {
		if c.ParentToolUseID == "" && c.result != nil && (c.status == StatusRejected || c.status == StatusDenied || c.status == StatusError) {
			b = append(b, c)
		}
	}
	slices.SortFunc(b, func(x, y *call) int { return x.result.order - y.result.order })
	return b
}

// last is the call that ended last in one of the ways; nil for none.
func (b badEnds) last(ways ...string) *call {
	for _, c := range slices.Backward(b) {
		if slices.Contains(ways, c.status) {
			return c
		}
	}
	return nil
}

// before is the call that ended last before a result; nil for none.
func (b badEnds) before(r *result) *call {
	n, _ := slices.BinarySearchFunc(b, r.order, func(c *call, order int) int { return c.result.order - order })
	if n == 0 {
		return nil
	}
	return b[n-1]
}

// refusals are a session's rejections by the call that was refused.
type refusals map[string]*rejection

// How sure it is that a call without a result of its own kind went down with
// its batch-mate: a cut in the same batch, and no result at all.
const (
	cutWithMate  = 0.9
	lostWithMate = 0.8
)

// addCascaded adds the row. It stands where the call's end does; a lost call's
// where the refusal does.
func (s *session) addCascaded(c, cause *call, given refusals) {
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
	if given[c.ToolUseID] != nil {
		return
	}
	if of := given[cause.ToolUseID]; of != nil && of.Evidence == EvidenceInferred {
		r.Evidence, r.Confidence = EvidenceInferred, min(r.Confidence, of.Confidence)
	}
	given[c.ToolUseID] = r
	s.rejections = append(s.rejections, r)
}
