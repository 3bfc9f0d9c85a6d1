package claude

import (
	"slices"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// queue holds input typed while the agent worked, until it is taken (FORMAT.md §3.5).
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

// queuedClear notes a clear in the log of the session ended by the clear. The clear is
// emitted at the end of the log, unless the session goes on. If the session goes on, a
// program that died had left the queued input, and another program took an input from
// another queue.
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

// goesOn drops the noted clear if the model answers after it. The last answer before
// the clear may come after it in the file.
func (t *transcript) goesOn(at time.Time) {
	if t.clearing != nil && at.After(t.clearing.Timestamp.Add(sameKeypress)) {
		t.clearing = nil
	}
}

// firstWord returns the command of a text. The next session's first prompt may follow
// the command, also on a line of its own.
func firstWord(text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// queuedDuring reports whether a person typed input between two times, and not at the
// same moment as the second. A person can't type input while a question is open.
func (e *endings) queuedDuring(from, to time.Time) bool {
	if from.IsZero() {
		return false
	}
	at, _ := slices.BinarySearchFunc(e.queued, from, time.Time.Compare)
	return at < len(e.queued) && e.queued[at].Before(to.Add(-sameMoment))
}
