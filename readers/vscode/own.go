package vscode

import (
	"slices"
	"strings"

	"hindsql/tables"
)

// withoutOwn leaves out the parts that are no calls of the model: VS Code shows
// tools that it runs by itself in the same way (FORMAT.md §4.2), as the todo list
// that it keeps, and the page that it fetches for a tool.
func (c *chat) withoutOwn(r *request, shown []item) []item {
	models := slices.ContainsFunc(shown, func(it item) bool { return it.tool != nil && it.tool.subagent == "" && !it.tool.ownID() })
	var kept []item
	var before *part // the call that VS Code's own tool works for
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

// ownID: the id is one that VS Code makes up. Models' ids have other forms:
// call_…, toolu_…, chatcmpl-tool-…
func (p *part) ownID() bool { return uuid.MatchString(p.id) }

// internal ends the names of tools that only other tools call.
const internal = "_internal"

// isOwn says whether a part with an id of VS Code's is a tool of its own. Before
// streamed calls every part had such an id: then only rounds tell, and without
// rounds the tool.
func (p *part) isOwn(r *request, models, first bool) bool {
	switch {
	case strings.HasSuffix(p.toolID, internal):
		return true
	case len(r.rounds) > 0:
		return !p.refusedByHand()
	case p.toolID == todoList:
		// The list that VS Code keeps opens an answer, unseen.
		return models || p.hidden && first
	}
	return false
}

const todoList = "manage_todo_list"

// refusedByHand: a person said no to it, which is kept whatever made the call.
func (p *part) refusedByHand() bool {
	d := p.decision
	no := d.deny || d.form == boolean && !d.yes || d.form == object && (d.kind == kindDenied || d.kind == kindSkipped)
	return no && p.toolID != todoList && p.prepared()
}

// takeDecision gives a call what was decided about the tool that worked for it:
// of a fetched page VS Code asks by its own tool.
func (p *part) takeDecision(own *part) {
	same := toolKinds[p.name] == toolKinds[own.name]
	if d := own.decision; same && p.decision.plain() && !d.plain() && d.form != undecided {
		p.decision = d
		p.title, p.hasData = own.title, p.hasData || own.hasData
	}
}

// nameParents finds the caller of a subagent's call where an older version says
// only that it is one.
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
