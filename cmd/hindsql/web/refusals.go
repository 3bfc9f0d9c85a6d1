package web

import (
	"context"
	"encoding/json"
	"html/template"
	"time"

	"hindsql/internal/sqltext"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// refusal is a refused call, a row of the queries rejections and after-refusal.
type refusal struct {
	conversation.Event
	Diff     string // unified diff of the edit
	Denial   string // the agent's own word for the refusal
	Reason   string
	Cascaded bool   // the agent dropped the call, because another call of the same message was refused
	Cause    string // id of that other call; empty if Cascaded is false
	With     []alsoRefused
	After    nextAction
	Brief    bool // the card shows only the beginning of each text
}

// Limits of a brief card.
const (
	briefRows    = 12  // of a diff
	briefLetters = 500 // of other texts
)

// cutTexts cuts the texts of a refused call for a brief card.
func (r *refusal) cutTexts() {
	r.Brief = true
	for _, text := range []*string{&r.Command, &r.Asked, &r.Input, &r.Reason, &r.Prompt} {
		*text = words.Cut(*text, briefLetters)
	}
}

// Wanted renders what the call would have done.
func (r refusal) Wanted() template.HTML {
	if r.Brief && r.Diff != "" {
		return html.DiffTo(r.Diff, conversation.RelativePath(r.Project, r.File), briefRows)
	}
	return wantedHTML(r.Event, r.Diff)
}

// alsoRefused is a call that the agent dropped because another call was refused.
type alsoRefused struct {
	ToolUse string `json:"call"`
	Tool    string `json:"tool"`
	About   string `json:"about"` // empty if only all arguments say it
}

// answered is the value of nextAction.Next if the agent answered without a call.
const answered = "answered"

// nextAction is the agent's first action after a refusal.
type nextAction struct {
	Next    string // again, same tool, another tool, answered or nothing
	Index   int64  // index of the action's message; -1 for nothing
	Time    time.Time
	Tool    string // tool of a call
	Command string
	About   string // what the call was about
	Answer  string // text of an answer without a call
}

// refusals returns rows of the query rejections, each with the agent's next action from
// the query after-refusal.
func (e *events) refusals(ctx context.Context, given map[string]any, from, most int64) ([]refusal, error) {
	list, err := e.rows(ctx, "rejections", given, from, most)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return e.addNextActions(ctx, list, given)
}

// addNextActions adds the agent's next actions to rows of the query rejections. given holds
// the query's parameters.
func (e *events) addNextActions(ctx context.Context, list []row, given map[string]any) ([]refusal, error) {
	narrow := timesOf(list)
	for _, name := range []string{"agent", "tool", "decided_by", "call"} {
		if v, ok := given[name]; ok {
			narrow[name] = v
		}
	}
	behind, err := e.rows(ctx, "after-refusal", narrow, 0, 0)
	if err != nil {
		return nil, err
	}
	key := func(r row) [3]string { return [3]string{r.text("agent"), r.text("session_id"), r.text("tool_use_id")} }
	came := map[[3]string]row{}
	for _, r := range behind {
		came[key(r)] = r
	}
	var all []refusal
	for _, r := range list {
		one := refusalOf(r)
		if next, ok := came[key(r)]; ok {
			one.Place, one.After = next.number("place", -1), nextActionOf(next)
			_ = json.Unmarshal([]byte(next.text("fell")), &one.With) // NULL gives none
		}
		all = append(all, one)
	}
	return all, nil
}

func refusalOf(r row) refusal {
	one := refusal{
		Event: r.event(), Diff: r.text("proposed_diff"), Denial: r.text("denial_kind"), Reason: r.text("reason"),
		Cascaded: r.value("cascaded") == true, Cause: r.text("cause_tool_use_id"), After: nextAction{Next: "nothing", Index: -1},
	}
	r.call(&one.Event, "tool_input", "refused")
	one.Asked, one.Place = r.text("asked"), one.Index
	one.DecidedBy, one.Evidence, one.Prompt = r.text("decided_by"), r.text("evidence"), r.text("next_prompt")
	one.Confidence, _ = r.value("confidence").(float64)
	return one
}

func nextActionOf(r row) nextAction {
	return nextAction{
		Next: r.text("next"), Index: r.number("next_message", -1), Time: r.moment("next_at"), Tool: r.text("next_tool"), Command: r.text("next_command"),
		About: r.text("next_about"), Answer: r.text("answer"),
	}
}

// Delay returns the time from the refusal to the next action; zero if unknown.
func (r refusal) Delay() time.Duration {
	if r.Time.IsZero() || r.After.Time.Before(r.Time) {
		return 0
	}
	return r.After.Time.Sub(r.Time)
}

// nearby is the number of messages before and after an event on the event's page.
const nearby = 4

// refusalPage is the data of a refused call's page.
type refusalPage struct {
	refusal
	Cause  *refusal      // the refused call because of which the agent dropped this call; nil if this call itself was refused
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
	r, err := findRefusal(q.Context(), events, agent, session, call)
	if err != nil {
		return nil, err
	}
	p.refusal = *r
	if r.Cascaded {
		p.Cause, _ = findRefusal(q.Context(), events, agent, session, r.Cause)
	}
	near, err := messagesAround(q.Context(), q.run, agent, session, r.Place)
	if err != nil {
		return nil, err
	}
	p.Near = html.Conversation(near, linksFrom(q.server.Home))
	return &view{Title: "Refused " + subject(r.Event), Template: "refusal", Nav: "/refusals", Live: true, Data: p}, nil
}

func findRefusal(ctx context.Context, e *events, agent, session, call string) (*refusal, error) {
	list, err := e.refusals(ctx, map[string]any{"agent": agent, "session": session, "call": call, "decided_by": "all"}, 0, 1)
	if err == nil && (len(list) == 0 || call == "") {
		err = notFound("No call of this id was refused there.")
	}
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// messagesAround returns the messages before and after a message, for its page.
func messagesAround(ctx context.Context, run conversation.Run, agent, session string, message int64) (*conversation.Conversation, error) {
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
