package web

import (
	"hindsql/queries"
	"hindsql/queries/conversation"
)

// builtIn returns the parameters of a built-in query.
func (q *request) builtIn(name string) []queries.Param {
	query, _ := queries.Find("", name, q.server.Agents...)
	return query.Params
}

// byYou lists the first options of the fields "Refused by" and "Stopped by": the user,
// or any person or mechanism.
var byYou = []option{{Value: "user", Text: "you"}, {Value: "all", Text: "anybody"}}

// listRefusals returns the page that lists refused calls.
func listRefusals(q *request) (*view, error) {
	there, err := there(q.Context(), q.run, "rejections", "agent", "tool_name", "tool_kind")
	if err != nil {
		return nil, err
	}
	f := q.filters(q.builtIn("rejections"), agentField(there["agent"]), toolField(there["tool_name"]), kindField(there["tool_kind"]),
		manner{name: "decided_by", label: "Refused by", first: byYou}, projectField, manner{name: "session", label: "Session", hidden: true}, textField)
	return listed(q, "Refusals", "refusals", f, listing{Nouns: "refusals", Rows: f.rowsURL("rejections")}, inQuery(q, f, "rejections", (*events).refused))
}

// listInterruptions returns the page that lists where the agent was stopped.
func listInterruptions(q *request) (*view, error) {
	there, err := there(q.Context(), q.run, "interruptions", "agent", "tool_name")
	if err != nil {
		return nil, err
	}
	f := q.filters(q.builtIn("interruptions"), agentField(there["agent"]), toolField(there["tool_name"]), manner{name: "phase", label: "During"},
		manner{name: "type", label: "Stopped by", first: byYou}, projectField, textField)
	return listed(q, "Interruptions", "interruptions", f, listing{Nouns: "interruptions", Rows: f.rowsURL("interruptions"),
		Hint: "Where the agent was stopped, and what was cut. A refusal that also stopped it stands among refusals."}, inQuery(q, f, "interruptions", (*events).stopped))
}

// listCompactions returns the page that lists compactions: a summary replaced older
// messages in the agent's context.
func listCompactions(q *request) (*view, error) {
	there, err := there(q.Context(), q.run, "compactions", "agent")
	if err != nil {
		return nil, err
	}
	f := q.filters(q.builtIn("compactions"), agentField(there["agent"]), manner{name: "trigger", label: "Trigger"}, projectField, textField)
	return listed(q, "Compactions", "compactions", f, listing{Nouns: "compactions", Rows: f.rowsURL("compactions"),
		Hint: "Older messages made way for a summary. What went out is counted since the compaction before."}, inQuery(q, f, "compactions", (*events).compacted))
}

// listClears returns the page that lists clears: a typed command, or an accepted plan,
// emptied the agent's context.
func listClears(q *request) (*view, error) {
	there, err := there(q.Context(), q.run, "clears", "agent")
	if err != nil {
		return nil, err
	}
	ways := []option{{Value: "command", Text: "typed"}, {Value: "plan", Text: "a plan accepted"}}
	f := q.filters(q.builtIn("clears"), agentField(there["agent"]), manner{name: "trigger", label: "How", first: ways}, projectField, textField)
	return listed(q, "Clears", "clears", f, listing{Nouns: "clears", Rows: f.rowsURL("clears")}, inQuery(q, f, "clears", (*events).cleared))
}

// listApprovals returns the page that lists calls for which the agent asked a person.
func listApprovals(q *request) (*view, error) {
	there, err := there(q.Context(), q.run, "(FROM tool_calls WHERE decided_by = 'user' AND decision IN ('granted', 'refused'))", "agent", "tool_name", "tool_kind")
	if err != nil {
		return nil, err
	}
	params := append(q.builtIn("approvals"), paramOf("decided_by", "granted", "refused"), paramOf("text"))
	f := q.filters(params, agentField(there["agent"]), toolField(there["tool_name"]), kindField(there["tool_kind"]),
		manner{name: "decided_by", label: "Decision"}, projectField, textField)
	return listed(q, "Approvals", "approvals", f, listing{Nouns: "questions", Rows: "/query/approvals",
		Hint: "What you were asked, and granted or refused. Of most agents the log tells only some grants, and of some none."}, inEngine(q, f, conversation.Approvals))
}

// listSessions returns the page that lists sessions begun by people.
func listSessions(q *request) (*view, error) {
	there, err := there(q.Context(), q.run, "(FROM sessions WHERE kind = 'main')", "agent")
	if err != nil {
		return nil, err
	}
	f := q.filters(append(q.builtIn("sessions"), paramOf("text")), agentField(there["agent"]), projectField, textField)
	return listed(q, "Sessions", "sessions", f, listing{Nouns: "sessions", Rows: f.rowsURL("sessions")}, inEngine(q, f, conversation.Sessions))
}
