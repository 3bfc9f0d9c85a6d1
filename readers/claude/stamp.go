package claude

import (
	"strings"

	"hindsql/tables"
)

// stamp holds the fields that Claude Code writes beside a result on the same line, to
// say how the call ended. No tool can write them.
type stamp struct {
	kind       string // toolDenialKind
	unanswered string // reason why no person answered the question
	feedback   string // the reason that a person typed
	permission permission

	afterRun, beforeRun, fromHost, byMonitor bool
	endsTurn, personsWords, typedCommand     bool
	shutdown                                 bool // interruptedByShutdown: the process ended during the call
	headless                                 bool // a run of claude -p, without a person
}

// permission is a line's permissionDecision. Lines of calls that ran have it, too.
type permission struct {
	decision, source, reasonType, reasonCode, ruleSource, grantScope string
}

// stampOf returns the stamp of a line with one result. If a line has several results,
// the fields don't say to which result they belong, but the end of the process ended all.
func stampOf(r *record) stamp {
	shutdown := r.GetBool("interruptedByShutdown")
	if r.results != 1 {
		return stamp{shutdown: shutdown}
	}
	text := func(keys ...string) string { return string(r.GetStringBytes(keys...)) }
	const decided = "permissionDecision"
	s := stamp{
		kind:         text("toolDenialKind"),
		unanswered:   text("toolDenialUnanswered"),
		feedback:     text("userFeedback"),
		afterRun:     r.GetBool("toolDenialAfterRun"),
		beforeRun:    r.GetBool("toolDenialBeforeRun"),
		fromHost:     r.GetBool("toolDenialFromHost"),
		byMonitor:    r.GetBool("toolDenialMonitorBlocked"),
		endsTurn:     r.GetBool("toolDenialEndsTurn"),
		personsWords: r.GetBool("holdsPersonsWords"),
		shutdown:     shutdown,
		headless:     text("entrypoint") == "sdk-cli",
		typedCommand: r.GetBool("toolResultTypedCommand") || text("toolResultTypedCommand") != "",
	}
	if r.Get(decided) != nil {
		s.permission = permission{
			decision: text(decided, "decision"), source: text(decided, "source"), reasonType: text(decided, "reasonType"),
			reasonCode: text(decided, "reasonCode"), ruleSource: text(decided, "ruleSource"), grantScope: text(decided, "grantScope"),
		}
	}
	return s
}

// hasRefusalOrStop reports whether the stamp says that Claude Code refused or stopped
// the call. It returns false if the stamp only says that the call was granted.
func (s *stamp) hasRefusalOrStop() bool {
	return s.kind != "" || s.unanswered != "" || s.feedback != "" ||
		s.afterRun || s.beforeRun || s.fromHost || s.byMonitor || s.endsTurn || s.personsWords || s.typedCommand || s.shutdown ||
		s.permission.decision == "reject" || s.permission.decision == "cancelled"
}

// askedPerson reports whether Claude Code asked a person. If a rule that the person saved
// earlier decided, the source begins with "user_", too, but then there is a reason
// type.
func (p *permission) askedPerson() bool {
	return strings.HasPrefix(p.source, "user_") && p.reasonType == ""
}

// verdict returns how the call ended by the first of the stamp's fields that decides
// it.
func (s *stamp) verdict(f *failedResult) verdict {
	switch {
	case s.shutdown:
		return verdict{status: tables.StatusInterrupted, cut: true}
	case s.afterRun, s.typedCommand:
		return verdict{} // the call ran, or was no call that a person could allow
	case s.kind == "interrupted":
		return verdict{status: tables.StatusInterrupted, cut: true}
	case s.kind == "cancelled":
		return verdict{status: tables.StatusSkipped, stop: true}
	case s.unanswered != "", strings.HasPrefix(f.text, notCompleted):
		return denied(tables.ByNobody, 1)
	case strings.HasPrefix(s.kind, "automode-"), s.byMonitor:
		return denied(tables.ByClassifier, 1)
	}
	if v, told := s.permission.refusalVerdict(s, f); told {
		return v
	}
	switch {
	case s.fromHost:
		return s.hostVerdict(f)
	case s.feedback != "", s.personsWords:
		return s.personVerdict(f)
	case s.kind == "permission-rule":
		return f.machineVerdict()
	case s.kind == "user-rejected":
		return s.userRejectedVerdict(f)
	}
	return s.unknownKindVerdict(f)
}

