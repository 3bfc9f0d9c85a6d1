package gemini

import (
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/tables"
)

// emitInterruptions emits the interruptions that an entry shows.
func (c *chat) emitInterruptions(i int) {
	e := c.entries[i]
	switch {
	case isNotice(e):
		c.emitNoticeStop(i)
	case e.Message.Kind == tables.KindInterruption && !c.hasNotice(i):
		n := newUserStop(e)
		n.Evidence, n.Confidence = tables.EvidenceInferred, 0.5
		c.in.Emit(n)
	case e.Role == tables.RoleSystem && systemStops.MatchString(e.Text):
		c.emitSystemStop(i)
	}
	c.emitUnnoticedStops(i)
}

// newUserStop makes an interruption by the user, shown by an entry. No version keeps the
// text of the unfinished answer.
func newUserStop(e *entry) *tables.Interruption {
	return &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutNothing: true, PartialUnknown: true, Marker: e.Text,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.Timestamp,
	}
}

// isSpoken reports whether the user or the model wrote an entry.
func isSpoken(e *entry) bool {
	return (e.kind == "user" || e.kind == "gemini") && e.Message.Kind != tables.KindInterruption
}

// spokenBefore returns the index of the last message of user or model before an entry;
// -1 if none.
func (c *chat) spokenBefore(i int) int {
	for until := i - farthest; i > 0 && i > until; {
		if i--; isSpoken(c.entries[i]) {
			return i
		}
	}
	return -1
}

// spokenAfter returns the index of the next message of user or model; -1 if none.
func (c *chat) spokenAfter(i int) int {
	until := min(len(c.entries), i+farthest)
	for i++; i < until; i++ {
		if isSpoken(c.entries[i]) {
			return i
		}
	}
	return -1
}

// hasNotice reports whether the turn that an interruption message ends also has a notice
// "Request cancelled.".
func (c *chat) hasNotice(i int) bool {
	until := max(0, i-farthest)
	for i--; i >= until && c.entries[i].Message.Kind != tables.KindPrompt; i-- {
		if isNotice(c.entries[i]) {
			return true
		}
	}
	return false
}

// finishReason matches the notice that the model's answer ended too early. It stands
// before that answer (FORMAT.md §4.4).
var finishReason = pattern.Lazy(`^⚠️\s+Response (stopped|truncated) `)

const (
	finishToAnswer = 2 * time.Second
	errorToHint    = time.Second
	failedHint     = "This request failed."
)

// emitSystemStop emits a failure or interruption that the user didn't cause. Only an answer
// that ended too early leaves text.
func (c *chat) emitSystemStop(i int) {
	e := c.entries[i]
	marker := e.Text
	if strings.HasPrefix(e.Text, failedHint) && i > 0 && c.entries[i-1].kind == "error" && within(errorToHint, c.entries[i-1].Timestamp, e.Timestamp) {
		if marker = c.entries[i-1].Text; systemStops.MatchString(marker) {
			return // a hint to look up the error reported just before
		}
	}
	if turnEnders.MatchString(e.Text) {
		n := newUserStop(e)
		n.Type = tables.InterruptedBySystem
		c.in.Emit(n)
		return
	}
	f := &tables.Failure{Marker: marker, PartialUnknown: true, Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.Timestamp}
	if answer := c.answerEndedEarly(i); answer != nil {
		f.CutUUID, f.PartialUnknown = answer.UUID, false
	}
	c.in.Emit(f)
}

// answerEndedEarly returns the answer that ended too early according to a notice; nil if
// none.
func (c *chat) answerEndedEarly(i int) *entry {
	e := c.entries[i]
	if !finishReason.MatchString(e.Text) {
		return nil
	}
	if at := c.spokenAfter(i); at >= 0 && c.entries[at].kind == "gemini" && within(finishToAnswer, e.Timestamp, c.entries[at].Timestamp) {
		return c.entries[at]
	}
	return nil
}

// emitNoticeStop handles "Request cancelled.". It has three causes: the user refused a
// whole batch and so ended the turn; the user pressed Esc while a tool ran (the message
// with the calls then follows); or the user pressed Esc while the model answered.
func (c *chat) emitNoticeStop(i int) {
	n := newUserStop(c.entries[i])
	before, after := c.batchBefore(i), c.spokenAfter(i)
	switch {
	case before >= 0 && c.nextNotice(before) == i && c.endedTurn(before):
		setEndedCall(n, c.entries[before])
	case after >= 0 && c.cutByNotice(after):
		setEndedCall(n, c.entries[after])
	}
	c.in.Emit(n)
}

// setEndedCall sets the call that an interruption ended: the message's first refused call,
// otherwise the first call that ran, otherwise the first that waited.
func setEndedCall(n *tables.Interruption, e *entry) {
	for _, end := range []outcome{refused, cutTool, cutQueued} {
		for _, t := range e.lastBatch() {
			if o := t.outcome; o.status == end.status && o.phase == end.phase {
				n.ToolUseID, n.CutUUID, n.CutNothing = t.ToolUseID, e.UUID, false
				n.Phase, n.PartialOutput = o.phase, o.partial
				if end == refused {
					n.Phase, n.PairedRejection = tables.PhaseApproval, true
				}
				return
			}
		}
	}
	n.CutUUID, n.CutNothing = e.UUID, false
}

// emitUnnoticedStops emits interruptions of calls that a person or a time limit stopped and
// that no notice reports: in headless runs, in versions before 0.18, and in batches in
// which other calls had already ended. A batch gets one interruption.
func (c *chat) emitUnnoticedStops(i int) {
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
			n.Marker, _, _ = strings.Cut(outputText(t), "\n")
		}
		if last != nil && last.Type == n.Type && last.Timestamp.Equal(n.Timestamp) {
			continue
		}
		last = n
		c.in.Emit(n)
	}
}

// systemStops matches notices and errors that say why Gemini CLI stopped, if the user
// didn't stop it (FORMAT.md §4.4).
var systemStops = pattern.Lazy(`^(Agent execution (stopped|blocked):|A potential loop was detected\.` +
	`|The session has reached the maximum number of turns|⚠️\s+Response (stopped|truncated) ` +
	`|\[API Error:|This request failed\.)`)

// turnEnders matches the notices after which the turn is over. After the other notices
// the work may go on: with a retry, another model, or a request of a hook.
var turnEnders = pattern.Lazy(`^(Agent execution stopped:|The session has reached the maximum number of turns)`)
