package claude

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// endings collects the evidence on how calls ended. settle evaluates it at the end of
// the log.
type endings struct {
	failures []*failure
	markers  []*marker
	progress map[string]bool // calls with progress lines
	preHooks map[string]bool // calls after a PreToolUse hook
	refusals map[string]bool // calls refused by a hook, in the hook's own line
	allowed  map[string]bool // calls allowed by a hook, in the hook's own line
	expired  map[string]bool // uuids of lines about a question that no person answered in time
	queued   []time.Time     // times of input typed while the agent worked
}

func newEndings() endings {
	return endings{
		progress: map[string]bool{},
		preHooks: map[string]bool{},
		refusals: map[string]bool{},
		allowed:  map[string]bool{},
		expired:  map[string]bool{},
	}
}

// ending holds all facts about how a batch (the calls of one message) ended.
type ending struct {
	failures []*failure
	marker   *marker // marker of the keypress; nil if the log has no marker line
	closed   bool    // a person closed one call's diff in the editor
	bySystem bool    // the system ended the batch; no person pressed a key

	stop  *failure            // failure whose text orders the agent to STOP; nil if none
	cut   *failure            // first call stopped while running; nil if none
	cutAt map[string]*failure // last call stopped while running, by uuid of the result's line
}

// marked reports whether "[Request interrupted by user for tool use]" follows a result
// of the batch.
func (e *ending) marked() bool { return e.marker != nil && e.marker.tool }

// sameMoment is the longest time between the lines that Claude Code writes at one
// keypress. The longest measured time is 14 ms.
const sameMoment = 100 * time.Millisecond

// pressed reports whether the batch has a marker written at about the time at, so that
// the same keypress caused both lines.
func (e *ending) pressed(at time.Time) bool {
	return e.marker != nil && !at.IsZero() && e.marker.Timestamp.Sub(at).Abs() <= sameMoment
}

// progressed takes a progress line: its call ran. A hook's progress only shows that a
// hook ran before the call.
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

// failed keeps a failed result for settle. Events must be emitted in the order of the
// lines, so it emits a void rejection now. settle fills the rejection in if the call
// was refused. The interruption by a time-out or a killed command is emitted and
// withdrawn in the same way.
func (t *transcript) failed(r *record, e *tables.ToolResult, batch, text string, extra readers.Extra) {
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

// settle decides, at the end of the log, why each call failed and which call each
// interruption stopped.
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
		batch := t.chain.batch(m.parent)
		t.tellMarker(m, ends[batch], open[batch])
	}
}

// gather collects the facts about each batch's end, by batch.
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
		batch := t.chain.batch(m.parent)
		if end := ends[batch]; batch != "" && end != nil && (end.marker == nil || m.tool && !end.marker.tool) {
			end.marker = m
		}
	}
	return ends
}

// batchOf returns the batch of a result: an id that all calls of one message share. If
// the log doesn't hold the result's call, it returns the batch of the message above the
// result.
func (t *transcript) batchOf(r *record, id string) string {
	batch := cmp.Or(t.call(id).batch, t.chain.batch(t.chain.visible(r.parent)), "call "+id)
	t.chain.setBatch(r, batch)
	return batch
}

// sameKeypress is the longest time between the results that Claude Code writes when the
// user presses Esc once.
const sameKeypress = time.Second

// oneKeypress keeps one refusal per press of Esc. Claude Code then writes a refusal for
// every call of the message that has no result. But it had asked the user about only
// one of these calls; oneKeypress marks the others as interrupted.
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

// take notes what a failure tells about the keypress that ended the batch.
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

// tell fills in the result and the rejection of a failure from its verdict.
func (t *transcript) tell(f *failure) {
	v := &f.verdict
	if v.status == "" && isSkipped(f.text) && (f.composed || !f.foreign()) {
		v.status = tables.StatusSkipped
	}
	f.extra.Flag("claimed_denial", v.claimed)
	f.extra.Flag("clarify", v.clarify)
	if v.by == "" && f.stamp.kind != "" {
		f.extra.Set("toolDenialKind", f.stamp.kind)
	}
	f.result.Extra = readers.Object(f.extra)
	if v.status != "" {
		f.result.Status, f.result.ErrorType = v.status, ""
		if !v.cut {
			f.result.ExitCode = tables.Maybe[int64]{}
		}
		if f.killed != nil {
			f.killed.Void = true // a person stopped the call, or nothing ran
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
