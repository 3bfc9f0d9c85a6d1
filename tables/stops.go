package tables

import "slices"

// joinInterruptions finds, for each interruption, the response and the call that it
// stopped, and the prompt that was being answered.
func (s *session) joinInterruptions() {
	if len(s.interruptions) == 0 {
		return
	}
	asked, open := s.promptFinder(), s.openCalls()
	for _, i := range s.interruptions {
		i.call = s.byToolUseID[i.ToolUseID]
		i.joinCut(open)
		i.prompt = asked.promptFor(i.at)
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
func (i *interruption) joinCut(open *openCalls) {
	switch {
	case i.call != nil:
		i.cut = i.call.at
	case !i.CutNothing:
		i.cut = i.stoppedResponse(i.namedMessage(), open)
	}
	if i.cut != nil && i.cut.Kind != KindResponse {
		i.cut = nil
	}
	if i.PartialOutput == "" && !i.PartialUnknown && i.Phase == PhaseResponse && i.cut != nil {
		i.PartialOutput = i.cut.Text
	}
}

// namedMessage returns the message that the log names as stopped. If the log names no
// message, namedMessage returns the message before the interruption, or nil.
func (i *interruption) namedMessage() *message {
	if m := i.cutMessage(i.CutUUID, i.CutMessageID); m != nil {
		return m
	}
	if indexOf(i.at) > 0 {
		return i.messages[i.at.index-1]
	}
	return nil
}

// stoppedResponse returns the response that was stopped at message m. This is m itself
// if m is an incomplete response. If m holds results, it is the response with the call
// that was stopped. The result is nil if no response was stopped.
func (i *interruption) stoppedResponse(m *message, open *openCalls) *message {
	switch {
	case m == nil:
	case m.Kind == KindResponse && i.isCut(m, open):
		return m
	case m.Kind == KindToolResult && i.Phase != PhaseResponse:
		if c := open.first(openCallKey{m, true, i.isAtApproval()}); c != nil {
			return c.at
		}
	}
	return nil
}

// cutReasons lists the StopReasons of an incomplete answer. Any other StopReason says
// why the model itself ended the answer.
var cutReasons = []string{"aborted", "abort", "cancelled", "canceled", "error", "failed", "interrupted", "needs_input", "pending", "unknown"}

// isCut reports whether the interruption stopped the response m, or a call of m.
// Calls usually run only after the answer is complete, so a response with calls was
// complete. But if the log names m as stopped, its calls may have run while the model
// went on. If the log never keeps the text of a stopped answer, an answer with text was
// complete.
func (i *interruption) isCut(m *message, open *openCalls) bool {
	cut := slices.Contains(cutReasons, m.StopReason)
	switch {
	case m == i.at, open.first(openCallKey{m, false, i.isAtApproval()}) != nil:
		return true // the response itself shows the cut
	case len(m.calls) > 0 && (i.Phase == PhaseTool || i.Phase == PhaseApproval):
		return true // the log doesn't show which call was cut
	case m.StopReason != "" && !cut:
		return false
	case i.CutMessageID != "" && i.byMessageID[i.CutMessageID] == m:
		return true
	case len(m.calls) > 0:
		return false
	}
	return cut || m.Text == "" || !i.PartialUnknown || i.Phase != PhaseResponse
}

// isAtApproval reports whether the user interrupted while a call waited for approval.
func (i *interruption) isAtApproval() bool { return i.Phase == PhaseApproval || i.PairedRejection }

// openCalls finds the calls that were open when an interruption came. It caches the
// results, because a damaged log may have thousands of interruptions at one message.
type openCalls struct {
	ended map[*message][]*call // by the message with their results
	found map[openCallKey]*call
}

// openCallKey is the key of the cache of openCalls. Its calls are the calls of message
// at or, if ends is true, the calls with results in message at.
type openCallKey struct {
	at          *message
	ends, asked bool
}

func (s *session) openCalls() *openCalls {
	o := &openCalls{map[*message][]*call{}, map[openCallKey]*call{}}
	for _, c := range s.calls {
		if c.result != nil {
			o.ended[c.result.at] = append(o.ended[c.result.at], c)
		}
	}
	return o
}

// first returns the first of the key's calls that was waiting or running when the
// interruption came; nil if there is none.
func (o *openCalls) first(at openCallKey) *call {
	c, known := o.found[at]
	if known {
		return c
	}
	calls := at.at.calls
	if at.ends {
		calls = o.ended[at.at]
	}
	if n := slices.IndexFunc(calls, func(c *call) bool { return c.mayBeOpen(at.asked) }); n >= 0 {
		c = calls[n]
	}
	o.found[at] = c
	return c
}

// mayBeOpen reports whether an interruption may have found the call waiting or running.
// asked is true if a question was open.
func (c *call) mayBeOpen(asked bool) bool {
	if c.resultOrEmpty().InBackground {
		return false
	}
	switch c.status {
	case StatusInterrupted, StatusPending, StatusLost:
		return true
	case StatusRejected, StatusSkipped:
		return asked
	}
	return false
}
