package vscode

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// decision holds a part's isConfirmed: how the call was allowed or refused (FORMAT.md
// §5.1).
type decision struct {
	form   form
	kind   int64  // of the object form
	yes    bool   // of the boolean form
	source string // who decided: user, hook or riskAssessment; most versions don't record it
	deny   bool   // the user picked a button that means no
	detail string // the setting, scope, reason or button
}

type form int

const (
	undecided form = iota
	boolean
	object
)

// The kinds of a decision that is written as an object.
const (
	kindDenied = iota
	kindNotNeeded
	kindSetting
	kindRemembered
	kindUser
	kindSkipped
)

var kindWords = map[int64]string{
	kindDenied: "denied", kindNotNeeded: "not needed", kindSetting: "setting",
	kindRemembered: "remembered", kindUser: "user", kindSkipped: "skipped",
}

func readDecision(v *fastjson.Value) decision {
	switch {
	case v == nil:
		return decision{}
	case v.Type() == fastjson.TypeTrue, v.Type() == fastjson.TypeFalse:
		return decision{form: boolean, yes: readers.Bool(v)}
	case v.Type() != fastjson.TypeObject:
		return decision{}
	}
	kind := readers.Int(v, "type")
	if !kind.OK {
		return decision{}
	}
	d := decision{form: object, kind: kind.Value, source: readers.Text(v, "source"), deny: readers.Text(v, "selectedButtonKind") == "deny"}
	for _, key := range []string{"id", "scope", "reason", "selectedButton"} {
		if text := markdown(v.Get(key)); text != "" {
			d.detail = text
			break
		}
	}
	return d
}

// isAllowed reports whether VS Code ran the call, with or without a question.
func (d decision) isAllowed() bool {
	return d.form == boolean && d.yes || d.form == object && d.kind != kindDenied && d.kind != kindSkipped && !d.deny
}

func (d decision) word() string {
	switch d.form {
	case boolean:
		return map[bool]string{true: "yes", false: "no"}[d.yes]
	case object:
		return kindWords[d.kind]
	}
	return ""
}

// isNotNeeded reports whether VS Code ran the call without a question.
func (d decision) isNotNeeded() bool { return d.form == object && d.kind == kindNotNeeded }

// denialKind returns VS Code's own word for a refusal.
func (d decision) denialKind() string {
	switch {
	case d.deny:
		return "deny"
	case d.form == object && d.kind == kindDenied:
		return "Denied"
	case d.form == object && d.kind == kindSkipped:
		return "Skipped"
	}
	return ""
}

// scopes maps VS Code's words for how long a grant is remembered to scopes.
var scopes = map[string]string{"session": tables.ScopeSession, "workspace": tables.ScopeProject, "profile": tables.ScopeAlways}

// decisionEvent returns the decision about a call for the table of decisions. It
// returns nil if no decision was made, or if the call's refusal already records the
// decision.
func (t *call) decisionEvent(r *request) *tables.Decision {
	p := t.part
	switch {
	case t.outcome.cut == tables.PhaseApproval:
		// A stop may end several waiting calls, but the interruption names one call
		// only.
		return &tables.Decision{ToolUseID: t.ToolUseID, Decision: tables.Cancelled, DecidedBy: tables.ByUser}
	case p == nil || t.outcome.by != "" || !p.decision.isAllowed():
		return nil
	}
	by := p.grantedBy(r)
	if by == "" {
		return nil
	}
	e := &tables.Decision{ToolUseID: t.ToolUseID, Decision: tables.Granted, DecidedBy: by}
	if p.decision.kind == kindRemembered {
		e.Scope = scopes[p.decision.detail]
	}
	return e
}

