package claude

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// endings collects the evidence on how calls ended. resolveEndings evaluates it at the
// end of the log.
type endings struct {
	failures     []*failedResult
	markers      []*marker
	progress     map[string]bool // calls with progress lines
	mcpProgress  bool            // calls of MCP tools have progress lines
	preHooks     map[string]bool // calls after a PreToolUse hook
	hookRefusals map[string]bool // calls refused by a hook, in the hook's own line
	hookGrants   map[string]bool // calls allowed by a hook, in the hook's own line
	expired      map[string]bool // uuids of lines about a question that no person answered in time
	queued       []time.Time     // times of input typed while the agent worked
}

func newEndings() endings {
	return endings{
		progress:     map[string]bool{},
		preHooks:     map[string]bool{},
		hookRefusals: map[string]bool{},
		hookGrants:   map[string]bool{},
		expired:      map[string]bool{},
	}
}

// ending holds all facts about how a batch (the calls of one message) ended.
type ending struct {
	failures []*failedResult
	marker   *marker // marker of the keypress; nil if the log has no marker line
	closed   bool    // a person closed one call's diff in the editor
	bySystem bool    // the system ended the batch; no person pressed a key

	stop  *failedResult            // failure whose text orders the agent to STOP; nil if none
	cut   *failedResult            // first call stopped while running; nil if none
	cutAt map[string]*failedResult // last call stopped while running, by uuid of the result's line
}

// hasToolMarker reports whether "[Request interrupted by user for tool use]" follows a
// result of the batch.
func (e *ending) hasToolMarker() bool { return e.marker != nil && e.marker.tool }

// sameMoment is the longest time between the lines that Claude Code writes at one
// keypress. The longest measured time is 14 ms.
const sameMoment = 100 * time.Millisecond

// hasMarkerAt reports whether the batch has a marker written at about the time at, so that
// the same keypress caused both lines.
func (e *ending) hasMarkerAt(at time.Time) bool {
	return e.marker != nil && !at.IsZero() && e.marker.Timestamp.Sub(at).Abs() <= sameMoment
}

// addProgress handles a progress line: its call ran. A hook's progress only shows that a
// hook ran before the call.
func (e *endings) addProgress(r *record) {
	id := r.GetStringBytes("parentToolUseID")
	if len(id) == 0 {
		return
	}
	set := e.progress
	switch string(r.GetStringBytes("data", "type")) {
	case "mcp_progress":
		e.mcpProgress = true
	case "hook_progress":
		if set = e.preHooks; string(r.GetStringBytes("data", "hookEvent")) != preToolUse {
			return
		}
	}
	if !set[string(id)] {
		set[string(id)] = true
	}
}

// addFailedResult keeps a failed result for resolveEndings. Events must be emitted in
// the order of the lines, so it emits a void rejection now. resolveEndings fills the
// rejection in if the call was refused. The interruption by a time-out or a killed
// command is emitted and withdrawn in the same way.
func (t *transcript) addFailedResult(r *record, e *tables.ToolResult, batch, text string, extra readers.Extra) {
	detail := string(r.GetStringBytes("toolUseResult"))
	f := &failedResult{
		id:        e.ToolUseID,
		uuid:      r.uuid,
		batch:     batch,
		at:        r.at,
		version:   cmp.Or(r.version, t.facts.version),
		text:      text,
		stamp:     stampOf(r),
		aborted:   detail == "User rejected tool use",
		ownWords:  detail != "" && !strings.HasPrefix(detail, "Error: "),
		repeated:  detail != "" && detail == text,
		subagent:  t.agent || r.sidechain,
		mode:      t.mode(r),
		result:    e,
		rejection: &tables.Rejection{ToolUseID: e.ToolUseID, Timestamp: r.at, Void: true},
		extra:     extra,
	}
	t.endings.failures = append(t.endings.failures, f)
	t.emit(f.rejection)
	f.systemStop = t.emitSystemStop(r, e)
}

// addGoOn handles a line with which Claude Code goes on without a prompt. above is the line
// before it. Results of that batch in the words of a stop are no stop.
func (e *endings) addGoOn(above string) {
	batch := ""
	for _, f := range slices.Backward(e.failures) {
		switch {
		case f.text != interruptTool, f.uuid != above && f.batch != batch:
			return
		}
		f.beforeGoOn, batch = true, f.batch
	}
}

// resolveEndings decides, at the end of the log, why each call failed and which call each
// interruption stopped.
func (t *transcript) resolveEndings() {
	ends := t.collectEndings()
	for _, f := range t.endings.failures {
		f.verdict = f.judge()
	}
	t.keepOneRefusal()
	for _, f := range t.endings.failures {
		f.end.addVerdict(f)
		t.applyVerdict(f)
	}
	if len(t.endings.markers) == 0 {
		return
	}
	open := t.openCalls()
	for _, m := range t.endings.markers {
		batch := t.chain.batchOf(m.parent)
		t.resolveMarker(m, ends[batch], open[batch])
	}
}

