package web

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"hindsql/queries/conversation"
)

// stopped is an interruption of the agent, a row of the query interruptions.
type stopped struct {
	conversation.Event
	Phase   string // the agent's activity at the interruption
	Partial string // the unfinished answer's text
	Cut     string // the response that the interruption cut short
	Asked   string // the prompt that the agent was answering
	Marker  string // the log's text for the interruption
}

// stopped returns rows of the query interruptions, at most most after the first from.
// given holds the query's parameters.
func (e *events) stopped(ctx context.Context, given map[string]any, from, most int64) (all []stopped, err error) {
	list, err := e.rows(ctx, "interruptions", given, from, most)
	for _, r := range list {
		s := stopped{Event: r.event(), Phase: r.text("phase"), Partial: r.text("partial_output"), Cut: r.text("message"), Asked: r.text("asked"), Marker: r.text("marker")}
		r.call(&s.Event, "input", "wanted")
		s.DecidedBy, s.Prompt, s.Place = r.text("stopped_by"), r.text("typed"), r.number("message_index", r.number("place", -1))
		all = append(all, s)
	}
	return all, err
}

// compacted is a compaction, a row of the queries compactions and before-compaction.
type compacted struct {
	conversation.Event
	Trigger                string // auto or manual; empty if unknown
	Inferred               bool   // hindsql inferred the trigger
	TokensBefore           *int64
	TokensAfter            *int64
	Took                   time.Duration
	Summary                string
	Source                 string   // inline, memory file, encrypted or none
	Replaced               int64    // messages that the summary replaces; 0 if unknown
	Messages, Calls        int64    // since the previous compaction
	LastPrompt, LastAnswer string   // before the compaction
	NotNamed               []string // files read or edited since the previous compaction, but missing in the summary; the latest first
}

// compacted returns rows of the query compactions, each with what the query
// before-compaction tells about the context that was lost.
func (e *events) compacted(ctx context.Context, given map[string]any, from, most int64) (all []compacted, err error) {
	list, err := e.rows(ctx, "compactions", given, from, most)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	narrow := timesOf(list)
	if v, ok := given["agent"]; ok {
		narrow["agent"] = v
	}
	behind, err := e.rows(ctx, "before-compaction", narrow, 0, 0)
	if err != nil {
		return nil, err
	}
	key := func(r row) [2]string { return [2]string{r.text("agent"), r.text("session")} }
	lost := map[[2]string]row{}
	for _, r := range behind {
		lost[key(r)] = r
	}
	for _, r := range list {
		c := compacted{
			Event: r.event(), Trigger: strings.TrimSuffix(r.text("trigger"), "?"), Inferred: r.value("trigger_inferred") == true, TokensBefore: r.maybe("before"),
			TokensAfter: r.maybe("after"), Took: time.Duration(r.number("duration_ms", 0)) * time.Millisecond, Summary: r.text("whole_summary"),
			Source: r.text("summary_source"), Replaced: r.number("messages", 0),
		}
		c.Index = r.number("after_message_index", -1)
		c.Place = c.Index
		if l, ok := lost[key(r)]; ok {
			c.lose(l)
		}
		all = append(all, c)
	}
	return all, nil
}

// lose fills in what the context lost, from a row of the query before-compaction.
func (c *compacted) lose(r row) {
	c.Messages, c.Calls, c.LastPrompt, c.LastAnswer = r.number("messages", 0), r.number("calls", 0), r.text("last_prompt"), r.text("last_answer")
	_ = json.Unmarshal([]byte(r.text("all_lost_files")), &c.NotNamed) // NULL gives none
}

// cleared is a clear of the context, a row of the query clears.
type cleared struct {
	conversation.Event           // Session is empty if no log names the ended session
	How                string    // as typed, or plan if accepting a plan cleared the context
	Messages           int64     // number in the cleared context; 0 if unknown
	Last               time.Time // time of the last message before the clear
	Next               string    // id of the new session; empty if none began
	NextAbout          string
	NextMessage        int64 // index of the new session's first prompt; -1 if none
}

// cleared returns rows of the query clears, at most most after the first from.
func (e *events) cleared(ctx context.Context, given map[string]any, from, most int64) (all []cleared, err error) {
	list, err := e.rows(ctx, "clears", given, from, most)
	for _, r := range list {
		c := cleared{
			Event: r.event(), How: r.text("how"), Last: r.moment("last_at"), Next: r.text("next_session"), NextAbout: r.text("next_about"),
			NextMessage: r.number("next_message", -1),
		}
		c.Index = r.number("after_message_index", -1)
		c.Place, c.Messages, c.Evidence, c.Prompt = c.Index, c.Index+1, r.text("evidence"), r.text("typed")
		c.Confidence, _ = r.value("confidence").(float64)
		all = append(all, c)
	}
	return all, err
}

// Idle returns the time between the last message and the clear; zero if unknown.
func (c cleared) Idle() time.Duration {
	if c.Last.IsZero() || c.Time.Before(c.Last) {
		return 0
	}
	return c.Time.Sub(c.Last)
}
