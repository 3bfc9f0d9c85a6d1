package tables

import "slices"

// joinInterruptions finds what each of them cut, and what was being answered.
func (s *session) joinInterruptions() {
	if len(s.interruptions) == 0 {
		return
	}
	asked := s.asked()
	ended := map[*message][]*call{} // by the message that brought their results
	for _, c := range s.calls {
		if c.result != nil {
			ended[c.result.at] = append(ended[c.result.at], c)
		}
	}
	for _, i := range s.interruptions {
		i.call = s.byToolUseID[i.ToolUseID]
		i.joinCut(ended)
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
func (i *interruption) joinCut(ended map[*message][]*call) {
	switch {
	case i.call != nil:
		i.cut = i.call.at
	case !i.CutNothing:
		i.cut = i.cutAt(i.named(), ended)
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
func (i *interruption) cutAt(m *message, ended map[*message][]*call) *message {
	switch {
	case m == nil:
	case m.Kind == KindResponse && i.cutShort(m):
		return m
	case m.Kind == KindToolResult && i.Phase != PhaseResponse:
		for _, c := range ended[m] {
			if i.met(c) {
				return c.at
			}
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
func (i *interruption) cutShort(m *message) bool {
	cut := slices.Contains(cutReasons, m.StopReason)
	switch {
	case m == i.at, slices.ContainsFunc(m.calls, i.met):
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

// met says whether a call was waiting or running when the stop came.
func (i *interruption) met(c *call) bool {
	switch c.status {
	case StatusInterrupted, StatusPending, StatusLost:
		return true
	case StatusRejected, StatusSkipped:
		return i.Phase == PhaseApproval || i.PairedRejection
	}
	return false
}
