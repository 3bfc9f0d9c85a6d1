package codex

import (
	"time"

	"hindsql/tables"
)

// waited returns how long a call stood still before it ran; unset if the wait is too
// short to show a question to the user.
func (c *call) waited() tables.Maybe[int64] {
	least := int64(leastWait)
	if c.ToolKind == tables.ToolEdit {
		least = leastPatchWait
	}
	if c.ended == nil || c.ended.waited.Value <= least {
		return tables.Maybe[int64]{}
	}
	return c.ended.waited
}

// waitedIn computes from an item how long a call stood still. In new versions the
// item's clock starts when the user is asked. In older versions the clock starts with
// the command, and the call's own line says when the call was made. But if a response
// made several calls, the line says nothing, because calls wait for each other.
func (t *rollout) waitedIn(r *record, info *call, e *ended) tables.Maybe[int64] {
	completed, started := r.GetInt64("completed_at_ms"), r.GetInt64("started_at_ms")
	if completed <= 0 || !e.duration.OK && info.ToolKind != tables.ToolEdit {
		return tables.Maybe[int64]{}
	}
	wait := int64(0)
	if started > 0 {
		wait = completed - started - e.duration.Value
	}
	if wait <= leastWait && info.ParentToolUseID == "" && info.at != nil && !info.at.at.IsZero() && t.turn.alone(info) {
		wait = completed - info.at.at.UnixMilli() - e.duration.Value
	}
	return tables.Maybe[int64]{Value: wait, OK: wait >= 0 && wait < longestWait}
}

// alone reports whether the call is the only one of its response in the running turn.
func (t *turn) alone(info *call) bool {
	found := 0
	for _, c := range t.open {
		if c.uuid == info.uuid {
			found++
		}
	}
	return found == 1
}

// leastGap is the shortest gap that shows a question to a person: the program's other
// work takes less time.
const leastGap = 2 * time.Second

// gap returns the time that a person took to decide about a call: the time from the
// call to its result, without the call's own duration. It also leaves out the time
// until the response's previous call ended and, in a script, the other calls' time.
func (t *rollout) gap(info *call) tables.Maybe[int64] {
	if info.at == nil || info.result == nil || !info.declined && !info.result.DurationMS.OK {
		return tables.Maybe[int64]{}
	}
	from, to := info.at.at, info.result.Timestamp
	if info.after.After(from) {
		from = info.after
	}
	others, known := t.scriptBy(info.ParentToolUseID).others(info)
	if from.IsZero() || to.IsZero() || !known {
		return tables.Maybe[int64]{}
	}
	ms := to.Sub(from).Milliseconds() - others - max(0, info.result.DurationMS.Value)
	return tables.Maybe[int64]{Value: ms, OK: ms > leastGap.Milliseconds() && ms < longestWait}
}

// others returns how many milliseconds a script's calls took, without info. The time is
// unknown if one of these calls may also have waited for a person.
func (s *script) others(info *call) (ms int64, known bool) {
	if s == nil {
		return 0, true
	}
	for _, c := range s.children {
		switch {
		case c == info:
		case c.escalated, c.consent.saved, c.declined, c.result == nil, !c.result.DurationMS.OK:
			return 0, false
		default:
			ms += max(0, c.result.DurationMS.Value)
		}
	}
	return ms, true
}

// longestWait is an upper limit in milliseconds: a longer wait shows a wrong clock.
const longestWait = 1e9

// waitedBy returns how long a call waited for the person's decision: from its item,
// otherwise from the gap.
func (t *rollout) waitedBy(info *call) tables.Maybe[int64] {
	if waited := info.waited(); waited.OK {
		return waited
	}
	return t.gap(info)
}
