package claude

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// endings is what the lines of a log say of how its calls ended, until it is
// known whole.
type endings struct {
	failures []*failure
	markers  []*marker
	batches  map[string]string // by uuid of a line that makes calls or brings a result: what names the batch
	progress map[string]bool   // calls that told of progress
	preHooks map[string]bool   // calls that a hook ran before
	refusals map[string]bool   // calls that a hook refused, by a line of its own
	allowed  map[string]bool   // calls that a hook allowed, likewise
	expired  map[string]bool   // uuids of lines that tell of a question nobody answered
	queued   []time.Time       // when a person typed while the agent worked
}

func newEndings() endings {
	return endings{
		batches:  map[string]string{},
		progress: map[string]bool{},
		preHooks: map[string]bool{},
		refusals: map[string]bool{},
		allowed:  map[string]bool{},
		expired:  map[string]bool{},
	}
}

// ending is how one batch, the calls of one message, ended: all that tells of
// it, so that it is decided once.
type ending struct {
	failures []*failure
	marker   *marker // of the keypress; nil without a marker line
	closed   bool    // a person closed the diff of one call in the editor
	bySystem bool    // nobody pressed a key

	stop  *failure            // the refusal with STOP, or what was cut with one; nil for none
	cut   *failure            // the first that was cut while it ran; nil for none
	cutAt map[string]*failure // the last that was, by its line
}

// marked says whether the marker behind a tool's use follows a result of the batch.
func (e *ending) marked() bool { return e.marker != nil && e.marker.tool }

// sameMoment is how far apart lines are that one keypress wrote: at most 14 ms
// have been seen.
const sameMoment = 100 * time.Millisecond

// pressed says whether the marker of a keypress follows what ended at that time.
func (e *ending) pressed(at time.Time) bool {
	return e.marker != nil && !at.IsZero() && e.marker.Timestamp.Sub(at).Abs() <= sameMoment
}

// progressed takes a progress line. A hook's says only that the hook ran.
func (e *endings) progressed(r *record) {
	id := r.GetStringBytes("parentToolUseID")
	if len(id) == 0 {
		return
	}
	set := e.progress
	if string(r.GetStringBytes("data", "type")) == "hook_progress" {
		if set = e.preHooks; string(r.GetStringBytes("data", "hookEvent")) != "PreToolUse" {
			return
		}
	}
	if !set[string(id)] {
		set[string(id)] = true
	}
}

// failed keeps a result that says that its call failed. The rejection stands
// where the result does, and is filled in once it is known to be one; so does
// the stop that a killed command or a time-out is.
func (t *transcript) failed(r *record, e *tables.ToolResult, batch, text string, extra map[string]any) {
	detail := string(r.GetStringBytes("toolUseResult"))
	f := &failure{
		id:        e.ToolUseID,
		uuid:      r.uuid,
		batch:     batch,
		at:        r.at,
		version:   cmp.Or(r.version, t.facts.version),
		text:      text,
		stamp:     stampOf(r),
		aborted:   detail == "User rejected tool use",
		composed:  detail != "" && !strings.HasPrefix(detail, "Error: "),
		repeated:  detail != "" && detail == text,
		subagent:  t.agent || r.sidechain,
		mode:      t.mode(r),
		result:    e,
		rejection: &tables.Rejection{ToolUseID: e.ToolUseID, Timestamp: r.at, Void: true},
		extra:     extra,
	}
	t.ends.failures = append(t.ends.failures, f)
	t.emit(f.rejection)
	f.killed = t.killed(r, e)
}

// settle decides what each failure was, and what each interruption cut.
func (t *transcript) settle() {
	ends := t.gather()
	for _, f := range t.ends.failures {
		f.verdict = f.judge()
	}
	t.oneKeypress()
	for _, f := range t.ends.failures {
		f.end.take(f)
		t.tell(f)
	}
	if len(t.ends.markers) == 0 {
		return
	}
	open := t.openCalls()
	for _, m := range t.ends.markers {
		batch := t.ends.batches[m.parent]
		t.tellMarker(m, ends[batch], open[batch])
	}
}

