package claude

import (
	"slices"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// queue holds input that the user typed while the agent worked, until Claude Code takes
// it (FORMAT.md §3.5).
type queue []string

// queueOperation takes a line about the queue. A queued /clear runs when it is taken
// from the queue, possibly long after it was typed.
func (t *transcript) queueOperation(r *record) {
	content := readers.Text(r.Value, "content")
	switch string(r.GetStringBytes("operation")) {
	case "enqueue":
		t.queue = append(t.queue, content)
		if kind := textKind(content); kind == "" || kind == tables.KindPrompt || kind == tables.KindCommand {
			t.ends.queued = append(t.ends.queued, r.at)
		}
	case "dequeue":
		if taken := t.queue.take(0); isClear(firstWord(taken)) && t.opened && !t.agent {
			t.queuedClear(r, firstWord(taken))
		}
	case "remove": // it went into the turn; commands never do
		t.queue.take(slices.IndexFunc(t.queue, func(s string) bool { return !readers.IsCommand(s) }))
	case "popAll":
		t.queue = nil
	}
}

// take removes and returns the input at an index; empty if the queue has no such input.
func (q *queue) take(at int) (taken string) {
	if at < 0 || at >= len(*q) {
		return ""
	}
	taken = (*q)[at]
	*q = slices.Delete(*q, at, at+1)
	return taken
}

// queuedClear notes a /clear that Claude Code took from the queue. The clear ends this
// session, so finish emits the clear at the end of the log. But if the session goes on,
// the queue was wrong: a program that had died left the input in it, and the line
// reports an input of another program's queue.
func (t *transcript) queuedClear(r *record, command string) {
	t.clearing = &tables.Clear{
		SessionID:  t.id,
		Trigger:    tables.ClearByCommand,
		Command:    command,
		Project:    t.facts.project,
		Timestamp:  r.at,
		Evidence:   tables.EvidenceQueue,
		Confidence: 1,
	}
}

// goesOn drops the noted clear if the model answers after the time of the clear. The
// last answer from before the clear may stand after it in the file, so goesOn allows a
// second.
func (t *transcript) goesOn(at time.Time) {
	if t.clearing != nil && at.After(t.clearing.Timestamp.Add(sameKeypress)) {
		t.clearing = nil
	}
}

// firstWord returns the first word of a text, which is the command in an input like
// "/clear NEXT PROMPT". The prompt may follow on the same line or on the next one.
func firstWord(text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// queuedDuring reports whether a person typed input after from and clearly before to. A
// person can't type input while Claude Code asks a question.
func (e *endings) queuedDuring(from, to time.Time) bool {
	if from.IsZero() {
		return false
	}
	at, _ := slices.BinarySearchFunc(e.queued, from, time.Time.Compare)
	return at < len(e.queued) && e.queued[at].Before(to.Add(-sameMoment))
}
