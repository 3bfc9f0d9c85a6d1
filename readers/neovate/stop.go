package neovate

import "hindsql/tables"

// stop is an interruption by one keypress of the user, which may have left several
// lines with a marker (FORMAT.md §5).
type stop struct {
	at    *entry   // the keypress's first line
	cut   *entry   // message whose calls were stopped, or the message before the stopped answer; nil if none
	lines []*entry // all lines of the keypress
	phase string
	call  *call // call that was stopped; nil if several calls may have been
}

// typedMarkers finds lines that only look like an interruption's marker, because a
// person or the parent agent typed the same words, and makes them prompts. A real
// marker stops work that is running, and the model never answers it.
func (l *log) typedMarkers() {
	answered := map[*entry]bool{}
	for _, e := range l.entries {
		if e.role == "assistant" && e.parent != nil && e.ParentUUID == e.parent.UUID {
			answered[e.parent] = true
		}
	}
	for _, e := range l.entries {
		cut := e.parent
		ended := cut == nil || cut.role == "assistant" && len(cut.calls) == 0
		if e.Kind == tables.KindInterruption && (ended || answered[e]) {
			e.marker, e.Kind = "", tables.KindPrompt
			if l.agent {
				e.Kind = tables.KindInjected
			}
		}
	}
}

// stops groups the marker lines by keypress. The lines of one keypress have the same
// parent.
func (l *log) stops() {
	byCut := map[*entry]*stop{}
	for _, e := range l.entries {
		if e.marker == "" {
			continue
		}
		cut := e.parent
		if cut != nil && cut.marker != "" && cut.Kind == tables.KindToolResult && e.Kind == tables.KindInterruption {
			cut = cut.parent // the user's line comes after the tools' lines
		}
		s := byCut[cut]
		if s == nil || cut == nil {
			s = &stop{at: e, cut: cut, phase: tables.PhaseResponse}
			byCut[cut], e.stop = s, s
		}
		s.lines = append(s.lines, e)
	}
	for _, e := range l.entries {
		if e.stop != nil {
			e.stop.settle()
			if l.agent {
				e.stop.phase = tables.PhaseSubagent
			}
		}
	}
}

// settle determines the phase of an interruption. Calls without a result before it were
// running, or waited for the user's answer.
func (s *stop) settle() {
	if s.cut == nil {
		return
	}
	var open []*call
	for _, c := range s.cut.calls {
		if c.endedBefore(s.at) {
			continue
		}
		open = append(open, c)
		if refusal := c.refusalAfter(s.cut); refusal != nil {
			// The call waited for the user's answer. Esc also refused the call, but the
			// user made no decision about it.
			c.aborted, s.call, s.phase = true, c, tables.PhaseApproval
		}
	}
	if s.phase == tables.PhaseApproval || len(open) == 0 {
		return
	}
	s.phase = tables.PhaseTool
	if len(open) == 1 {
		s.call = open[0]
	}
}

func (c *call) endedBefore(e *entry) bool {
	for _, r := range c.results {
		if r.at.place < e.place && r.sort != marked {
			return true
		}
	}
	return false
}

// refusalAfter returns the refusal of the call, without a reason, that has the same
// parent message as the marker; nil if none.
func (c *call) refusalAfter(cut *entry) *result {
	for _, r := range c.results {
		if r.sort == denied && r.reason == "" && r.at.parent == cut {
			return r
		}
	}
	return nil
}

// results determines which result of each call is used, and marks the other results as
// skipped.
func (l *log) results() {
	for _, e := range l.entries {
		refused, aborted := false, false
		for _, c := range e.calls {
			best := c.best()
			for _, r := range c.results {
				switch {
				case r != best:
					r.Status = tables.StatusSkipped
				case c.aborted && r.sort == denied:
					r.Status = tables.StatusInterrupted
				}
			}
			refused = refused || best != nil && best.Status == tables.StatusRejected
			aborted = aborted || c.aborted
		}
		if aborted && !refused {
			e.skippedWithStop()
		}
	}
}

// skippedWithStop marks calls as interrupted that were skipped because Esc had refused
// another call: the same keypress stopped them.
func (e *entry) skippedWithStop() {
	for _, c := range e.calls {
		if best := c.best(); best != nil && best.sort == skipped {
			best.Status = tables.StatusInterrupted
		}
	}
}

// best returns the result used for the call; nil if the call has none. A refusal comes
// first, then a tool's output, a marker, and a skip. Among results of one sort, it
// prefers a result on the active line of the conversation, then the last result.
func (c *call) best() *result {
	var best *result
	for _, r := range c.results {
		if best == nil || r.sort > best.sort || r.sort == best.sort && (r.at.active || !best.at.active) {
			best = r
		}
	}
	return best
}
