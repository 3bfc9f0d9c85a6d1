package codex

import (
	"time"

	"hindsql/tables"
)

// significantWait returns how many milliseconds a call waited before it ran. It is
// unset if the wait is too short to show that Codex asked the user.
func (c *call) significantWait() tables.Maybe[int64] {
	least := int64(leastWait)
	if c.ToolKind == tables.ToolEdit {
		least = leastPatchWait
	}
	if c.end == nil || c.end.waited.Value <= least {
		return tables.Maybe[int64]{}
	}
	return c.end.waited
}

// waitFromItem computes from an item how long a call waited before it ran. In new versions,
// the item's start is the time when the user is asked. In older versions, it is the
// time when the command starts; there the call's own line tells when the call was made.
// But if a response made several calls, the line's time is of no use, because calls
// wait for each other.
func (t *rollout) waitFromItem(r *record, info *call, e *callEnd) tables.Maybe[int64] {
	completed, started := r.GetInt64("completed_at_ms"), r.GetInt64("started_at_ms")
	if completed <= 0 || !e.duration.OK && info.ToolKind != tables.ToolEdit {
		return tables.Maybe[int64]{}
	}
	wait := int64(0)
	if started > 0 {
		wait = completed - started - e.duration.Value
	}
	if wait <= leastWait && info.ParentToolUseID == "" && info.at != nil && !info.at.at.IsZero() && t.turn.isAlone(info) {
		wait = completed - info.at.at.UnixMilli() - e.duration.Value
	}
	return tables.Maybe[int64]{Value: wait, OK: wait >= 0 && wait < longestWait}
}

// isAlone reports whether the call is the only one of its response in the running turn.
func (t *turn) isAlone(info *call) bool {
	found := 0
	for _, c := range t.open {
		if c.uuid == info.uuid {
			found++
		}
	}
	return found == 1
}

// leastGap is the shortest gap (see decisionGap) that shows that Codex asked a
// person: Codex's own work between call and result takes less time.
const leastGap = 2 * time.Second

// decisionGap returns how long a person took to decide about a call: the time from the
// call to its result, without the call's own duration. It also leaves out the time
// until the response's previous call ended and, for a script's call, the duration of
// the script's other calls.
func (t *rollout) decisionGap(info *call) tables.Maybe[int64] {
	if info.at == nil || info.result == nil || !info.declined && !info.result.DurationMS.OK {
		return tables.Maybe[int64]{}
	}
	from, to := info.at.at, info.result.Timestamp
	if info.previousEnd.After(from) {
		from = info.previousEnd
	}
	others, known := t.scriptByID(info.ParentToolUseID).otherDuration(info)
	if from.IsZero() || to.IsZero() || !known {
		return tables.Maybe[int64]{}
	}
	ms := to.Sub(from).Milliseconds() - others - max(0, info.result.DurationMS.Value)
	return tables.Maybe[int64]{Value: ms, OK: ms > leastGap.Milliseconds() && ms < longestWait}
}

// otherDuration returns how many milliseconds the script's calls other than info took.
// known is false if one of these calls may also have waited for a person.
func (s *script) otherDuration(info *call) (ms int64, known bool) {
	if s == nil {
		return 0, true
	}
	for _, c := range s.children {
		switch {
		case c == info:
		case c.escalated, c.rules.saved, c.declined, c.result == nil, !c.result.DurationMS.OK:
			return 0, false
		default:
			ms += max(0, c.result.DurationMS.Value)
		}
	}
	return ms, true
}

// longestWait is the longest plausible wait in milliseconds. A longer wait means a
// wrong clock.
const longestWait = 1e9

// waitForDecision returns how long a call waited for the person's decision: from its item,
// otherwise from decisionGap.
func (t *rollout) waitForDecision(info *call) tables.Maybe[int64] {
	if waited := info.significantWait(); waited.OK {
		return waited
	}
	return t.decisionGap(info)
}
