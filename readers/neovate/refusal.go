package neovate

import (
	"strings"

	"hindsql/tables"
)

// refusals settles which results that say so are refusals. No field marks one:
// the sentence stands in a failed result, where a tool's own error would. It
// counts where no tool can have written it, or where the agent did after it
// what it does after a refusal only.
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
				r.wording = true // an error that ended the turn: it can be another's sentence, and bad luck, so nobody says who decided
			default:
				r.claim()
				continue
			}
			e.settling = e.settling || r.reason == ""
		}
	}
}

// plain says whether a refusal is the one without a reason.
func (r *result) plain() bool { return strings.TrimSpace(r.Output) == deniedPlain }

// ownWords says whether the errors of a result's tool are Neovate Code's own
// words: no server of tools, site or subagent can have written them.
func (r *result) ownWords() bool {
	switch r.kind {
	case tables.ToolEdit, tables.ToolCommand, tables.ToolRead, tables.ToolSearch, tables.ToolPlan, tables.ToolQuestion:
		return true
	}
	return false
}

// skippedAfterOne says whether the agent itself skipped calls of the line, as
// it does after a refusal (0.26 on), of which the line then has one only.
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

// claim makes an error of a result that says it was refused.
func (r *result) claim() {
	r.sort, r.reason = ran, ""
	r.Status, r.ErrorType = tables.StatusError, tables.ErrorOther
	r.extra["claimed_denial"] = true
}
