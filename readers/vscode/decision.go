package vscode

import (
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

func decisionOf(v *fastjson.Value) decision {
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

// allowed reports whether VS Code ran the call, with or without a question.
func (d decision) allowed() bool {
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

// plain reports whether VS Code ran the call without a question.
func (d decision) plain() bool { return d.form == object && d.kind == kindNotNeeded }

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
	case p == nil || t.outcome.by != "" || !p.decision.allowed():
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
