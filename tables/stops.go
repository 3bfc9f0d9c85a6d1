package tables

import "slices"

// joinInterruptions finds the cut response, the cut call and the answered prompt of
// each interruption.
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

// joinCut finds the cut response: the response with the cut call, or the response named
// by the log, or the message just before the stop.
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

// named returns the cut message according to the log; if the log names no message, the
// message before the stop.
func (i *interruption) named() *message {
	if m := i.cutBy(i.CutUUID, i.CutMessageID); m != nil {
		return m
	}
	if indexOf(i.at) > 0 {
		return i.messages[i.at.index-1]
	}
	return nil
}

// cutAt returns the response cut by a stop at message m: m, if m is an incomplete
// response; or the maker of a call, if m brought the result of a call met by the stop;
// nil if no response was cut.
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

// cutReasons lists the StopReasons of an incomplete answer. All other reasons are the
// model's own words for an ending.
var cutReasons = []string{"aborted", "abort", "cancelled", "canceled", "error", "failed", "interrupted", "needs_input", "pending", "unknown"}

// cutShort reports whether a stop cut the response, or a call of the response. Usually
// calls run only after the answer is complete. If the log names the cut API message,
// calls may have run while the model went on. If the log never keeps the text of a cut
// answer, an answer with text was complete.
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

// asked reports whether the stop came while a call waited for approval.
func (i *interruption) asked() bool { return i.Phase == PhaseApproval || i.PairedRejection }

// meetings finds the calls met by stops. Results are kept, because a damaged log may
// stop thousands of times at one message.
type meetings struct {
	ended map[*message][]*call // by the message with their results
	found map[meeting]*call
}

// meeting is the key for a call met by a stop: among the calls made by message at, or
// among the calls whose results the message brought.
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

// first returns the first call that was waiting or running at the stop; nil if no call
// was.
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

// met reports whether a stop can have met the call.
func (c *call) met(asked bool) bool {
	switch c.status {
	case StatusInterrupted, StatusPending, StatusLost:
		return true
	case StatusRejected, StatusSkipped:
		return asked
	}
	return false
}
