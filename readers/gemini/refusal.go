package gemini

import (
	"slices"
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

// resolveCallOutcomes determines how a message's calls ended.
func (c *chat) resolveCallOutcomes(i int) {
	if i < 0 {
		return
	}
	e := c.entries[i]
	for _, t := range e.calls {
		t.outcome = outcomeOf(t)
		if t.outcome.unsure && !t.askedAboutDiff && c.cutByNotice(i) {
			t.outcome = cutQueued
		}
	}
	for _, t := range e.calls {
		if t.outcome.status == tables.StatusSkipped && !isRefusedWith(e, t) {
			t.outcome = cutQueued
		}
	}
}

// isRefusedWith reports whether another call of the message was refused at the moment when
// call t ended.
func isRefusedWith(e *entry, t *call) bool {
	return slices.ContainsFunc(e.calls, func(mate *call) bool {
		return mate.outcome.status == tables.StatusRejected && mate.finished.Equal(t.finished)
	})
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

func isNotice(e *entry) bool { return e.kind == "info" && e.Message.Kind == tables.KindInterruption }

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
		r.Evidence, r.Confidence = tables.EvidenceInferred, c.refusalConfidence(i, t)
	}
	if o.wording {
		r.Evidence, r.Confidence = tables.EvidenceWording, min(r.Confidence, wordingOnly)
	}
	c.in.Emit(r)
}

// wordingOnly is the highest confidence of a fact that only a sentence shows. Tools of
// other authors can write the same sentence.
const wordingOnly = 0.7

// refusalConfidence returns the confidence that the user refused a call, if the words
// may also mean Esc. Two signs speak for a refusal: the user was asked about a diff, or
// the notice comes after the call.
func (c *chat) refusalConfidence(i int, t *call) float64 {
	switch {
	case t.askedAboutDiff:
		return 0.9
	case c.noticeAfter(i, t):
		return 0.8
	}
	return 0.5
}

// batchBefore returns the index of the message to which the notice "Request cancelled."
// refers: the last message before the notice. If that message holds the results of a
// cancelled batch (the calls of one response), it is the message with the calls.
func (c *chat) batchBefore(i int) int {
	at := c.spokenBefore(i)
	if at < 0 || c.entries[at].Message.Kind != tables.KindToolResult {
		return at
	}
	for _, a := range c.entries[at].answers {
		if t := c.calls[a.ToolUseID]; t == nil || !t.wasCancelled() {
			return at
		}
	}
	if message := c.spokenBefore(at); message >= 0 && c.allCancelled(message) {
		return message
	}
	return at
}

// endedTurn reports whether the user refused the message's whole batch, which ends the
// turn. It returns false if the batch was cancelled by an earlier Esc.
func (c *chat) endedTurn(i int) bool { return c.allCancelled(i) && !c.cutByNotice(i) }

// topicTool names a tool that only notes the conversation's topic. It needs no
// approval, so it succeeds even if the user refuses the rest of the batch.
const topicTool = "update_topic"

// allCancelled reports whether all calls of a message's last batch were cancelled.
func (c *chat) allCancelled(i int) bool {
	all := false
	for _, t := range c.entries[i].lastBatch() {
		if t.ToolName == topicTool {
			continue
		}
		if !t.wasCancelled() {
			return false
		}
		all = true
	}
	return all
}

// lastBatch returns the calls that were recorded last in a message. Before 0.32, a
// message could hold the calls of several responses.
func (e *entry) lastBatch() []*call {
	var batch []*call
	for _, t := range e.calls {
		if t.finished.Equal(e.calls[len(e.calls)-1].finished) {
			batch = append(batch, t)
		}
	}
	return batch
}

// cutByNotice reports whether Gemini CLI wrote the message only to record the calls
// that the user had stopped with Esc. It has no text and follows the notice "Request
// cancelled.".
func (c *chat) cutByNotice(i int) bool {
	e := c.entries[i]
	if e.kind != "gemini" || e.Text != "" || !c.noticeBefore(i) {
		return false
	}
	return slices.ContainsFunc(e.calls, (*call).wasCancelled)
}
