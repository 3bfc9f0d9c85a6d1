package tables

import "slices"

// turn is the part of a session from one prompt to the next. A subagent whose messages
// stand in the same session has turns of its own.
type turn struct {
	failure  *failure // failed request that may have ended the turn
	answered bool     // a message after the failure answers
	stopped  bool     // a person stopped the turn, or the log records another end
	over     bool     // another turn followed
}

// joinFailures makes interruptions by the system from failed requests: at most one a
// turn, and only if no answer followed the failure. If the log announces a retry, the
// failure counts only after another turn has begun.
func (s *session) joinFailures() {
	s.failures = slices.DeleteFunc(s.failures, func(f *failure) bool { return f.Void })
	if len(s.failures) == 0 {
		return
	}
	failed := map[*message][]*failure{}
	partial := map[*message]bool{} // answers cut by a failure
	for _, f := range s.failures {
		failed[f.at] = append(failed[f.at], f)
		if m := s.cutMessage(f.CutUUID, f.CutMessageID); m != nil {
			partial[m] = true
		}
	}
	stopped := map[*message]bool{}
	for _, i := range s.interruptions {
		stopped[i.at] = stopped[i.at] || i.Phase != PhaseTool || i.Type == InterruptedByUser
	}
	recorded := len(s.interruptions)
	for _, t := range s.turns(failed, partial, stopped) {
		if t.failure != nil && !t.answered && !t.stopped && (t.over || !t.failure.Retried) {
			s.interruptions = append(s.interruptions, s.newSystemStop(t.failure))
		}
	}
	if recorded > 0 && len(s.interruptions) > recorded {
		slices.SortStableFunc(s.interruptions, func(a, b *interruption) int { return indexOf(a.at) - indexOf(b.at) })
	}
}

// turns returns the session's turns, subagents' turns included.
func (s *session) turns(failed map[*message][]*failure, partial, stopped map[*message]bool) []*turn {
	list := []*turn{{}}
	list[0].addFailures(failed[nil])            // before any message
	current := map[*message]*turn{nil: list[0]} // by side
	asked := s.promptFinder()
	for i, m := range s.messages {
		side := asked.sides[i]
		t := current[side]
		if t == nil || asked.beginsTurn(m) {
			if t != nil {
				t.over = true
			}
			t = &turn{}
			current[side] = t
			list = append(list, t)
		}
		t.stopped = t.stopped || stopped[m]
		t.answered = t.answered || m.isAnswer() && failed[m] == nil && !partial[m]
		t.addFailures(failed[m])
	}
	return list
}

// addFailures records failures at a message. Of several in a turn, it keeps the last one
// without a retry; if all have a retry, the last one.
func (t *turn) addFailures(failures []*failure) {
	for _, f := range failures {
		if t.failure == nil || t.answered || t.failure.Retried || !f.Retried {
			t.failure, t.answered = f, false
		}
	}
}

// isAnswer reports whether the model said something or made a call.
func (m *message) isAnswer() bool {
	return m.Kind == KindResponse && (m.Text != "" || m.Thinking != "" || len(m.calls) > 0)
}

// cutMessage returns the message with the given API id, otherwise the message that has a
// line with the uuid; nil if there is neither.
func (s *session) cutMessage(uuid, messageID string) *message {
	if m := s.byMessageID[messageID]; m != nil && messageID != "" {
		return m
	}
	return s.lines.message(uuid)
}

// newSystemStop returns the interruption made from failure f.
func (s *session) newSystemStop(f *failure) *interruption {
	return &interruption{session: s, at: f.at, Interruption: &Interruption{
		Type: InterruptedBySystem, Phase: PhaseResponse,
		CutUUID: f.CutUUID, CutMessageID: f.CutMessageID, CutNothing: f.CutUUID == "" && f.CutMessageID == "",
		PartialOutput: f.PartialOutput, PartialUnknown: f.PartialUnknown, Marker: f.Marker,
		Evidence: f.Evidence, Confidence: f.Confidence, Timestamp: f.Timestamp,
	}}
}
