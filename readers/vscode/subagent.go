package vscode

import (
	"slices"

	"hindsql/readers"
	"hindsql/tables"
)

// subagents makes one message for all calls of a subagent, after the message that
// started it. VS Code keeps no text of a subagent, except its result.
func (c *chat) subagents(r *request, shown []item, model string) {
	made := map[string]*round{}
	for _, it := range shown {
		p := it.tool
		if p == nil || p.subagent == "" {
			continue
		}
		b := made[p.subagent]
		if b == nil {
			place, by := r.caller(p.subagent)
			b = c.newRound(r, "subagent/"+p.subagent, model)
			b.IsSidechain, b.agent, b.by = true, p.subagent, by
			b.Extra = readers.Object(map[string]any{"subagent_invocation_id": p.subagent})
			r.rounds = slices.Insert(r.rounds[:len(r.rounds)-1], place, b)
			made[p.subagent] = b
		}
		b.calls = append(b.calls, c.shownCall(r, p, b))
	}
}

// caller returns the call that started a subagent, and the index after this call's
// round. id is the call's id, from its part or from the model. If no call has the id,
// caller returns the index after all rounds and nil.
func (r *request) caller(id string) (int, *call) {
	for i, b := range r.rounds {
		for _, t := range b.calls {
			if stripped(t.native) == id || t.part != nil && t.part.id == id {
				return i + 1, t
			}
		}
	}
	return len(r.rounds), nil
}

// subagent emits a subagent's messages and calls, in a session of its own.
func (e *emitter) subagent(r *request, b *round) {
	s := *e.main
	s.SessionID, s.NativeID = e.sessionOf(b), b.agent
	s.Kind, s.ParentSessionID = tables.SessionSubagent, e.main.SessionID
	s.Title, s.Extra = "", ""
	if b.by != nil && b.by.home != nil && b.by.home.agent != "" {
		s.ParentSessionID = e.sessionOf(b.by.home)
	}
	e.in.Emit(&s)
	e.in.Emit(&b.Message)
	e.calls(r, b)
	if r.removed {
		e.in.Emit(&tables.Inactive{UUIDs: []string{b.UUID}})
	}
	e.in.Emit(e.main)
}

// sessionOf returns the session id of a subagent.
func (e *emitter) sessionOf(b *round) string { return e.main.SessionID + "/" + b.agent }

// nameCallers sets on each call that started a subagent the subagent's session id.
func (e *emitter) nameCallers(r *request) {
	for _, b := range r.rounds {
		if b.by != nil {
			b.by.child = e.sessionOf(b)
		}
	}
}
