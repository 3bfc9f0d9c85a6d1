package codex

import (
	"slices"
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// mayFollowClear emits a possible clear for a session begun by a person. /clear and
// /new leave no trace, so any of these sessions may follow a clear (FORMAT.md §7.1).
// Editors and the desktop app have no /clear.
func (t *rollout) mayFollowClear() {
	f := &t.facts
	if f.kind != tables.SessionMain || f.forkedFrom != "" || f.based || f.parent != "" || f.startedAt.IsZero() || strings.Contains(f.origin, "exec") || t.carriedOver() {
		return
	}
	c := &tables.Clear{
		NextSessionID: t.id,
		Project:       f.project,
		Timestamp:     f.startedAt,
		Evidence:      tables.EvidenceInferred,
		Confidence:    0.25,
	}
	if f.inTerminal() {
		c.Trigger = tables.ClearByCommand
	}
	t.emit(c)
}

var terminals = readers.SetOf("codex_cli_rs codex-tui codex_tui")

// inTerminal reports whether the session ran in Codex's own terminal, the only program
// with Codex's commands. Flat files name no program: Codex had only the terminal then.
func (f *sessionFacts) inTerminal() bool {
	return f.origin == "" || terminals[f.origin] || f.byTerminal
}

// carries lists the beginnings of first prompts written by an editor: it continues an
// older conversation, or orders a review.
var carries = []string{"## Prior conversation with Codex:", "## Code review guidelines"}

// opening is one of the first prompts of a session.
type opening struct {
	*tables.Message
	carries bool
}

const mostOpenings = 8

// opens keeps the session's first prompts. The end of the file shows which prompts a
// person typed.
func (t *rollout) opens(m *tables.Message, text string) {
	if len(t.openings) == mostOpenings {
		return
	}
	text = strings.TrimSpace(text)
	t.openings = append(t.openings, opening{m, slices.ContainsFunc(carries, func(start string) bool { return strings.HasPrefix(text, start) })})
}

// carriedOver reports, at the end of the file, whether the session began with the text
// of another conversation or with a review.
func (t *rollout) carriedOver() bool {
	for _, o := range t.openings {
		if o.Kind == tables.KindPrompt || o.carries {
			return o.carries
		}
	}
	return false
}
