package tables

import "slices"

// joinInterruptions finds, for each interruption, the response and the call that it
// stopped, and the prompt that was being answered.
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

// joinCut finds the response that the interruption stopped: the response with the
// stopped call, otherwise the response that the log names, otherwise the message just
// before the interruption.
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

// named returns the message that the log names as stopped. If the log names no message,
// named returns the message before the interruption, or nil.
func (i *interruption) named() *message {
	if m := i.cutBy(i.CutUUID, i.CutMessageID); m != nil {
		return m
	}
	if indexOf(i.at) > 0 {
		return i.messages[i.at.index-1]
	}
	return nil
}

// cutAt returns the response that was stopped at message m. This is m itself if m is an
// incomplete response. If m holds results, it is the response with the call that was
// stopped. The result is nil if no response was stopped.
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

// cutReasons lists the StopReasons of an incomplete answer. Any other StopReason says
// why the model itself ended the answer.
var cutReasons = []string{"aborted", "abort", "cancelled", "canceled", "error", "failed", "interrupted", "needs_input", "pending", "unknown"}

// cutShort reports whether the interruption stopped the response m, or a call of m.
// Calls usually run only after the answer is complete, so a response with calls was
// complete. But if the log names m as stopped, its calls may have run while the model
// went on. If the log never keeps the text of a stopped answer, an answer with text was
// complete.
func (i *interruption) cutShort(m *message, met *meetings) bool {
	cut := slices.Contains(cutReasons, m.StopReason)
	switch {
	case m == i.at, met.first(meeting{m, false, i.asked()}) != nil:
		return true // the response itself shows the cut
	case len(m.calls) > 0 && (i.Phase == PhaseTool || i.Phase == PhaseApproval):
		return true // the log doesn't tell which call was cut
	case m.StopReason != "" && !cut:
		return false
	case i.CutMessageID != "" && i.byMessageID[i.CutMessageID] == m:
		return true
	case len(m.calls) > 0:
		return false
	}
	return cut || m.Text == "" || !i.PartialUnknown || i.Phase != PhaseResponse
}

// asked reports whether the user interrupted while a call waited for approval.
func (i *interruption) asked() bool { return i.Phase == PhaseApproval || i.PairedRejection }

// meetings finds the calls that were open when an interruption came. It caches the
// results, because a damaged log may have thousands of interruptions at one message.
type meetings struct {
	ended map[*message][]*call // by the message with their results
	found map[meeting]*call
}

// meeting is the key of that cache. It names the calls to search: the calls that
// message at made or, if ends is true, the calls whose results message at holds.
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

// first returns the first of these calls that was waiting or running when the
// interruption came; nil if there is none.
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

// met reports whether an interruption may have found the call waiting or running. asked
// is true if a question was open.
func (c *call) met(asked bool) bool {
	switch c.status {
	case StatusInterrupted, StatusPending, StatusLost:
		return true
	case StatusRejected, StatusSkipped:
		return asked
	}
	return false
}
