package tables

import "slices"

// joinInterruptions finds what each of them cut, and what was being answered.
func (s *session) joinInterruptions() {
	if len(s.interruptions) == 0 {
		return
	}
	asked, met := s.asked(), s.meetings()
	for _, i := range s.interruptions {
		i.call = s.byToolUseID[i.ToolUseID]
		i.joinCut(met)
		i.prompt = asked.before(i.at)
		if i.PairedRejection {
			continue
		}
		if i.cut != nil {
			i.cut.cutAlone = true
		}
		if i.call != nil && i.call.at != nil {
			i.call.at.cutAlone = true
		}
	}
}

// joinCut finds the response that was cut: the one that made the call, or the
// named one, or else the one just before.
func (i *interruption) joinCut(met *meetings) {
	switch {
	case i.call != nil:
		i.cut = i.call.at
	case !i.CutNothing:
		i.cut = i.cutAt(i.named(), met)
	}
	if i.cut != nil && i.cut.Kind != KindResponse {
		i.cut = nil
	}
	if i.PartialOutput == "" && !i.PartialUnknown && i.Phase == PhaseResponse && i.cut != nil {
		i.PartialOutput = i.cut.Text
	}
}

// named is the message that the log says was cut; else the one before the stop.
func (i *interruption) named() *message {
	if m := i.cutBy(i.CutUUID, i.CutMessageID); m != nil {
		return m
	}
	if indexOf(i.at) > 0 {
		return i.messages[i.at.index-1]
	}
	return nil
}

// cutAt is the response that a stop at a message cut: itself, if it wasn't
// complete, or that which made a call whose end the message tells; nil for none.
func (i *interruption) cutAt(m *message, met *meetings) *message {
	switch {
	case m == nil:
	case m.Kind == KindResponse && i.cutShort(m, met):
		return m
	case m.Kind == KindToolResult && i.Phase != PhaseResponse:
		if c := met.first(meeting{m, true, i.asked()}); c != nil {
			return c.at
		}
	}
	return nil
}

// cutReasons are the StopReasons of an answer that didn't come to its end. The
// others are the model's own words for how it ended.
var cutReasons = []string{"aborted", "abort", "cancelled", "canceled", "error", "failed", "interrupted", "needs_input", "pending", "unknown"}

// cutShort says whether a stop cut the response, or a call of it. Calls run
// once the answer is complete, unless the log names it by its API message: then
// they may run while the model goes on. An answer stands there whole if the log
// never keeps what a cut one had said.
func (i *interruption) cutShort(m *message, met *meetings) bool {
	cut := slices.Contains(cutReasons, m.StopReason)
	switch {
	case m == i.at, met.first(meeting{m, false, i.asked()}) != nil:
		return true // it says so itself
	case len(m.calls) > 0 && (i.Phase == PhaseTool || i.Phase == PhaseApproval):
		return true // which of them was cut isn't told
	case m.StopReason != "" && !cut:
		return false
	case i.CutMessageID != "" && i.byMessageID[i.CutMessageID] == m:
		return true
	case len(m.calls) > 0:
		return false
	}
	return cut || m.Text == "" || !i.PartialUnknown || i.Phase != PhaseResponse
}

// asked says whether the stop came while a call waited for an answer.
func (i *interruption) asked() bool { return i.Phase == PhaseApproval || i.PairedRejection }

// meetings finds the calls that stops met. A damaged log may stop thousands of
// times at one message.
type meetings struct {
	ended map[*message][]*call // by the message that brought their results
	found map[meeting]*call
}

// meeting is of a stop with one of the calls that a message makes, or whose ends
// it brings.
type meeting struct {
	at          *message
	ends, asked bool
}

func (s *session) meetings() *meetings {
	m := &meetings{map[*message][]*call{}, map[meeting]*call{}}
	for _, c := range s.calls {
		if c.result != nil {
			m.ended[c.result.at] = append(m.ended[c.result.at], c)
		}
	}
	return m
}

// first is the first call that was waiting or running then; nil for none.
func (m *meetings) first(at meeting) *call {
	c, known := m.found[at]
	if known {
		return c
	}
	calls := at.at.calls
	if at.ends {
		calls = m.ended[at.at]
	}
	if n := slices.IndexFunc(calls, func(c *call) bool { return c.met(at.asked) }); n >= 0 {
		c = calls[n]
	}
	m.found[at] = c
	return c
}

// met says whether a stop can have met the call.
func (c *call) met(asked bool) bool {
	switch c.status {
	case StatusInterrupted, StatusPending, StatusLost:
		return true
	case StatusRejected, StatusSkipped:
		return asked
	}
	return false
}
