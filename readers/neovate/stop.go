package neovate

import (
	"slices"

	"hindsql/tables"
)

// stop is an interruption by one keypress of the user, which may have left several
// lines with a marker (FORMAT.md §5).
type stop struct {
	at    *entry   // the keypress's first line
	cut   *entry   // message whose calls were stopped, or the message before the stopped answer; nil if none
	lines []*entry // all lines of the keypress
	phase string
	call  *call // call that was stopped; nil if several calls may have been
}

// inferTypedMarkers finds lines that only look like an interruption's marker, because a
// person or the parent agent typed the same words, and makes them prompts. A real
// marker stops work that is running, and the model never answers it.
func (l *log) inferTypedMarkers() {
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

// groupStops groups the marker lines by keypress. The lines of one keypress have the same
// parent.
func (l *log) groupStops() {
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
			e.stop.inferPhase()
			if l.agent {
				e.stop.phase = tables.PhaseSubagent
			}
		}
	}
}

// inferPhase determines the phase of an interruption. Calls without a result before it
// were running, or waited for the user's answer.
func (s *stop) inferPhase() {
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
	return slices.ContainsFunc(c.results, func(r *result) bool { return r.at.index < e.index && r.rank != marked })
}

// refusalAfter returns the refusal of the call, without a reason, that has the same
// parent message as the marker; nil if none.
func (c *call) refusalAfter(cut *entry) *result {
	for _, r := range c.results {
		if r.rank == denied && r.reason == "" && r.at.parent == cut {
			return r
		}
	}
	return nil
}

// selectResults determines which result of each call is used, and marks the other
// results as skipped.
func (l *log) selectResults() {
	for _, e := range l.entries {
		refused, aborted := false, false
		for _, c := range e.calls {
			best := c.bestResult()
			for _, r := range c.results {
				switch {
				case r != best:
					r.Status = tables.StatusSkipped
				case c.aborted && r.rank == denied:
					r.Status = tables.StatusInterrupted
				}
			}
			refused = refused || best != nil && best.Status == tables.StatusRejected
			aborted = aborted || c.aborted
		}
		if aborted && !refused {
			e.interruptSkipped()
		}
	}
}

// interruptSkipped marks calls as interrupted that were skipped because Esc had refused
// another call: the same keypress stopped them.
func (e *entry) interruptSkipped() {
	for _, c := range e.calls {
		if best := c.bestResult(); best != nil && best.rank == skipped {
			best.Status = tables.StatusInterrupted
		}
	}
}

// bestResult returns the result used for the call; nil if the call has none. A refusal
// comes first, then a tool's output, a marker, and a skip. Among results of one rank, it
// prefers a result on the active line of the conversation, then the last result.
func (c *call) bestResult() *result {
	var best *result
	for _, r := range c.results {
		if best == nil || r.rank > best.rank || r.rank == best.rank && (r.at.active || !best.at.active) {
			best = r
		}
	}
	return best
}
