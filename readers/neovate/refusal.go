package neovate

import (
	"strings"

	"hindsql/tables"
)

// refusals determines which results are refusals. No field marks a refusal: a failed
// result holds a sentence, like a tool's own error. The sentence is trusted if no tool
// can have written it, or if Neovate Code then acted as it does only after a refusal.
func (l *log) refusals() {
	answered, typedNext := map[*entry]bool{}, map[*entry]bool{}
	for _, e := range l.entries {
		if e.parent == nil || e.ParentUUID == "" || e.ParentUUID != e.parent.UUID {
			continue
		}
		answered[e.parent] = answered[e.parent] || e.role == "assistant"
		typedNext[e.parent] = typedNext[e.parent] || e.Kind == tables.KindPrompt || e.Kind == tables.KindCommand
	}
	for _, e := range l.entries {
		for _, r := range e.results {
			switch {
			case r.sort != denied:
				continue
			case r.plain() && answered[e]: // a refusal without a reason ends the turn, in all versions
				r.claim()
				continue
			case r.ownWords(), e.skippedAfterOne():
			case r.plain() && typedNext[e]:
				r.wording = true // the sentence may be a tool's own, before a turn that ended for another reason: decided_by is unknown
			default:
				r.claim()
				continue
			}
			e.settling = e.settling || r.reason == ""
		}
	}
}

// plain reports whether a refusal has no reason.
func (r *result) plain() bool { return strings.TrimSpace(r.Output) == deniedPlain }

// ownWords reports whether the errors of a result's tool are Neovate Code's own words:
// no tool server, site or subagent can have written them.
func (r *result) ownWords() bool {
	switch r.kind {
	case tables.ToolEdit, tables.ToolCommand, tables.ToolRead, tables.ToolSearch, tables.ToolPlan, tables.ToolQuestion:
		return true
	}
	return false
}

// skippedAfterOne reports whether the line has one refusal and calls that Neovate Code
// skipped because of it (0.26 on).
func (e *entry) skippedAfterOne() bool {
	said, skips := 0, 0
	for _, mate := range e.results {
		switch {
		case mate.sort == denied:
			said++
		case mate.sort == skipped && mate.ownWords():
			skips++
		}
	}
	return said == 1 && skips > 0
}

// claim turns a result into an error: it says that the call was refused, but the tool
// wrote that.
func (r *result) claim() {
	r.sort, r.reason = ran, ""
	r.Status, r.ErrorType = tables.StatusError, tables.ErrorOther
	r.extra.Set("claimed_denial", true)
}
