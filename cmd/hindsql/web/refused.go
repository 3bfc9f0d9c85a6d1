package web

import (
	"context"
	"encoding/json"
	"html/template"
	"time"

	"hindsql/internal/words"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// refused is a refused call, a row of the queries rejections and after-refusal.
type refused struct {
	conversation.Event
	Diff     string // unified diff of the edit
	Denial   string // the agent's own word for the refusal
	Reason   string
	Cascaded bool   // the agent dropped the call, because another call of the same message was refused
	Cause    string // id of that other call; empty if Cascaded is false
	With     []fallen
	After    after
	Brief    bool // the card shows only the beginning of each text
}

// Limits of a brief card.
const (
	briefRows    = 12  // of a diff
	briefLetters = 500 // of other texts
)

// brief cuts the texts of a refused call for a brief card.
func (r *refused) brief() {
	r.Brief = true
	for _, text := range []*string{&r.Command, &r.Asked, &r.Input, &r.Reason, &r.Prompt} {
		*text = words.Cut(*text, briefLetters)
	}
}

// Wanted renders what the call would have done.
func (r refused) Wanted() template.HTML {
	if r.Brief && r.Diff != "" {
		return html.DiffTo(r.Diff, conversation.Below(r.Project, r.File), briefRows)
	}
	return wanted(r.Event, r.Diff)
}

// fallen is a call that the agent dropped because another call was refused.
type fallen struct {
	ToolUse string `json:"call"`
	Tool    string `json:"tool"`
	About   string `json:"about"` // empty if only all arguments say it
}

// answered is the value of after.Next if the agent answered without a call.
const answered = "answered"

// after is the agent's first action after a refusal.
type after struct {
	Next    string // again, same tool, another tool, answered or nothing
	Index   int64  // index of the action's message; -1 for nothing
	Time    time.Time
	Tool    string // tool of a call
	Command string
	About   string // what the call was about
	Answer  string // text of an answer without a call
}

// refused returns rows of the query rejections, each with the agent's next action from
// the query after-refusal.
func (e *events) refused(ctx context.Context, given map[string]any, from, most int64) ([]refused, error) {
	list, err := e.rows(ctx, "rejections", given, from, most)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return e.followed(ctx, list, given)
}

// followed adds the agent's next actions to rows of the query rejections. given holds
// the query's parameters.
func (e *events) followed(ctx context.Context, list []row, given map[string]any) ([]refused, error) {
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
	var all []refused
	for _, r := range list {
		one := refusedRow(r)
		if next, ok := came[key(r)]; ok {
			one.Place, one.With, one.After = next.number("place", -1), fallenOf(next), afterOf(next)
		}
		all = append(all, one)
	}
	return all, nil
}

func refusedRow(r row) refused {
	one := refused{
		Event: r.event(), Diff: r.text("proposed_diff"), Denial: r.text("denial_kind"), Reason: r.text("reason"),
		Cascaded: r.value("cascaded") == true, Cause: r.text("cause_tool_use_id"), After: after{Next: "nothing", Index: -1},
	}
	r.call(&one.Event, "tool_input", "refused")
	one.Asked, one.Place = r.text("asked"), one.Index
	one.DecidedBy, one.Evidence, one.Prompt = r.text("decided_by"), r.text("evidence"), r.text("next_prompt")
	one.Confidence, _ = r.value("confidence").(float64)
	return one
}

func afterOf(r row) after {
	return after{
		Next: r.text("next"), Index: r.number("next_message", -1), Time: r.moment("next_at"), Tool: r.text("next_tool"), Command: r.text("next_command"),
		About: r.text("next_about"), Answer: r.text("answer"),
	}
}

func fallenOf(r row) (list []fallen) {
	_ = json.Unmarshal([]byte(r.text("fell")), &list) // NULL gives none
	return list
}

// Took returns the time from the refusal to the next action; zero if unknown.
func (r refused) Took() time.Duration {
	if r.Time.IsZero() || r.After.Time.Before(r.Time) {
		return 0
	}
	return r.After.Time.Sub(r.Time)
}
