package gemini

import (
	"time"

	"hindsql/tables"
)

// How far apart the records of one keypress may stand: a decline is
// followed at once by its notice; a cancelled batch follows its notice as soon
// as its tools have given up.
const (
	declineToNotice = time.Second
	noticeToBatch   = 6 * time.Second
)

// settleCalls works out the ends of a message's calls.
func (c *chat) settleCalls(i int) {
	if i < 0 {
		return
	}
	e := c.entries[i]
	for _, t := range e.calls {
		t.outcome = outcomeOf(t)
		if t.outcome.unsure && !t.awaited && c.cutByNotice(i) {
			t.outcome = cutQueued
		}
	}
	for _, t := range e.calls {
		if t.outcome.status == tables.StatusSkipped && !wentWith(e, t) {
			t.outcome = cutQueued
		}
	}
}

// wentWith says whether a call of the batch was refused when a call ended.
func wentWith(e *entry, t *call) bool {
	for _, mate := range e.calls {
		if mate.outcome.status == tables.StatusRejected && mate.finished.Equal(t.finished) {
			return true
		}
	}
	return false
}

// noticeBefore says whether "Request cancelled." stands right before a message:
// Esc, and the batch that it cut.
func (c *chat) noticeBefore(i int) bool {
	for j := i - 1; j >= max(0, i-farthest) && c.entries[j].Role == tables.RoleSystem; j-- {
		if isNotice(c.entries[j]) {
			return within(noticeToBatch, c.entries[j].Timestamp, c.entries[i].Timestamp)
		}
	}
	return false
}

// noticeAfter says whether it stands right behind a message whose batch had
// just ended: a decline, and the end of the turn that it makes.
func (c *chat) noticeAfter(i int, t *call) bool {
	j := c.nextNotice(i)
	return j >= 0 && within(declineToNotice, t.finished, c.entries[j].Timestamp)
}

// nextNotice is the notice that follows a message before anybody goes on; -1
// for none. Results of its calls may be written in between.
func (c *chat) nextNotice(i int) int {
	for j := i + 1; j < min(len(c.entries), i+farthest); j++ {
		switch e := c.entries[j]; {
		case isNotice(e):
			return j
		case e.Role != tables.RoleSystem && e.Message.Kind != tables.KindToolResult:
			return -1
		}
	}
	return -1
}

func within(most time.Duration, from, to time.Time) bool {
	apart := to.Sub(from)
	return apart >= 0 && apart <= most
}

func isNotice(e *entry) bool {
	return e.kind == "info" && e.Message.Kind == tables.KindInterruption
}

// emitRefusal emits the refusal that a call ended in.
func (c *chat) emitRefusal(i int, t *call) {
	e, o := c.entries[i], t.outcome
	if o.by == "" {
		return
	}
	r := &tables.Rejection{
		ToolUseID:  t.ToolUseID,
		DecidedBy:  o.by,
		Reason:     o.reason,
		Evidence:   tables.EvidenceRecorded,
		Confidence: 1,
		Timestamp:  t.finished,
	}
	if r.Timestamp.IsZero() {
		r.Timestamp = e.Timestamp
	}
	if o.status == tables.StatusDenied {
		r.RejectionType = tables.RejectPermission
	}
	if o.unsure {
		r.Evidence, r.Confidence = tables.EvidenceInferred, c.certainty(i, t)
	}
	if o.wording {
		r.Evidence, r.Confidence = tables.EvidenceWording, min(r.Confidence, wordingOnly)
	}
	c.in.Emit(r)
}

// wordingOnly is how sure a fact can be, at most, of which nothing tells but a
// sentence that others can write as well.
const wordingOnly = 0.7

// certainty is how sure a refusal is whose words stand for Esc as well: an
// edit with a diff was awaiting approval, and a decline comes before its notice.
func (c *chat) certainty(i int, t *call) float64 {
	switch {
	case t.awaited:
		return 0.9
	case c.noticeAfter(i, t):
		return 0.8
	}
	return 0.5
}