// grantedBy returns who let a call run; empty if no one had to decide. VS Code never
// asks about most tools, for example about reading a file, and records "not needed". To
// report these calls as granted would hide the real grants. So "not needed" counts as a
// grant only if the log names what replaced the question: a rule, a hook, or a
// permission level like "autopilot". In old versions, isConfirmed is a boolean. It
// doesn't distinguish a grant from "not needed", so the result is empty, too.
func (p *part) grantedBy(r *request) string {
	d := p.decision
	switch {
	case d.form != object:
		return ""
	case d.kind == kindUser:
		return tables.ByUser
	case d.kind == kindRemembered:
		return tables.ByRule // the user made the rule earlier, for the scope
	case p.terminal.autoApproval != "":
		return tables.ByRule
	case d.kind == kindSetting:
		return tables.BySetting
	case d.kind != kindNotNeeded:
		return tables.ByUnknown
	case neverAsks[r.mode] || d.detail == "auto-approve-all":
		return tables.ByMode
	case strings.Contains(d.detail, "hook"):
		return tables.ByHook
	}
	return ""
}

// neverAsks lists the permission levels that never ask about a call.
var neverAsks = readers.SetOf("autoApprove autopilot")

// dropOwnParts drops the parts of VS Code's own tools, such as the todo list or the fetch
// of a page for another tool. The model didn't call these tools, but their parts look
// the same (FORMAT.md §4.2).
func (c *chat) dropOwnParts(r *request, shown []item) []item {
	models := slices.ContainsFunc(shown, func(it item) bool { return it.tool != nil && it.tool.subagent == "" && !it.tool.hasMadeUpID() })
	var kept []item
	var before *part // part of the call before VS Code's own tool
	first := true
	for _, it := range shown {
		p := it.tool
		if p != nil && p.isOutsideRounds() && p.hasMadeUpID() && p.isOwn(r, models, first) {
			c.kinds.Count("tool part content/(VS Code's own, no call)", true, "", noTime)
			if before != nil && strings.HasSuffix(p.toolID, internalSuffix) {
				before.copyDecision(p)
			}
			continue
		}
		if p != nil {
			before = p
		}
		first = first && p == nil && strings.TrimSpace(it.text) == ""
		kept = append(kept, it)
	}
	return kept
}

// hasMadeUpID reports whether VS Code made up the part's id: it is a UUID. Models give
// ids of other forms: call_…, toolu_…, chatcmpl-tool-…
func (p *part) hasMadeUpID() bool { return uuid.MatchString(p.id) }

// internalSuffix is the suffix of tools called only by other tools.
const internalSuffix = "_internal"

// isOwn reports whether a part whose id VS Code made up belongs to VS Code's own tool.
// In older versions every part has a made-up id. Then the part is VS Code's own if the
// log has rounds and none holds the call; without rounds, the tool decides.
func (p *part) isOwn(r *request, models, first bool) bool {
	switch {
	case strings.HasSuffix(p.toolID, internalSuffix):
		return true
	case len(r.rounds) > 0:
		return !p.isRefusedByUser()
	case p.toolID == todoList:
		// VS Code's hidden todo list begins an answer.
		return models || p.hidden && first
	}
	return false
}

const todoList = "manage_todo_list"

// isRefusedByUser reports whether the user refused the part's call. These parts are kept,
// even if they may be of VS Code's own tools.
func (p *part) isRefusedByUser() bool {
	d := p.decision
	no := d.deny || d.form == boolean && !d.yes || d.form == object && (d.kind == kindDenied || d.kind == kindSkipped)
	return no && p.toolID != todoList && p.isPrepared()
}

// copyDecision copies a decision to a call from the part of VS Code's own tool that
// worked for this call. For example, VS Code asks about a web page in the part of its
// own fetch.
func (p *part) copyDecision(own *part) {
	same := toolKinds[p.name] == toolKinds[own.name]
	if d := own.decision; same && p.decision.isNotNeeded() && !d.isNotNeeded() && d.form != undecided {
		p.decision = d
		p.title, p.hasData = own.title, p.hasData || own.hasData
	}
}

// setParents sets which call started each subagent. Older versions only mark a call
// as one of a subagent; the subagent is then that of the last agent call before.
func setParents(shown []item) {
	agent := ""
	for _, it := range shown {
		switch {
		case it.tool == nil:
		case it.tool.subagent == unnamedAgent:
			it.tool.subagent = agent
		case it.tool.subagent == "" && toolKinds[it.tool.name] == tables.ToolAgent:
			agent = it.tool.id
		}
	}
}

const unnamedAgent = "?"
