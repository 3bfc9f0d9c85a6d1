package tables

import "slices"

// turn is what the session holds from one prompt to the next. Those of a
// subagent inside the session are turns of their own.
type turn struct {
	failure  *failure // the one that would be the stop
	answered bool     // by a message after that failure
	stopped  bool     // by a person, or by what the program recorded as the end of it
	over     bool     // another turn followed
}

// joinFailures makes stops by the system of failed requests: one a turn, if
// nothing answered it after the failure. A failure that is tried again is none
// while it is the last of the log.
func (s *session) joinFailures() {
	s.failures = slices.DeleteFunc(s.failures, func(f *failure) bool { return f.Void })
	if len(s.failures) == 0 {
		return
	}
	failed := map[*message][]*failure{}
	partial := map[*message]bool{} // answers that a failure cut
	for _, f := range s.failures {
		failed[f.at] = append(failed[f.at], f)
		if m := s.cutBy(f.CutUUID, f.CutMessageID); m != nil {
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
			s.interruptions = append(s.interruptions, s.stop(t.failure))
		}
	}
	if recorded > 0 && len(s.interruptions) > recorded {
		slices.SortStableFunc(s.interruptions, func(a, b *interruption) int { return indexOf(a.at) - indexOf(b.at) })
	}
}

// turns are those of the session.
func (s *session) turns(failed map[*message][]*failure, partial, stopped map[*message]bool) []*turn {
	list := []*turn{{}}
	list[0].fail(failed[nil])                   // before any message
	current := map[*message]*turn{nil: list[0]} // by side
	asked := s.asked()
	for i, m := range s.messages {
		side := asked.sides[i]
		t := current[side]
		if t == nil || asked.begins(m) {
			if t != nil {
				t.over = true
			}
			t = &turn{}
			current[side] = t
			list = append(list, t)
		}
		t.stopped = t.stopped || stopped[m]
		t.answered = t.answered || m.answers() && failed[m] == nil && !partial[m]
		t.fail(failed[m])
	}
	return list
}

// fail takes failures: of several the last that is not tried again, else the last.
func (t *turn) fail(failures []*failure) {
	for _, f := range failures {
		if t.failure == nil || t.answered || t.failure.Retried || !f.Retried {
			t.failure, t.answered = f, false
		}
	}
}

// answers says whether the model said or called something.
func (m *message) answers() bool {
	return m.Kind == KindResponse && (m.Text != "" || m.Thinking != "" || len(m.calls) > 0)
}

// cutBy is a message by the API's id for it, or by the uuid of one of its lines; nil for none.
func (s *session) cutBy(uuid, messageID string) *message {
	if m := s.byMessageID[messageID]; m != nil && messageID != "" {
		return m
	}
	return s.byUUID[uuid]
}

// stop is a failure as the stop that it was.
func (s *session) stop(f *failure) *interruption {
	return &interruption{session: s, at: f.at, Interruption: &Interruption{
		Type: InterruptedBySystem, Phase: PhaseResponse,
		CutUUID: f.CutUUID, CutMessageID: f.CutMessageID, CutNothing: f.CutUUID == "" && f.CutMessageID == "",
		PartialOutput: f.PartialOutput, PartialUnknown: f.PartialUnknown, Marker: f.Marker,
		Evidence: f.Evidence, Confidence: f.Confidence, Timestamp: f.Timestamp,
	}}
}
