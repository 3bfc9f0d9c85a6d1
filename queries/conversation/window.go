package conversation

import (
	"context"
	"math"
)

// Window is part of a session: the pieces of a range of messages.
type Window struct {
	*Conversation
	From, To    int64 // range of messages: From … To-1
	First, Last int64 // range of the session's messages without copies; Last is -1 if the session has none
}

// HasBefore reports whether the session has messages before the window.
func (w *Window) HasBefore() bool { return w.From > w.First }

// HasAfter reports whether the session has messages after the window.
func (w *Window) HasAfter() bool { return w.To <= w.Last }

// ReadWindow reads count messages of a session, starting at message from, and no
// others. A call comes with its result and its refusal, even if their messages are
// outside the window. The Copied piece comes with the first window, pieces without a
// message with the last. From is moved into the range of the session's messages.
func ReadWindow(ctx context.Context, run Run, agent, id string, from, count int64) (*Window, error) {
	w := &Window{Last: -1}
	r := &reading{ctx: ctx, run: run, args: map[string]any{"agent": agent, "id": id}}
	r.each("SELECT min(message_index), max(message_index) FROM messages WHERE agent = $agent AND session_id = $id", func(row []any) {
		w.First, w.Last = number(row[0]), numberOr(row[1], -1)
	})
	w.From = max(w.First, min(from, w.Last))
	w.To = w.From + max(count, 1)
	if w.To < w.From { // overflow
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

// within returns an SQL condition: the message index in column lies in the window.
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

// isIn reports whether a message index lies in the window. A negative index means that
// an event has no message; it belongs to the last window.
func (r *reading) isIn(index int64) bool {
	if index < 0 {
		return !r.to
	}
	return !(r.from && index < r.args["from"].(int64)) && !(r.to && index >= r.args["to"].(int64))
}

// refusals returns the query for refusals. In a window the query selects refusals of
// the window's calls, and refusals in the window whose call is missing.
func (r *reading) refusals() string {
	if !r.from && !r.to {
		return refusalsSQL + refusalsOrder
	}
	const calls = "SELECT coalesce(tool_use_id, '') FROM tool_calls WHERE agent = $agent AND session_id = $id"
	return refusalsSQL + " AND (coalesce(tool_use_id, '') IN (" + calls + r.within("message_index") + ") OR (coalesce(tool_use_id, '') NOT IN (" + calls + ")" +
		r.within("message_index") + "))" + refusalsOrder
}
