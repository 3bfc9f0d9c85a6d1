package gemini

import (
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// interruption tells of a stop that an entry marks, or holds.
func (c *chat) interruption(i int) {
	e := c.entries[i]
	switch {
	case isNotice(e):
		c.notice(i)
	case e.Message.Kind == tables.KindInterruption && !c.noticed(i):
		n := stopBy(tables.InterruptedByUser, e)
		n.Evidence, n.Confidence = tables.EvidenceInferred, 0.5
		c.cut(n, c.spokenBefore(i))
		c.in.Emit(n)
	case e.Role == tables.RoleSystem && systemStops.MatchString(e.Text):
		c.systemStop(i)
	}
	c.silentCuts(i)
}

// stopBy is a stop that an entry marks. No version keeps what had been said.
func stopBy(by string, e *entry) *tables.Interruption {
	return &tables.Interruption{
		Type: by, Phase: tables.PhaseResponse, Marker: e.Text, PartialUnknown: true,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.Timestamp,
	}
}

// cut says that a stop cut the entry at a place; a place before the first is
// nothing that the log holds.
func (c *chat) cut(n *tables.Interruption, at int) {
	if at < 0 || c.entries[at].UUID == "" {
		n.CutNothing = true
		return
	}
	n.CutUUID = c.entries[at].UUID
}

// said says whether the user or the model wrote an entry.
func said(e *entry) bool {
	return (e.kind == "user" || e.kind == "gemini") && e.Message.Kind != tables.KindInterruption
}

// spokenBefore is the place of what was said last before an entry; -1 for none.
func (c *chat) spokenBefore(i int) int {
	for until := i - farthest; i > 0 && i > until; {
		if i--; said(c.entries[i]) {
			return i
		}
	}
	return -1
}

// spokenAfter is the place of what was said next; -1 for none.
func (c *chat) spokenAfter(i int) int {
	until := min(len(c.entries), i+farthest)
	for i++; i < until; i++ {
		if said(c.entries[i]) {
			return i
		}
	}
	return -1
}

// noticed says whether the turn that a mark ends was also ended by a notice.
func (c *chat) noticed(i int) bool {
	until := max(0, i-farthest)
	for i--; i >= until && c.entries[i].Message.Kind != tables.KindPrompt; i-- {
		if isNotice(c.entries[i]) {
			return true
		}
	}
	return false
}

// finishReason begins the notice of an answer that ended too early. It is
// written before the answer (FORMAT.md §4.4).
var finishReason = readers.Lazy(`^⚠️\s+Response (stopped|truncated) `)

const (
	finishToAnswer = 2 * time.Second
	errorToHint    = time.Second
	failedHint     = "This request failed."
)

// systemStop is a stop by the agent itself, or its service.
func (c *chat) systemStop(i int) {
	e := c.entries[i]
	if strings.HasPrefix(e.Text, failedHint) && i > 0 && c.entries[i-1].kind == "error" &&
		systemStops.MatchString(c.entries[i-1].Text) && within(errorToHint, c.entries[i-1].Timestamp, e.Timestamp) {
		return // how to look up the error that was told of just now
	}
	n := stopBy(tables.InterruptedBySystem, e)
	if !finishReason.MatchString(e.Text) {
		c.cut(n, c.spokenBefore(i))
		c.in.Emit(n)
		return
	}
	answer := c.spokenAfter(i)
	if answer >= 0 && (c.entries[answer].kind != "gemini" || !within(finishToAnswer, e.Timestamp, c.entries[answer].Timestamp)) {
		answer = -1
	}
	c.cut(n, answer)
	n.PartialUnknown = n.CutNothing // else it is the answer's text
	c.in.Emit(n)
}

// notice is "Request cancelled.": the end of a declined batch's turn; or Esc
// while a tool ran, whose message follows; or Esc while the model answered, of
// which the log holds what the answer would have gone on from.
func (c *chat) notice(i int) {
	n := stopBy(tables.InterruptedByUser, c.entries[i])
	before, after := c.batchBefore(i), c.spokenAfter(i)
	switch {
	case before >= 0 && c.nextNotice(before) == i && c.endedTurn(before):
		ended(n, c.entries[before])
	case after >= 0 && c.cutByNotice(after):
		ended(n, c.entries[after])
	default:
		c.cut(n, before)
	}
	c.in.Emit(n)
}

// ended says of an interruption which call of a message it ended: the first
// one that was declined, else the first that was cut.
func ended(n *tables.Interruption, e *entry) {
	for _, status := range []string{tables.StatusRejected, tables.StatusInterrupted} {
		for _, t := range e.lastBatch() {
			if o := t.outcome; o.status == status {
				n.ToolUseID, n.CutUUID = t.ToolUseID, e.UUID
				n.Phase, n.PartialOutput = o.phase, o.partial
				if status == tables.StatusRejected {
					n.Phase, n.PairedRejection = tables.PhaseApproval, true
				}
				return
			}
		}
	}
	n.CutUUID = e.UUID
}

// silentCuts tells of calls that were cut, by a person or by a time limit, and
// of which no notice tells: headless runs, versions before 0.18, and batches of
// which a part had ended. One batch is one stop.
func (c *chat) silentCuts(i int) {
	e := c.entries[i]
	told := c.cutByNotice(i) || c.allCancelled(i) && c.nextNotice(i) >= 0
	var last *tables.Interruption
	for _, t := range e.calls {
		timeout := t.outcome.errorType == tables.ErrorTimeout
		if t.outcome.status != tables.StatusInterrupted && !timeout || told && !timeout {
			continue
		}
		n := &tables.Interruption{
			Type: tables.InterruptedByUser, Marker: t.failure, ToolUseID: t.ToolUseID, CutUUID: e.UUID,
			Phase: t.outcome.phase, PartialOutput: t.outcome.partial, PartialUnknown: true,
			Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: t.finished,
		}
		if timeout {
			n.Type, n.Phase = tables.InterruptedBySystem, tables.PhaseTool
		}
		if t.outcome.wording {
			n.Evidence, n.Confidence = tables.EvidenceWording, wordingOnly
		}
		if n.Marker == "" {
			n.Marker, _, _ = strings.Cut(unframed(t), "\n")
		}
		if last != nil && last.Type == n.Type && last.Timestamp.Equal(n.Timestamp) {
			continue
		}
		last = n
		c.in.Emit(n)
	}
}
