package gemini

import (
	"strings"
	"time"

	"hindsql/tables"
)

// How far apart the records of one keypress may stand (§7): a decline is
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
		if t.outcome.unsure && !t.awaited && c.noticeBefore(i) {
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
	if i == 0 || !isNotice(c.entries[i-1]) {
		return false
	}
	apart := c.entries[i].Timestamp.Sub(c.entries[i-1].Timestamp)
	return apart >= 0 && apart <= noticeToBatch
}

// noticeAfter says whether it stands right behind a message whose batch had
// just ended: a decline, and the end of the turn that it makes.
func (c *chat) noticeAfter(i int, t *call) bool {
	if i+1 >= len(c.entries) || !isNotice(c.entries[i+1]) {
		return false
	}
	apart := c.entries[i+1].Timestamp.Sub(t.finished)
	return apart >= 0 && apart <= declineToNotice
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
	c.in.Emit(r)
}

// certainty is how sure a refusal is whose words stand for Esc as well (§8): an
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

// interruption tells of a stop that an entry marks, or holds.
func (c *chat) interruption(i int) {
	e := c.entries[i]
	switch {
	case isNotice(e):
		c.notice(i)
	case e.Message.Kind == tables.KindInterruption && !c.noticed(i):
		c.stop(e, tables.InterruptedByUser, tables.EvidenceInferred, 0.5)
	case e.Role == tables.RoleSystem && systemStops.MatchString(e.Text):
		c.stop(e, tables.InterruptedBySystem, tables.EvidenceRecorded, 1)
	}
	if !c.noticeBefore(i) {
		c.silentCuts(i)
	}
}

// noticed says whether the turn that a mark ends was also ended by a notice.
func (c *chat) noticed(i int) bool {
	for i--; i >= 0 && c.entries[i].Message.Kind != tables.KindPrompt; i-- {
		if isNotice(c.entries[i]) {
			return true
		}
	}
	return false
}

func (c *chat) stop(e *entry, by, evidence string, confidence float64) {
	c.in.Emit(&tables.Interruption{
		Type: by, Phase: tables.PhaseResponse, Marker: e.Text, Evidence: evidence, Confidence: confidence, Timestamp: e.Timestamp,
	})
}

// notice is "Request cancelled." (§7): the end of a declined call's turn, Esc
// while a tool ran, whose message follows, or Esc while the model answered.
func (c *chat) notice(i int) {
	e := c.entries[i]
	n := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, Marker: e.Text,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.Timestamp,
	}
	if i > 0 && !c.noticeBefore(i-1) {
		for _, t := range c.entries[i-1].calls {
			if c.noticeAfter(i-1, t) {
				ended(n, c.entries[i-1], t)
			}
		}
	}
	if i+1 < len(c.entries) && c.noticeBefore(i+1) {
		for _, t := range c.entries[i+1].calls {
			ended(n, c.entries[i+1], t)
		}
	}
	c.in.Emit(n)
}

// ended says of an interruption which call it ended: the first one that was
// declined or cut.
func ended(n *tables.Interruption, e *entry, t *call) {
	o := t.outcome
	switch {
	case n.ToolUseID != "":
	case o.status == tables.StatusRejected:
		n.ToolUseID, n.CutUUID = t.ToolUseID, e.UUID
		n.Phase, n.PairedRejection = tables.PhaseApproval, true
	case o.status == tables.StatusInterrupted:
		n.ToolUseID, n.CutUUID = t.ToolUseID, e.UUID
		n.Phase, n.PartialOutput = o.phase, o.partial
	}
}

// silentCuts tells of calls that were cut, by a person or by a time limit, and
// of which no notice tells: headless runs, versions before 0.18, and batches of
// which a part had ended (§7). One batch is one stop.
func (c *chat) silentCuts(i int) {
	e := c.entries[i]
	var last *tables.Interruption
	for _, t := range e.calls {
		timeout := t.outcome.errorType == tables.ErrorTimeout
		if t.outcome.status != tables.StatusInterrupted && !timeout || c.noticeAfter(i, t) {
			continue
		}
		n := &tables.Interruption{
			Type: tables.InterruptedByUser, Marker: t.failure,
			Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: t.finished,
		}
		ended(n, e, t)
		if timeout {
			n.Type, n.Phase, n.ToolUseID, n.CutUUID = tables.InterruptedBySystem, tables.PhaseTool, t.ToolUseID, e.UUID
		}
		if n.Marker == "" {
			n.Marker, _, _ = strings.Cut(t.output, "\n")
		}
		if last != nil && last.Type == n.Type && last.Timestamp.Equal(n.Timestamp) {
			continue
		}
		last = n
		c.in.Emit(n)
	}
}
