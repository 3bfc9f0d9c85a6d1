package claude

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Permission modes in which Claude Code runs certain calls without a question.
const (
	bypassMode = "bypassPermissions" // nothing is asked
	editMode   = "acceptEdits"       // edits below the working directories are not asked about
)

// Confidence that the person or the mode granted the call, if no field names who did.
const (
	byComment  = 0.95
	byBypass   = 0.9
	byEditMode = 0.7
)

// mode returns the permission mode at a line. It is empty for a subagent's lines, which
// don't record a mode.
func (t *transcript) mode(r *record) string {
	if t.agent || r.sidechain {
		return ""
	}
	return t.facts.mode
}

// emitSuccessDecision emits a decision with the author of the grant for a successful
// call, if the log shows the author.
func (t *transcript) emitSuccessDecision(r *record, e *tables.ToolResult, text string) {
	if s := stampOf(r); s.permission.decision != "" {
		t.emitDecision(s.permission.grant(), e.ToolUseID)
		return
	}
	c := t.call(e.ToolUseID)
	switch {
	case t.endings.hookGrants[e.ToolUseID]:
	case r.commented:
		t.emitDecision(&tables.Decision{Decision: tables.Granted, DecidedBy: tables.ByUser, Confidence: byComment}, e.ToolUseID)
	case isAnswered(c, text):
		t.emitDecision(&tables.Decision{Decision: tables.Granted, DecidedBy: tables.ByUser, Confidence: 1}, e.ToolUseID)
	default:
		t.emitDecision(byMode(t.mode(r), c), e.ToolUseID)
	}
}

// emitFailureDecision emits the decision about a call whose result is an error: who granted
// the call, who cancelled it, or how sure the author of a refusal is. The tables
// compute how long a person took to refuse a call.
func (t *transcript) emitFailureDecision(f *failedResult) {
	p := &f.stamp.permission
	if f.verdict.by != "" && f.verdict.authorConfidence > 0 {
		t.emitDecision(&tables.Decision{Confidence: f.verdict.authorConfidence}, f.id)
	}
	switch {
	case f.verdict.by == tables.ByUser:
	case p.decision == "reject" && p.source == "user_abort" && f.verdict.status == tables.StatusInterrupted:
		t.emitDecision(&tables.Decision{Decision: tables.Cancelled, DecidedBy: tables.ByUser, Confidence: 1}, f.id)
	case p.decision != "" && p.decision != "reject":
		t.emitDecision(p.grant(), f.id)
	case f.call.kind == tables.ToolEdit && !isFramed(f.text): // perhaps it never ran
	case f.verdict.status == "" && !f.stamp.hasRefusalOrStop() && f.result.ErrorType != tables.ErrorInvalidCall && !t.endings.hookGrants[f.id]:
		t.emitDecision(byMode(f.mode, f.call), f.id)
	}
}

func (t *transcript) emitDecision(d *tables.Decision, id string) {
	if d != nil {
		d.ToolUseID = id
		t.emit(d)
	}
}

// grant returns the decision in a permissionDecision that is no refusal: granted or
// cancelled. It returns nil for an unknown word.
func (p *permission) grant() *tables.Decision {
	d := &tables.Decision{Confidence: 1}
	switch p.decision {
	case "accept":
		d.Decision = tables.Granted
		d.DecidedBy, d.Scope = p.granter()
	case "cancelled":
		d.Decision, d.DecidedBy = tables.Cancelled, tables.ByUnknown
		if p.askedPerson() {
			d.DecidedBy = tables.ByUser
		}
	default:
		return nil
	}
	return d
}

// granter returns who granted a call, and for how long.
func (p *permission) granter() (by, scope string) {
	if p.askedPerson() {
		return tables.ByUser, p.scope()
	}
	switch {
	case p.reasonType == "rule":
		if p.ruleSource == "session" {
			return tables.ByRule, tables.ScopeSession
		}
		return tables.ByRule, tables.ScopeAlways
	case p.reasonType == "mode":
		return tables.ByMode, ""
	case p.reasonType == "hook", p.reasonType == "" && p.source == "hook":
		return tables.ByHook, ""
	case p.reasonType == "classifier", p.reasonType == "" && p.source == "classifier":
		return tables.ByClassifier, ""
	}
	return tables.ByRule, ""
}

