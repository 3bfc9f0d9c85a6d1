package web

import (
	"context"
	"html/template"

	"hindsql/internal/sqltext"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// nearby is the number of messages before and after an event on the event's page.
const nearby = 4

// refusalPage is the data of a refused call's page.
type refusalPage struct {
	refused
	Cause  *refused      // the refused call because of which the agent dropped this call; nil if this call itself was refused
	Near   template.HTML // conversation around the call
	SQL    string
	SQLURL string
}

// showRefusal returns the page of a refused call.
func showRefusal(q *request) (*view, error) {
	agent, session, call := q.PathValue("agent"), q.PathValue("session"), q.PathValue("call")
	p := &refusalPage{SQL: rowSQL("rejections", agent, session, call)}
	p.SQLURL = sqlURL(p.SQL)
	events := q.events()
	r, err := oneRefused(q.Context(), events, agent, session, call)
	if err != nil {
		return nil, err
	}
	p.refused = *r
	if r.Cascaded {
		p.Cause, _ = oneRefused(q.Context(), events, agent, session, r.Cause)
	}
	near, err := around(q.Context(), q.run, agent, session, r.Place)
	if err != nil {
		return nil, err
	}
	p.Near = html.Conversation(near, linksFrom(q.server.Home))
	return &view{Title: "Refused " + subject(r.Event), Template: "refusal", Nav: "/refusals", Live: true, Data: p}, nil
}

func oneRefused(ctx context.Context, e *events, agent, session, call string) (*refused, error) {
	list, err := e.refused(ctx, map[string]any{"agent": agent, "session": session, "call": call, "decided_by": "all"}, 0, 1)
	if err == nil && (len(list) == 0 || call == "") {
		err = notFound("No call of this id was refused there.")
	}
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// around returns the messages before and after a message, for its page.
func around(ctx context.Context, run conversation.Run, agent, session string, message int64) (*conversation.Conversation, error) {
	w, err := conversation.ReadWindow(ctx, run, agent, session, message-8*nearby, 20*nearby)
	if err != nil {
		return nil, err
	}
	c := w.AboutMessage(message, nearby)
	for len(c.Pieces) > 0 && c.Pieces[0].Kind == conversation.LeftOut { // marks messages outside the window that was read
		c.Pieces = c.Pieces[1:]
	}
	for n := len(c.Pieces); n > 0 && c.Pieces[n-1].Kind == conversation.LeftOut; n-- {
		c.Pieces = c.Pieces[:n-1]
	}
	return c, nil
}

// rowSQL returns SQL that selects a call's row from a table.
func rowSQL(table, agent, session, call string) string {
	return "SELECT *\nFROM " + table + "\nWHERE agent = " + sqltext.Literal(agent) + "\n  AND session_id = " + sqltext.Literal(session) + "\n  AND tool_use_id = " + sqltext.Literal(call)
}

func sqlURL(statement string) string { return addressOf("/sql", nil, "sql", statement) }
