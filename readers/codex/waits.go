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
// response that end before; of several in one script it isn't known which waited.
func (t *rollout) gap(info *call) tables.Maybe[int64] {
	if info.at == nil || info.result == nil || !info.declined && !info.result.DurationMS.OK {
		return tables.Maybe[int64]{}
	}
	from, to := info.at.at, info.result.Timestamp
	if info.after.After(from) {
		from = info.after
	}
	if s := t.scriptBy(info.ParentToolUseID); from.IsZero() || to.IsZero() || s != nil && len(s.children) > 1 {
		return tables.Maybe[int64]{}
	}
	ms := to.Sub(from).Milliseconds() - max(0, info.result.DurationMS.Value)
	return tables.Maybe[int64]{Value: ms, OK: ms > leastGap.Milliseconds() && ms < longestWait}
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
