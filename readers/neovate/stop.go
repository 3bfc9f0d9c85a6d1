package neovate

import "hindsql/tables"

// stop is one keypress, which may have left several lines (FORMAT.md §5).
type stop struct {
	at    *entry   // its first line
	cut   *entry   // the message that was cut, or before the one that was; nil for none
	lines []*entry // all its lines
	phase string
	call  *call // the call that was cut, where only one can have been
}

// typedMarkers makes prompts of markers that a person, or the parent agent,
// typed: Esc cuts what was under way, and the model doesn't answer a marker.
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

// stops gathers the lines of each keypress: those that go on from one message.
func (l *log) stops() {
	byCut := map[*entry]*stop{}
	for _, e := range l.entries {
		if e.marker == "" {
			continue
		}
		cut := e.parent
		if cut != nil && cut.marker != "" && cut.Kind == tables.KindToolResult && e.Kind == tables.KindInterruption {
			cut = cut.parent // the user's line after those of the tools
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

// settle works out what was going on. Calls that were waiting or running are
// those without a result before the stop.
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
			// It was being asked about: Esc refuses too, and nobody decided.
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

// refusalAfter is the plain refusal of a call that goes on from the message
// with the call, as the marker does.
func (c *call) refusalAfter(cut *entry) *result {
	for _, r := range c.results {
		if r.sort == denied && r.reason == "" && r.at.parent == cut {
			return r
		}
	}
	return nil
}

// results settles which result of each call stands, and makes the others yield.
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

// skippedWithStop: what was skipped because Esc refused a call was stopped by
// the same keypress.
func (e *entry) skippedWithStop() {
	for _, c := range e.calls {
		if best := c.best(); best != nil && best.sort == skipped {
			best.Status = tables.StatusInterrupted
		}
	}
}

// best is the result that stands: a refusal before what a tool gave, that
// before a marker, and a skip last; of one sort that on the active line,
// then the last.
func (c *call) best() *result {
	var best *result
	for _, r := range c.results {
		if best == nil || r.sort > best.sort || r.sort == best.sort && (r.at.active || !best.at.active) {
			best = r
		}
	}
	return best
}
