package tables

import "slices"

// join ties together what the events of a session say of the same thing.
func (s *session) join() {
	s.joinRejections()
	s.interruptions = slices.DeleteFunc(s.interruptions, func(i *interruption) bool { return i.Void })
	for _, r := range s.results {
		s.joinResult(r)
	}
	s.joinScripts()
	for _, c := range s.calls {
		c.batchSize = 1
		c.status = StatusPending
		if c.result != nil {
			c.status = c.result.Status
		}
	}
	for _, m := range s.messages {
		m.joinBatch()
	}
	s.joinFailures()
	s.joinInterruptions()
	s.cascades()
	s.joinDecisions()
	s.joinWaits()
	slices.SortStableFunc(s.rejections, func(a, b *rejection) int { return indexOf(a.at) - indexOf(b.at) })
	typed := s.typedNext()
	for _, r := range s.rejections {
		r.call = s.byToolUseID[r.ToolUseID]
		r.next = typed(r.at)
	}
}

// joinRejections drops what turned out to be no rejection, and keeps one a
// call: of several the first, but for a later one that has the reason.
func (s *session) joinRejections() {
	kept, byCall := s.rejections[:0], map[string]*rejection{}
	for _, r := range s.rejections {
		given := byCall[r.ToolUseID]
		switch {
		case r.Void:
		case given == nil || r.ToolUseID == "":
			byCall[r.ToolUseID] = r
			kept = append(kept, r)
		case given.Reason == "" && r.Reason != "":
			*given = *r
		}
	}
	s.rejections = kept
}

// joinResult gives a result to its call. A result without a call keeps its
// text in the message that brought it, so that nothing is lost.
func (s *session) joinResult(r *result) {
	c := s.byToolUseID[r.ToolUseID]
	if c == nil {
		if r.at != nil {
			r.at.AddText(r.Output)
		}
		return
	}
	if c.result == nil || r.Status != StatusSkipped || c.result.Status == StatusSkipped {
		c.result = r
	}
}

// joinScripts puts the result of a script's call where the script's own stands:
// no message brought it by itself, and it may come long after.
func (s *session) joinScripts() {
	for _, c := range s.calls {
		parent := s.byToolUseID[c.ParentToolUseID]
		if c.ParentToolUseID != "" && c.result != nil && parent != nil && parent.result != nil {
			c.result.at = parent.result.at
		}
	}
}

// joinBatch numbers the calls of one message, and finds the lost ones.
func (m *message) joinBatch() {
	size, refused := 0, false
	for _, c := range m.calls {
		if c.ParentToolUseID == "" {
			size++
		}
		refused = refused || c.status == StatusRejected && c.ParentToolUseID == ""
	}
	for _, c := range m.calls {
		c.batchSize = size
		if refused && c.status == StatusPending && !c.Open && c.ParentToolUseID == "" {
			c.status = StatusLost
		}
	}
}

// typedNext gives the first thing that a person typed after a message, a prompt
// or a command; empty for none.
func (s *session) typedNext() func(*message) string {
	if len(s.rejections) == 0 {
		return nil
	}
	next := make([]*message, len(s.messages)+1) // by index, at it or after
	for i := len(s.messages) - 1; i >= 0; i-- {
		if next[i] = next[i+1]; s.messages[i].typedBy() == TypedByHuman && !s.messages[i].IsSidechain {
			next[i] = s.messages[i]
		}
	}
	return func(m *message) string {
		if typed := next[indexOf(m)+1]; typed != nil {
			return typed.Text
		}
		return ""
	}
}

// modelMostUsed is the model of most responses; the first of equals.
func (s *session) modelMostUsed() string {
	counts := map[string]int{}
	best := ""
	for _, m := range s.messages {
		if m.Kind != KindResponse || m.Model == "" {
			continue
		}
		counts[m.Model]++
		if counts[m.Model] > counts[best] {
			best = m.Model
		}
	}
	return best
}
