package gemini

import (
	"time"

	"hindsql/tables"
)

// Longest times between records that one keypress caused. If the user refuses a batch,
// the notice "Request cancelled." follows at once. If the user presses Esc, the message
// with the stopped batch follows the notice when its tools have stopped.
const (
	declineToNotice = time.Second
	noticeToBatch   = 6 * time.Second
)

// settleCalls determines how a message's calls ended.
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

// wentWith reports whether another call of the message was refused at the moment when
// call t ended.
func wentWith(e *entry, t *call) bool {
	for _, mate := range e.calls {
		if mate.outcome.status == tables.StatusRejected && mate.finished.Equal(t.finished) {
			return true
		}
	}
	return false
}

// noticeBefore reports whether "Request cancelled." stands right before a message: the
// user pressed Esc, and the message holds the stopped batch.
func (c *chat) noticeBefore(i int) bool {
	for j := i - 1; j >= max(0, i-farthest) && c.entries[j].Role == tables.RoleSystem; j-- {
		if isNotice(c.entries[j]) {
			return within(noticeToBatch, c.entries[j].Timestamp, c.entries[i].Timestamp)
		}
	}
	return false
}

// noticeAfter reports whether "Request cancelled." stands right after a message whose
// call t had just ended: the user refused the batch, which ended the turn.
func (c *chat) noticeAfter(i int, t *call) bool {
	j := c.nextNotice(i)
	return j >= 0 && within(declineToNotice, t.finished, c.entries[j].Timestamp)
}

// nextNotice returns the index of the notice "Request cancelled." after a message; -1
// if the user or the model goes on before it. Results of the message's calls may stand
// in between.
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

// emitRefusal emits a call's refusal, if any.
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

// wordingOnly is the highest confidence of a fact that only a sentence shows. Tools of
// other authors can write the same sentence.
const wordingOnly = 0.7

// certainty returns the confidence that the user refused a call, if the words may also
// mean Esc. Two signs speak for a refusal: the user was asked about a diff, or the
// notice comes after the call.
func (c *chat) certainty(i int, t *call) float64 {
	switch {
	case t.awaited:
		return 0.9
	case c.noticeAfter(i, t):
		return 0.8
	}
	return 0.5
}
