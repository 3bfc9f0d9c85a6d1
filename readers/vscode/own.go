package vscode

import (
	"slices"
	"strings"

	"hindsql/tables"
)

// withoutOwn drops the parts of VS Code's own tools, such as the todo list or the fetch
// of a page for another tool. The model didn't call these tools, but their parts look
// the same (FORMAT.md §4.2).
func (c *chat) withoutOwn(r *request, shown []item) []item {
	models := slices.ContainsFunc(shown, func(it item) bool { return it.tool != nil && it.tool.subagent == "" && !it.tool.ownID() })
	var kept []item
	var before *part // part of the call before VS Code's own tool
	first := true
	for _, it := range shown {
		p := it.tool
		if p != nil && p.unplaced() && p.ownID() && p.isOwn(r, models, first) {
			c.kinds.Count("tool part content/(VS Code's own, no call)", true, "", noTime)
			if before != nil && strings.HasSuffix(p.toolID, internal) {
				before.takeDecision(p)
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

// ownID reports whether VS Code made up the part's id: it is a UUID. Models give ids of
// other forms: call_…, toolu_…, chatcmpl-tool-…
func (p *part) ownID() bool { return uuid.MatchString(p.id) }

// internal is the suffix of tools called only by other tools.
const internal = "_internal"

// isOwn reports whether a part whose id VS Code made up belongs to VS Code's own tool.
// In older versions every part has a made-up id. Then the part is VS Code's own if the
// log has rounds and none holds the call; without rounds, the tool decides.
func (p *part) isOwn(r *request, models, first bool) bool {
	switch {
	case strings.HasSuffix(p.toolID, internal):
		return true
	case len(r.rounds) > 0:
		return !p.refusedByHand()
	case p.toolID == todoList:
		// VS Code's hidden todo list begins an answer.
		return models || p.hidden && first
	}
	return false
}

const todoList = "manage_todo_list"

// refusedByHand reports whether the user refused the part's call. These parts are kept,
// even if they may be of VS Code's own tools.
func (p *part) refusedByHand() bool {
	d := p.decision
	no := d.deny || d.form == boolean && !d.yes || d.form == object && (d.kind == kindDenied || d.kind == kindSkipped)
	return no && p.toolID != todoList && p.prepared()
}

// takeDecision copies a decision to a call from the part of VS Code's own tool that
// worked for this call. For example, VS Code asks about a web page in the part of its
// own fetch.
func (p *part) takeDecision(own *part) {
	same := toolKinds[p.name] == toolKinds[own.name]
	if d := own.decision; same && p.decision.plain() && !d.plain() && d.form != undecided {
		p.decision = d
		p.title, p.hasData = own.title, p.hasData || own.hasData
	}
}

// nameParents notes which call started each subagent. Older versions only mark a call
// as one of a subagent; the subagent is then that of the last agent call before.
func nameParents(shown []item) {
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