// gather brings together what tells of the end of each batch.
func (t *transcript) gather() map[string]*ending {
	ends := map[string]*ending{}
	slices.SortFunc(t.ends.queued, time.Time.Compare)
	for _, f := range t.ends.failures {
		if f.end = ends[f.batch]; f.end == nil {
			f.end = &ending{}
			ends[f.batch] = f.end
		}
		f.end.failures = append(f.end.failures, f)
		f.call, f.known = t.call(f.id), t.calls[f.id] != nil
		f.progress, f.preHook, f.hookSays = t.ends.progress[f.id], t.ends.preHooks[f.id], t.ends.refusals[f.id]
		f.version = cmp.Or(f.version, t.facts.version)
		f.queued = t.ends.queuedDuring(f.call.at, f.at)
		f.end.closed = f.end.closed || f.closedInEditor()
	}
	for _, m := range t.ends.markers {
		batch := t.ends.batches[m.parent]
		if end := ends[batch]; batch != "" && end != nil && (end.marker == nil || m.tool && !end.marker.tool) {
			end.marker = m
		}
	}
	return ends
}

// batchOf names the batch of a result: the same for all calls of one message. A
// result whose call the log doesn't hold follows the message that made it.
func (t *transcript) batchOf(r *record, id string) string {
	batch := cmp.Or(t.call(id).batch, t.ends.batches[t.chain.visible(r.parent)], "call "+id)
	if r.uuid != "" {
		t.ends.batches[r.uuid] = batch
	}
	return batch
}

// sameKeypress is how far apart the results are that one abort wrote.
const sameKeypress = time.Second

// oneKeypress: one abort writes a refusal for every call of a message that has
// no result yet. Only one of them was at the question; the others went with it.
func (t *transcript) oneKeypress() {
	chosen := map[*ending]*failure{}
	for _, f := range t.ends.failures {
		if f.verdict.status != tables.StatusRejected || !f.verdict.stop {
			continue
		}
		first := chosen[f.end]
		switch {
		case first == nil || f.at.Sub(first.at).Abs() > sameKeypress || !f.aborted && !first.aborted:
			chosen[f.end] = f
		case f.aborted && (!first.aborted || f.verdict.confidence <= first.verdict.confidence):
			f.verdict = verdict{status: tables.StatusInterrupted}
		default:
			first.verdict = verdict{status: tables.StatusInterrupted}
			chosen[f.end] = f
		}
	}
}

// take notes what a failure tells of the keypress that ended its batch.
func (e *ending) take(f *failure) {
	if f.stamp.endsTurn || f.verdict.by == tables.ByNobody || f.stamp.given() && tellsOfExpiry(f.text) {
		e.bySystem = true
	}
	if f.verdict.stop && (e.stop == nil || f.verdict.status == tables.StatusRejected || e.stop.verdict.status != tables.StatusRejected) {
		e.stop = f
	}
	if f.verdict.cut {
		if e.cutAt == nil {
			e.cutAt = map[string]*failure{}
		}
		e.cut, e.cutAt[f.uuid] = cmp.Or(e.cut, f), f
	}
}

// tell completes the events of a failure.
func (t *transcript) tell(f *failure) {
	v := &f.verdict
	if v.status == "" && isSkipped(f.text) && (f.composed || !f.foreign()) {
		v.status = tables.StatusSkipped
	}
	if v.claimed {
		f.extra["claimed_denial"] = true
	}
	if v.clarify {
		f.extra["clarify"] = true
	}
	if v.by == "" && f.stamp.kind != "" {
		f.extra["toolDenialKind"] = f.stamp.kind
	}
	f.result.Extra = readers.Object(f.extra)
	if v.status != "" {
		f.result.Status, f.result.ErrorType = v.status, ""
		if !v.cut {
			f.result.ExitCode = tables.Maybe[int64]{}
		}
		if f.killed != nil {
			f.killed.Void = true // a person did it, or nothing ran
		}
	}
	r := f.rejection
	r.Void = v.by == ""
	r.DecidedBy, r.Reason, r.Evidence, r.Confidence = v.by, v.reason, v.evidence, v.confidence
	r.DenialKind = f.stamp.kind
	if v.status == tables.StatusDenied && v.by != tables.ByNobody {
		r.RejectionType = tables.RejectPermission
	}
	t.decideFailure(f)
}
