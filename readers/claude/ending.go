package claude

import (
	"cmp"
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
// where the result does, and is filled in once it is known to be one.
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
		subagent:  t.agent || r.sidechain,
		mode:      t.mode(r),
		result:    e,
		rejection: &tables.Rejection{ToolUseID: e.ToolUseID, Timestamp: r.at, Void: true},
		extra:     extra,
	}
	t.ends.failures = append(t.ends.failures, f)
	t.emit(f.rejection)
}

// settle decides what each failure was, and what each interruption cut.
func (t *transcript) settle() {
	marked := t.markedBatches()
	for _, f := range t.ends.failures {
		f.call, f.known = t.calls[f.id]
		f.progress, f.preHook, f.hookSays = t.ends.progress[f.id], t.ends.preHooks[f.id], t.ends.refusals[f.id]
		f.marked = marked[f.batch]
		f.version = cmp.Or(f.version, t.facts.version)
		f.verdict = f.judge()
	}
	t.oneKeypress()
	for _, f := range t.ends.failures {
		t.tell(f)
	}
	if len(t.ends.markers) == 0 {
		return
	}
	ends := t.batchEnds()
	for _, m := range t.ends.markers {
		t.tellMarker(m, ends)
	}
}

// batchOf names the batch of a result: the same for all calls of one message. A
// result whose call the log doesn't hold follows the message that made it.
func (t *transcript) batchOf(r *record, id string) string {
	batch := cmp.Or(t.calls[id].batch, t.ends.batches[t.chain.visible(r.parent)], "call "+id)
	if r.uuid != "" {
		t.ends.batches[r.uuid] = batch
	}
	return batch
}

// markedBatches are those in which a result is what a marker follows.
func (t *transcript) markedBatches() map[string]bool {
	marked := map[string]bool{}
	for _, m := range t.ends.markers {
		if batch := t.ends.batches[m.parent]; batch != "" && m.tool {
			marked[batch] = true
		}
	}
	return marked
}

// sameKeypress is how far apart the results are that one abort wrote.
const sameKeypress = time.Second

// oneKeypress: one abort writes a refusal for every call of a message that has
// no result yet. Only one of them was at the question; the others went with it.
func (t *transcript) oneKeypress() {
	chosen := map[string]*failure{}
	for _, f := range t.ends.failures {
		if f.verdict.status != tables.StatusRejected || !f.verdict.stop {
			continue
		}
		first := chosen[f.batch]
		switch {
		case first == nil || f.at.Sub(first.at).Abs() > sameKeypress || !f.aborted && !first.aborted:
			chosen[f.batch] = f
		case f.aborted && (!first.aborted || f.verdict.confidence <= first.verdict.confidence):
			f.verdict = verdict{status: tables.StatusInterrupted}
		default:
			first.verdict = verdict{status: tables.StatusInterrupted}
			chosen[f.batch] = f
		}
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
