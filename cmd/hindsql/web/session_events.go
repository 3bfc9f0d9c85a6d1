package web

import (
	"context"
	"encoding/json"
	"html/template"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// interruption is an interruption of the agent, a row of the query interruptions.
type interruption struct {
	conversation.Event
	Phase   string // the agent's activity at the interruption
	Partial string // the unfinished answer's text
	Cut     string // the response that the interruption cut short
	Asked   string // the prompt that the agent was answering
	Marker  string // the log's text for the interruption
}

// interruptions returns rows of the query interruptions, at most limit after the first from.
// given holds the query's parameters.
func (e *events) interruptions(ctx context.Context, given map[string]any, from, limit int64) (all []interruption, err error) {
	list, err := e.rows(ctx, "interruptions", given, from, limit)
	for _, r := range list {
		s := interruption{Event: r.event(), Phase: r.text("phase"), Partial: r.text("partial_output"), Cut: r.text("message"), Asked: r.text("asked"), Marker: r.text("marker")}
		r.call(&s.Event, "input", "wanted")
		s.DecidedBy, s.Prompt, s.Place = r.text("stopped_by"), r.text("typed"), r.number("message_index", r.number("place", -1))
		all = append(all, s)
	}
	return all, err
}

// compaction is a compaction, a row of the queries compactions and before-compaction.
type compaction struct {
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

// compactions returns rows of the query compactions, each with what the query
// before-compaction tells about the context that was lost.
func (e *events) compactions(ctx context.Context, given map[string]any, from, most int64) (all []compaction, err error) {
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
		c := compaction{
			Event: r.event(), Trigger: strings.TrimSuffix(r.text("trigger"), "?"), Inferred: r.value("trigger_inferred") == true, TokensBefore: r.maybe("before"),
			TokensAfter: r.maybe("after"), Took: time.Duration(r.number("duration_ms", 0)) * time.Millisecond, Summary: r.text("whole_summary"),
			Source: r.text("summary_source"), Replaced: r.number("messages", 0),
		}
		c.Index = r.number("after_message_index", -1)
		c.Place = c.Index
		if l, ok := lost[key(r)]; ok {
			c.addLoss(l)
		}
		all = append(all, c)
	}
	return all, nil
}

// addLoss fills in what the context lost, from a row of the query before-compaction.
func (c *compaction) addLoss(r row) {
	c.Messages, c.Calls, c.LastPrompt, c.LastAnswer = r.number("messages", 0), r.number("calls", 0), r.text("last_prompt"), r.text("last_answer")
	_ = json.Unmarshal([]byte(r.text("all_lost_files")), &c.NotNamed) // NULL gives none
}

// contextClear is a clear of the context, a row of the query clears.
type contextClear struct {
	conversation.Event           // Session is empty if no log names the ended session
	How                string    // as typed, or plan if accepting a plan cleared the context
	Messages           int64     // number in the cleared context; 0 if unknown
	Last               time.Time // time of the last message before the clear
	Next               string    // id of the new session; empty if none began
	NextAbout          string
	NextMessage        int64 // index of the new session's first prompt; -1 if none
}

// clears returns rows of the query clears, at most limit after the first from.
func (e *events) clears(ctx context.Context, given map[string]any, from, limit int64) (all []contextClear, err error) {
	list, err := e.rows(ctx, "clears", given, from, limit)
	for _, r := range list {
		c := contextClear{
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
func (c contextClear) Idle() time.Duration {
	if c.Last.IsZero() || c.Time.Before(c.Last) {
		return 0
	}
	return c.Time.Sub(c.Last)
}

// longestShown is the most bytes of a text that a list shows.
const longestShown = 6000

// eventFunctions returns the functions that templates of events call.
func eventFunctions() template.FuncMap {
	return template.FuncMap{
		"wanted": wantedHTML, "subject": subject, "kept": shortened, "markdown": func(s string) template.HTML { return html.Markdown(shortened(s)) }, "text": func(s string) template.HTML { return html.Text(shortened(s)) },
		"code": html.Code, "lasted": durationText, "did": nextSummary, "oneline": oneLine, "cost": cost, "letters": func(s string) string { return words.Int(int64(utf8.RuneCountInString(s))) }, "decider": conversation.Decider, "rowSQL": rowSQL, "sqlURL": sqlURL,
		"followed": nextTitle,
		"whole": func(e conversation.Event, part string) string {
			return fullTextURL(e.Agent, e.Session, e.ToolUse, part)
		}, "rest": func(s string) int { return max(0, len(s)-longestShown) }, "short": func(s string) string { return oneLine(s, 160) },
	}
}

// wantedHTML renders what a refused call would have done: its change, command, plan,
// question or arguments.
func wantedHTML(e conversation.Event, diff string) template.HTML {
	switch {
	case diff != "":
		return html.Diff(diff, conversation.RelativePath(e.Project, e.File))
	case e.Command != "":
		return html.Code("bash", shortened(e.Command))
	case e.Asked != "":
		return `<div class="asked">` + html.Markdown(shortened(e.Asked)) + `</div>`
	case e.Input != "":
		return html.Code("json", shortened(conversation.Argument{Text: e.Input}.Indented()))
	}
	return ""
}

// shortened returns the part of a text that a list shows.
func shortened(s string) string { return words.CutTo(s, longestShown, words.Bytes) }

// subject names a call's subject in one line.
func subject(e conversation.Event) string {
	about := oneLine(e.Subject, 120)
	switch {
	case e.Tool == "":
		return about
	case about == "":
		return printable.Line(e.Tool)
	}
	return printable.Line(e.Tool) + ": " + about
}

// oneLine returns the beginning of a text, as one line of at most letters characters.
func oneLine(text string, letters int) string { return printable.Line(words.Line(text, letters)) }

// nextTitle says what the agent did after a refusal.
func nextTitle(a nextAction) string {
	switch a.Next {
	case "again":
		if a.Command == "" {
			return "the same file again"
		}
		return "the same command again"
	case "same tool":
		return "the same tool, with something else"
	case "another tool":
		return "another tool"
	case answered:
		return "an answer"
	}
	return "nothing"
}

// nextSummary returns the agent's next action after a refusal, in one line.
func nextSummary(a nextAction) string {
	if a.Next == answered {
		return oneLine(a.Answer, 400)
	}
	return subject(conversation.Event{Tool: a.Tool, Subject: a.About})
}

// durationText returns a length of time for people; empty for zero.
func durationText(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return words.Duration(d)
}

// cost returns an amount of money, with ~ before an estimate; empty if unknown.
func cost(recorded, estimated *float64) string {
	sign := ""
	if recorded == nil {
		recorded, sign = estimated, "~"
	}
	if recorded == nil || math.IsNaN(*recorded) {
		return ""
	}
	return sign + words.Dollars(*recorded)
}