// collectEndings collects the facts about each batch's end, by batch.
func (t *transcript) collectEndings() map[string]*ending {
	ends := map[string]*ending{}
	slices.SortFunc(t.endings.queued, time.Time.Compare)
	for _, f := range t.endings.failures {
		if f.end = ends[f.batch]; f.end == nil {
			f.end = &ending{}
			ends[f.batch] = f.end
		}
		f.end.failures = append(f.end.failures, f)
		f.call, f.known = t.call(f.id), t.calls[f.id] != nil
		f.progress, f.preHook, f.hookRefused = t.endings.progress[f.id], t.endings.preHooks[f.id], t.endings.hookRefusals[f.id]
		f.noProgress = t.endings.mcpProgress && !f.progress
		f.version = cmp.Or(f.version, t.facts.version)
		f.queued = t.endings.queuedDuring(f.call.at, f.at)
		f.end.closed = f.end.closed || f.closedInEditor()
	}
	for _, m := range t.endings.markers {
		batch := t.chain.batchOf(m.parent)
		if end := ends[batch]; batch != "" && end != nil && (end.marker == nil || m.tool && !end.marker.tool) {
			end.marker = m
		}
	}
	return ends
}

// assignBatch records and returns the batch of a result: an id that all calls of one
// message share. If the log doesn't hold the result's call, it returns the batch of the
// message above the result.
func (t *transcript) assignBatch(r *record, id string) string {
	batch := cmp.Or(t.call(id).batch, t.chain.batchOf(t.chain.nearestMessage(r.parent)), "call "+id)
	t.chain.setBatch(r, batch)
	return batch
}

// sameKeypress is the longest time between the results that Claude Code writes when the
// user presses Esc once.
const sameKeypress = time.Second

// keepOneRefusal keeps one refusal per press of Esc. Claude Code then writes a refusal for
// every call of the message that has no result. But it had asked the user about only
// one of these calls; keepOneRefusal marks the others as interrupted.
func (t *transcript) keepOneRefusal() {
	chosen := map[*ending]*failedResult{}
	for _, f := range t.endings.failures {
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

// addVerdict adds what a failure shows about the keypress that ended the batch.
func (e *ending) addVerdict(f *failedResult) {
	expired := f.stamp.hasRefusalOrStop() && isExpiry(f.text) || f.verdict.by == tables.ByNobody && strings.HasPrefix(f.text, notCompleted)
	if f.stamp.endsTurn || f.stamp.shutdown || f.stamp.unanswered != "" || expired {
		e.bySystem = true
	}
	if f.verdict.stop && (e.stop == nil || f.verdict.status == tables.StatusRejected || e.stop.verdict.status != tables.StatusRejected) {
		e.stop = f
	}
	if f.verdict.cut {
		if e.cutAt == nil {
			e.cutAt = map[string]*failedResult{}
		}
		e.cut, e.cutAt[f.uuid] = cmp.Or(e.cut, f), f
	}
}

// applyVerdict fills in the result and the rejection of a failure from its verdict.
func (t *transcript) applyVerdict(f *failedResult) {
	v, r := &f.verdict, f.rejection
	r.Void = v.by == ""
	if v.claimed && !f.known {
		if built := f.verdictOfBuiltIn(); built.by != "" {
			v, r = &built, &tables.Rejection{ToolUseID: f.id, Timestamp: f.at}
			f.result.Refusal = r
		}
	}
	if v.status == "" && isSkipped(f.text) && (f.ownWords || !f.canBeForeign()) {
		v.status = tables.StatusSkipped
	}
	f.extra.Flag("claimed_denial", v.claimed)
	f.extra.Flag("clarify", v.clarify)
	f.result.StandIn = f.isStandIn()
	f.extra.Flag("stand_in", f.result.StandIn)
	if v.by == "" && f.stamp.kind != "" {
		f.extra.Set("toolDenialKind", f.stamp.kind)
	}
	f.result.Extra = readers.Object(f.extra)
	if v.status != "" {
		f.result.Status, f.result.ErrorType = v.status, ""
		if !v.cut {
			f.result.ExitCode = tables.Maybe[int64]{}
		}
		if f.systemStop != nil {
			// A person stopped the call, nothing ran, or another row has the end of the process.
			f.systemStop.Void = !f.stamp.shutdown || f.end.marker != nil || f.end.cut != f
		}
	}
	r.DecidedBy, r.Reason, r.Evidence, r.Confidence = v.by, v.reason, v.evidence, v.confidence
	if r.Reason == "" && v.confidence > wordingOfShell {
		r.Reason = deciderWords(v.by, f.text)
	}
	r.DenialKind = f.stamp.kind
	if v.status == tables.StatusDenied && v.by != tables.ByNobody {
		r.RejectionType = tables.RejectPermission
	}
	t.emitFailureDecision(f)
}