// scope returns how long a person's grant lasts.
func (p *permission) scope() string {
	switch {
	case p.source == "user_permanent":
		return tables.ScopeAlways
	case p.grantScope == "once":
		return tables.ScopeOnce
	case p.grantScope == "session":
		return tables.ScopeSession
	}
	return ""
}

// handleComment handles words that a person typed when allowing a call. They stand as a
// text beside the result in the result's line; handleComment makes the line a prompt.
// It does nothing if the result is an error, because the text may have another author
// then.
func (t *transcript) handleComment(r *record, m *tables.Message, parts []block, texts []string, extra *readers.Extra) {
	if r.results != 1 || t.agent || r.sidechain || r.GetBool("isMeta") || len(texts) == 1 && (texts[0] == interruptPlain || texts[0] == interruptTool) {
		return
	}
	for _, b := range parts {
		if b.kind == "tool_result" && b.GetBool("is_error") {
			return
		}
	}
	s := parseTexts(texts, false)
	if kind, by := t.typedKind(r, s); kind == tables.KindPrompt && by == "" {
		r.commented = true
		t.setTypedKind(r, m, s, extra)
	}
}

// answers lists the beginnings of results that report an approved plan or answered
// questions.
var answers = map[string][]string{
	tables.ToolPlan:     {"User has approved your plan", "User has approved exiting plan mode"},
	tables.ToolQuestion: {"User has answered", "Your questions have been answered", "The user answered"},
}

func isAnswered(c *call, text string) bool {
	return slices.ContainsFunc(answers[c.kind], func(start string) bool { return strings.HasPrefix(text, start) })
}

// byMode returns a grant if the permission mode allows calls of this kind without a
// question; otherwise nil. In other modes a rule may have allowed the call, but the log
// doesn't hold the rules.
func byMode(mode string, c *call) *tables.Decision {
	switch {
	case mode == bypassMode && c.kind != "" && !asksAlways(c.kind):
		return &tables.Decision{Decision: tables.Granted, DecidedBy: tables.ByMode, Confidence: byBypass}
	case mode == editMode && c.kind == tables.ToolEdit:
		return &tables.Decision{Decision: tables.Granted, DecidedBy: tables.ByMode, Confidence: byEditMode}
	}
	return nil
}

// preToolUse begins the names of hooks that run before a call and may refuse the call.
const preToolUse = "PreToolUse"

// handleHook reads a hook's decision about a call.
func (t *transcript) handleHook(r *record, a *fastjson.Value) {
	kind := a.GetStringBytes("type")
	if !strings.HasPrefix(string(kind), "hook_") {
		return
	}
	id := readers.Text(a, "toolUseID")
	if id != "" && strings.HasPrefix(string(a.GetStringBytes("hookName")), preToolUse) {
		t.endings.preHooks[id] = true
	}
	switch string(kind) {
	case "hook_permission_decision":
		switch readers.Text(a, "decision") {
		case "allow":
			t.endings.hookGrants[id] = true
			t.emitDecision(&tables.Decision{Decision: tables.Granted, DecidedBy: tables.ByHook, Confidence: 1}, id)
		case "deny":
			t.endings.hookRefusals[id] = true
		}
	case "hook_blocking_error":
		if strings.HasPrefix(readers.Text(a, "hookName"), preToolUse) {
			t.endings.hookRefusals[id] = true
		}
	case "hook_stopped_continuation":
		t.emitHookStop(r, a, id)
	case "hook_deferred_tool":
		if c := t.call(id); c.event != nil {
			c.event.Open = true
		}
	}
}

// emitHookStop emits an interruption: a hook stopped the turn. If the hook ran before a
// call, it also refused that call.
func (t *transcript) emitHookStop(r *record, a *fastjson.Value, id string) {
	i := &tables.Interruption{
		Type:       tables.InterruptedBySystem,
		Phase:      tables.PhaseResponse,
		CutNothing: true,
		Marker:     readers.Text(a, "message"),
		Evidence:   tables.EvidenceRecorded,
		Confidence: 1,
		Timestamp:  r.at,
	}
	if above := t.messageAbove(r.parent); t.chain.isResponse(above) {
		i.CutUUID, i.CutNothing = above, false
	}
	if _, known := t.calls[id]; known {
		i.Phase = tables.PhaseTool
		t.setStoppedCall(i, id)
	}
	if strings.HasPrefix(readers.Text(a, "hookName"), preToolUse) {
		t.endings.hookRefusals[id] = true
	}
	t.emit(i)
}
