package conversation

import (
	"context"
	"math"
)

// Window is a part of a session: the pieces of some of its messages.
type Window struct {
	*Conversation
	From, To    int64 // pieces of the messages From … To-1 are given
	First, Last int64 // messages that the session has, copies left out; Last is -1 where it has none
}

// HasBefore says that there are messages before those given.
func (w *Window) HasBefore() bool { return w.From > w.First }

// HasAfter says that there are messages behind those given.
func (w *Window) HasAfter() bool { return w.To <= w.Last }

// ReadWindow is [Read] of count messages from one on: nothing of the others is
// read. A call comes with its result and its refusal, wherever those stand; what
// stands before all messages comes with the first, what stands nowhere with the
// last. From is moved to where messages are.
func ReadWindow(ctx context.Context, run Run, agent, id string, from, count int64) (*Window, error) {
	w := &Window{Last: -1}
	r := &reading{ctx: ctx, run: run, args: map[string]any{"agent": agent, "id": id}}
	r.each("SELECT min(message_index), max(message_index) FROM messages WHERE agent = $agent AND session_id = $id", func(row []any) {
		w.First, w.Last = number(row[0]), numberOr(row[1], -1)
	})
	w.From = max(w.First, min(from, w.Last))
	w.To = w.From + max(count, 1)
	if w.To < w.From { // beyond what numbers go to
		w.To = math.MaxInt64
	}
	if w.HasBefore() {
		r.from, r.args["from"] = true, w.From
	}
	if w.HasAfter() {
		r.to, r.args["to"] = true, w.To
	}
	r.read()
	if r.err != nil {
		return nil, r.err
	}
	w.Conversation = &r.made
	return w, nil
}

// within is the condition that a column with the index of a message lies in what
// is read.
func (r *reading) within(column string) (and string) {
	switch {
	case r.from && r.to:
		return " AND " + column + " >= $from AND " + column + " < $to"
	case r.from:
		return " AND (" + column + " >= $from OR " + column + " IS NULL)"
	case r.to:
		return " AND " + column + " < $to"
	}
	return ""
}

// isIn is within for an index that was read; -1 is none.
func (r *reading) isIn(index int64) bool {
	if index < 0 {
		return !r.to
	}
	return !(r.from && index < r.args["from"].(int64)) && !(r.to && index >= r.args["to"].(int64))
}

// refusals is the query of those whose calls are read, and of those without a
// call that lie in what is read.
func (r *reading) refusals() string {
	if !r.from && !r.to {
		return refusalsSQL + refusalsOrder
	}
	const calls = "SELECT coalesce(tool_use_id, '') FROM tool_calls WHERE agent = $agent AND session_id = $id"
	return refusalsSQL + " AND (coalesce(tool_use_id, '') IN (" + calls + r.within("message_index") + ") OR (coalesce(tool_use_id, '') NOT IN (" + calls + ")" +
		r.within("message_index") + "))" + refusalsOrder
}
