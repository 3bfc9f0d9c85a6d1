package web

import (
	"context"

	"hindsql/engine/conversation"
)

// deciders are who can refuse a call.
var deciders = append([]choice{{Value: "user", Name: "you"}, {Value: "all", Name: "anybody"}}, named("rule", "hook", "classifier", "mode", "setting", "sandbox", "nobody", "unknown")...)

func decidedBy(f *conversation.Filter, v string) {
	if f.DecidedBy = v; v == "all" {
		f.DecidedBy = ""
	}
}

func byKind(f *conversation.Filter, v string) { f.Kind = v }

// listRefusals is the page of the calls that were refused.
func listRefusals(q *request) (*view, error) {
	there, err := q.there("rejections", "agent", "tool_name", "tool_kind")
	if err != nil {
		return nil, err
	}
	f := q.filters("", theAgent(q, there["agent"]), toolField(there["tool_name"]), oneOf("kind", "What it does", "", toolKinds(there["tool_kind"]), byKind),
		oneOf("decided_by", "Refused by", "user", deciders, decidedBy), projectField(), sessionField(), textField())
	return listed(q, "Refusals", "refusals", f, listing{Nouns: "refusals", Rows: f.rowsURL("rejections")}, inQuery(q, f, "rejections", (*events).refused))
}

// toolKinds are what tools can do, those that are there first, with how often.
func toolKinds(there []choice) []choice {
	list := there
	for _, o := range named("edit", "command", "read", "search", "web", "mcp", "plan", "question", "agent", "script", "other") {
		known := false
		for _, t := range there {
			known = known || t.Value == o.Value
		}
		if !known {
			list = append(list, o)
		}
	}
	return list
}

// listInterruptions is the page of the stops.
func listInterruptions(q *request) (*view, error) {
	there, err := q.there("interruptions", "agent", "tool_name")
	if err != nil {
		return nil, err
	}
	stoppers := append([]choice{{Value: "user", Name: "you"}, {Value: "all", Name: "anybody"}}, named("system")...)
	f := q.filters("", theAgent(q, there["agent"]), toolField(there["tool_name"]), oneOf("phase", "During", "", named("response", "tool", "approval"), byKind),
		oneOf("type", "Stopped by", "user", stoppers, decidedBy), projectField(), textField())
	return listed(q, "Interruptions", "interruptions", f, listing{Nouns: "interruptions", Rows: f.rowsURL("interruptions"),
		Hint: "Where the agent was stopped, and what was cut. A refusal that also stopped it stands among refusals."}, inQuery(q, f, "interruptions", (*events).stopped))
}

// listCompactions is the page of the times at which a summary took the place of messages.
func listCompactions(q *request) (*view, error) {
	there, err := q.there("compactions", "agent")
	if err != nil {
		return nil, err
	}
	f := q.filters("", theAgent(q, there["agent"]), oneOf("trigger", "Trigger", "", named("auto", "manual"), byKind), projectField(), textField())
	return listed(q, "Compactions", "compactions", f, listing{Nouns: "compactions", Rows: f.rowsURL("compactions"),
		Hint: "Older messages made way for a summary. What went out is counted since the compaction before."}, inQuery(q, f, "compactions", (*events).compacted))
}

// listClears is the page of the times at which a context was cleared.
func listClears(q *request) (*view, error) {
	there, err := q.there("clears", "agent")
	if err != nil {
		return nil, err
	}
	f := q.filters("", theAgent(q, there["agent"]), oneOf("trigger", "How", "", []choice{{Value: "command", Name: "typed"}, {Value: "plan", Name: "a plan accepted"}}, byKind), projectField(), textField())
	return listed(q, "Clears", "clears", f, listing{Nouns: "clears", Rows: f.rowsURL("clears")}, inQuery(q, f, "clears", (*events).cleared))
}

// listApprovals is the page of the calls that a person was asked about.
func listApprovals(q *request) (*view, error) {
	there, err := q.there("(FROM tool_calls WHERE decided_by = 'user' AND decision IN ('granted', 'refused'))", "agent", "tool_name", "tool_kind")
	if err != nil {
		return nil, err
	}
	f := q.filters("", theAgent(q, there["agent"]), toolField(there["tool_name"]), oneOf("kind", "What it does", "", toolKinds(there["tool_kind"]), byKind),
		oneOf("decided_by", "Decision", "", named("granted", "refused"), decidedBy), projectField(), textField())
	return listed(q, "Approvals", "approvals", f, listing{Nouns: "questions", Rows: "/query/approvals",
		Hint: "What you were asked, and granted or refused. Of most agents the log tells only some grants, and of some none."}, conversation.Approvals)
}

// listSessions is the page of what people began.
func listSessions(q *request) (*view, error) {
	there, err := q.there("(FROM sessions WHERE kind = 'main')", "agent")
	if err != nil {
		return nil, err
	}
	f := q.filters("", theAgent(q, there["agent"]), projectField(), textField())
	return listed(q, "Sessions", "sessions", f, listing{Nouns: "sessions", Rows: f.rowsURL("sessions")},
		func(ctx context.Context, run conversation.Run, f conversation.Filter) ([]conversation.Listed, int64, error) {
			return conversation.Sessions(ctx, run, f)
		})
}
