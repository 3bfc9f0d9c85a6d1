package codex

import (
	"time"

	"hindsql/tables"
)

// waited is how long a call stood still before it ran, where that is too long
// for a call that nobody is asked about.
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

// waitedIn works out from an item how long its call stood still. In new versions
// the item's clock starts when the user is asked. In older ones it starts with
// the command, and the call's own line says when the call was made; that line
// tells nothing where calls of one response wait for each other.
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

// alone says whether the call is its response's only one, in the turn that runs.
func (t *turn) alone(info *call) bool {
	found := 0
	for _, c := range t.open {
		if c.uuid == info.uuid {
			found++
		}
	}
	return found == 1
}

// leastGap is how much longer than itself a call takes when a person was asked
// about it: what the program does beside takes less.
const leastGap = 2 * time.Second

// gap is what the time from a call to its result, without its own duration,
// leaves for the person who decided about it. A call waits for those of its
// response that end before, and in a script for the others.
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

// others is how many milliseconds the script's other calls took. It isn't known
// where one of them may have waited for a person, too.
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

// longestWait is more milliseconds than any clock is right about.
const longestWait = 1e9

// waitedBy is how long a call waited for the person who decided about it: as its
// item tells, else by the gap.
func (t *rollout) waitedBy(info *call) tables.Maybe[int64] {
	if waited := info.waited(); waited.OK {
		return waited
	}
	return t.gap(info)
}
