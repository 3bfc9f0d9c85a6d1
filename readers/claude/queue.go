package claude

import (
	"slices"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// queue is what was typed while the agent worked, and waits (FORMAT.md §3.5).
type queue []string

// queueOperation takes a line that tells of the queue. A /clear that waited runs as
// it is taken from there, which may be long after it was typed.
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
	case "remove": // it went into the turn, as no command does
		t.queue.take(slices.IndexFunc(t.queue, func(s string) bool { return !readers.IsCommand(s) }))
	case "popAll":
		t.queue = nil
	}
}

// take removes what waits at a place; empty where nothing does.
func (q *queue) take(at int) (taken string) {
	if at < 0 || at >= len(*q) {
		return ""
	}
	taken = (*q)[at]
	*q = slices.Delete(*q, at, at+1)
	return taken
}

// queuedClear is the trace of a clear in the log of the session that it ended. It
// is told at the end of the log: where the session goes on, what waited was left
// by a program that died, and another one took something else from its queue.
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

// goesOn takes back the trace of a clear behind which the model answers. The last
// answer before it may stand behind it in the file.
func (t *transcript) goesOn(at time.Time) {
	if t.clearing != nil && at.After(t.clearing.Timestamp.Add(sameKeypress)) {
		t.clearing = nil
	}
}

// firstWord is the command of a text; behind it may stand, on a line of its own too,
// what the next session begins with.
func firstWord(text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// queuedDuring says whether a person typed something between two times, which
// are not of one moment. While a question is open nothing can be typed.
func (e *endings) queuedDuring(from, to time.Time) bool {
	if from.IsZero() {
		return false
	}
	at, _ := slices.BinarySearchFunc(e.queued, from, time.Time.Compare)
	return at < len(e.queued) && e.queued[at].Before(to.Add(-sameMoment))
}
