package tables

import (
	"cmp"
	"slices"
)

// join connects a session's events about the same call, message or stop.
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
	s.addCascades()
	s.joinDecisions()
	s.joinWaits()
	slices.SortStableFunc(s.rejections, func(a, b *rejection) int { return indexOf(a.at) - indexOf(b.at) })
	typed := s.typedNext()
	for _, r := range s.rejections {
		r.call = s.byToolUseID[r.ToolUseID]
		r.next = typed(r.at)
	}
}

// joinRejections drops void rejections and keeps one rejection a call: the first
// rejection, or a later one if only the later has a reason.
func (s *session) joinRejections() {
	kept, byCall := s.rejections[:0], map[string]*rejection{}
	for _, r := range s.rejections {
		first := byCall[r.ToolUseID]
		switch {
		case r.Void:
		case first == nil || r.ToolUseID == "":
			byCall[r.ToolUseID] = r
			kept = append(kept, r)
		case first.Reason == "" && r.Reason != "":
			*first = *r
		}
	}
	s.rejections = kept
}

// joinResult assigns a result to its call. Without a call, the result's text goes into
// the message of the result, so no text is lost.
func (s *session) joinResult(r *result) {
	c := s.byToolUseID[r.ToolUseID]
	if c == nil {
		if r.at != nil {
			r.at.AddText(r.Output)
		}
		if r.ToolUseID != "" {
			s.orphans = append(s.orphans, r)
		}
		return
	}
	if c.result == nil || r.Status != StatusSkipped || c.result.Status == StatusSkipped {
		c.result = r
	}
}

// joinScripts moves the result of a script's call to the message with the script's own
// result, because no message of its own brought it, and the result may come much later.
func (s *session) joinScripts() {
	for _, c := range s.calls {
		parent := s.byToolUseID[c.ParentToolUseID]
		if c.ParentToolUseID != "" && c.result != nil && parent != nil && parent.result != nil {
			c.result.at = parent.result.at
		}
	}
}

// joinBatch sets the batch size of a message's calls and marks lost calls.
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

// typedNext returns a function that finds the first prompt or command typed by a person
// after a message; empty if no prompt follows.
func (s *session) typedNext() func(*message) string {
	if len(s.rejections) == 0 {
		return nil
	}
	next := make([]*message, len(s.messages)+1) // by message index: first typed message from the index on
	for i := len(s.messages) - 1; i >= 0; i-- {
		if next[i] = next[i+1]; s.messages[i].typedBy() == TypedByHuman && !s.messages[i].IsSidechain {
			next[i] = s.messages[i]
		}
	}
	return func(m *message) string {
		if typed := next[indexOf(m)+1]; typed != nil {
			return cmp.Or(typed.TypedText, typed.Text)
		}
		return ""
	}
}

// modelMostUsed returns the model of most responses; the first of equals.
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
