package grok

import (
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// subagentSpawned notes a subagent's session. The line names no call: of the open calls
// that start subagents, the one with the same description did it (FORMAT.md §7).
func (l *log) subagentSpawned(u *update) {
	child := readers.FirstText(u.Value, "child_session_id", "subagent_id")
	if child == "" || l.spawned[child] {
		return
	}
	l.spawned[child] = true
	if l.turn == nil {
		return
	}
	said := readers.Text(u.Value, "description")
	var by *call
	for _, c := range l.turn.calls {
		if c.ToolKind != tables.ToolAgent || c.child != "" || c.ended {
			continue
		}
		if by == nil || c.about == said && by.about != said {
			by = c
		}
	}
	if by != nil {
		by.child = child
	}
}

// childIn returns the session of the subagent that a call started: the one named in the
// result, which is the program's own, otherwise the one that was noted.
func childIn(spawned map[string]bool, c *call, output string) string {
	if c.ToolKind != tables.ToolAgent {
		return ""
	}
	if _, after, found := strings.Cut(output, "subagent_id: "); found {
		id, _, _ := strings.Cut(after, "\n")
		if spawned[strings.TrimSpace(id)] {
			return strings.TrimSpace(id)
		}
	}
	return c.child
}