// refusalVerdict reads a permissionDecision that refused the call, or that says that a
// person stopped the turn while the question was open. It returns false for other
// decisions.
func (p *permission) refusalVerdict(s *stamp, f *failedResult) (verdict, bool) {
	if p.decision == "cancelled" {
		return verdict{status: tables.StatusInterrupted, stop: true}, true
	}
	if p.decision != "reject" {
		return verdict{}, false
	}
	switch {
	case p.source == "invalid_input", p.reasonType == "invalid_input":
		return verdict{}, true
	case p.source == "hook", p.reasonType == "hook":
		return denied(tables.ByHook, 1), true
	case p.source == "classifier", p.reasonType == "classifier":
		return denied(tables.ByClassifier, 1), true
	case p.source == "user_abort":
		return verdict{status: tables.StatusInterrupted, stop: true}, true
	case p.askedPerson():
		return s.personVerdict(f), true
	case p.reasonType == "mode", p.reasonCode == "mode:dontAsk":
		return denied(tables.ByMode, 1), true
	case p.reasonType == "asyncAgent":
		return denied(tables.ByNobody, 1), true // a run or an agent that can ask no person
	case p.source == "config" && p.reasonType == "" && s.kind == "user-rejected":
		return denied(f.deniedBy(tables.ByNobody), 1), true
	case p.source == "config", strings.HasPrefix(p.source, "user_"):
		return denied(tables.ByRule, 1), true
	}
	return verdict{}, false
}

// deniedBy returns who denied the call in nobody's name: the rule, mode or hook that the
// sentence names, otherwise the given one.
func (f *failedResult) deniedBy(otherwise string) string {
	if w := wordingOf(f.text); w != nil && (w.by == tables.ByRule || w.by == tables.ByMode || w.by == tables.ByHook) {
		return w.by
	}
	return otherwise
}

// hostVerdict returns the verdict if another machine ran the call and passed its
// denial on.
func (s *stamp) hostVerdict(f *failedResult) verdict {
	const passedOn = 0.8
	switch {
	case s.kind == "permission-rule":
		return denied(tables.ByRule, passedOn)
	case s.personsWords:
		v := s.personVerdict(f)
		v.confidence = passedOn
		return v
	}
	return denied(tables.ByUnknown, passedOn)
}

// personVerdict returns a person's refusal, with the reason that the person typed, if any.
// An application's own words, in place of Claude Code's sentence, are such a reason.
func (s *stamp) personVerdict(f *failedResult) verdict {
	v := verdict{status: tables.StatusRejected, by: tables.ByUser, confidence: 1, evidence: tables.EvidenceRecorded}
	switch w := wordingOf(f.text); {
	case w == nil && !isFramed(f.text) && f.text != "User denied permission" && f.text != "User aborted":
		v.reason = userWords(f.text)
	case w != nil && w.by == tables.ByUser:
		if v = w.verdict(f.text); v.status != tables.StatusRejected {
			return v
		}
	}
	if s.feedback != "" {
		v.reason = userWords(s.feedback)
		v.clarify = strings.HasPrefix(s.feedback, clarify)
	}
	return v
}

// machineVerdict returns a denial by a rule or hook. If a hook ran before the call and the
// words are unknown, the hook probably wrote them.
func (f *failedResult) machineVerdict() verdict {
	w := wordingOf(f.text)
	switch {
	case f.hookRefused:
		return denied(tables.ByHook, 1)
	case w == nil && f.preHook:
		v := denied(tables.ByHook, 1)
		v.authorConfidence = 0.8
		return v
	case w == nil:
		return deniedByUnknown()
	case w.by == "":
		return w.verdict(f.text) // the call didn't run, and was not refused
	case w.status == tables.StatusDenied:
		return denied(w.by, 1)
	}
	return denied(tables.ByRule, 1)
}

// userRejectedVerdict returns the verdict for the kind "user-rejected". Claude Code
// writes this kind also if there was no person to ask, and if a person pressed Esc
// while the call ran.
func (s *stamp) userRejectedVerdict(f *failedResult) verdict {
	w := wordingOf(f.text)
	switch {
	case f.closedInEditor():
		return f.closedDiffVerdict()
	case w == nil && f.hookRefused:
		return denied(tables.ByHook, 1)
	case w == nil && s.headless:
		return denied(tables.ByNobody, 1)
	case w == nil:
		return deniedByUnknown()
	case w.by == "":
		return w.verdict(f.text)
	case w.by != tables.ByUser, w.start == subagentRefusal && !f.subagent:
		return denied(f.deniedBy(tables.ByNobody), 1)
	case w.start == refusalText && f.ranWhileTyping() && !s.beforeRun:
		return verdict{status: tables.StatusInterrupted, cut: true}
	}
	v := w.verdict(f.text)
	if f.aborted && v.stop && !s.beforeRun {
		return f.escapeVerdict(v)
	}
	return v
}

// unknownKindVerdict returns the verdict if the stamp's fields don't decide. The result's
// sentence is then trusted: Claude Code wrote it, because the tool didn't run.
func (s *stamp) unknownKindVerdict(f *failedResult) verdict {
	if w := wordingOf(f.text); w != nil && w.status != "" {
		v := w.verdict(f.text)
		v.evidence, v.confidence = tables.EvidenceWording, min(v.confidence, wordingAlone)
		return v
	}
	v := deniedByUnknown()
	switch {
	case f.hookRefused:
		return denied(tables.ByHook, 1)
	case s.permission.decision == "reject":
	case s.kind != "":
		v.confidence = 0.7 // some known kinds are no refusal
	default:
		return verdict{}
	}
	return v
}
