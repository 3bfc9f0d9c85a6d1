// Package conversation turns one session into pieces in the order they happened:
// prompts, answers, thinking, calls with their results, refusals, stops, compactions
// and clears.
//
// In: a session id, and a function that runs SQL on the tables. Out: data for the front
// ends that show a session. The package has the words that all front ends share. It cuts
// no text, and knows no agent and no database.
package conversation

import (
	"cmp"
	"context"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Run runs one SQL statement. Each argument is bound to the parameter with its name.
type Run func(ctx context.Context, sql string, args map[string]any) (result.Set, error)

// Session describes a session as a whole. Texts are empty and times zero if the log
// doesn't record them.
type Session struct {
	Agent, ID            string
	Kind, Project, About string
	ProjectName          string // shortest unique name of the project
	Model, Branch        string
	Parent               string // id of the session that started this one
	ForkedFrom           string // id of the older session whose beginning this session copies
	Resume               string // shell command that resumes the session; empty if impossible
	StartedAt, EndedAt   time.Time
	Prompts, Refused     int64
	Tokens               int64    // input, cache reads, cache writes and output
	CostUSD              *float64 // as recorded; nil if not recorded
	Gone                 bool     // the session's log was deleted
}

// Conversation is a session with its pieces.
type Conversation struct {
	Session
	Pieces    []Piece
	Subagents []Session // sessions started by this one, by start time
}

// Kind is the kind of a piece.
type Kind string

// The kinds of pieces. Pieces of a message's text have the message's kind.
const (
	Prompt     Kind = "prompt"
	Command    Kind = "command"
	Answer     Kind = "response"
	Thinking   Kind = "thinking"
	Call       Kind = "call"
	Stop       Kind = "stop"
	Compaction Kind = "compaction"
	Clear      Kind = "clear"
	Copied     Kind = "copied"   // all messages copied from an older session, as one piece
	LeftOut    Kind = "left_out" // pieces that [Conversation.Near] left out
)

// Piece is one event of a session.
type Piece struct {
	Kind      Kind
	Index     int64 // index of the message, 0-based; for a compaction or clear, the last message before; -1 if unknown
	Time      time.Time
	Who       string // speaker: you, agent, tool, or another kind
	Text      string // whole text; a compaction's summary; the output that a stop cut off
	What      string // phrase that describes a stop, compaction or clear
	Abandoned bool   // on a branch that was rewound or superseded
	Link      string // id of a linked session; empty if none
	Count     int64  // number of messages copied or left out
	Call      *ToolCall
}

// ToolCall is a tool call with its result.
type ToolCall struct {
	ID, Tool, Kind string
	Command, File  string // shell command; file that the call is about
	Input          string // arguments, JSON
	About          string // what the call was about, as the function about says; empty if about says all arguments
	Output         string // whole; empty if the call has no result
	Status         string // as in tool_calls
	ExitCode       *int64
	Duration       time.Duration // zero if unknown
	Result         int64         // index of the message with the result or refusal; -1 if none
	Decision       string        // granted, refused, cancelled or unanswered; empty if the log doesn't say
	DecidedBy      string        // user, rule, hook …; empty if no decision
	Parent         string        // ID of the script that made the call; empty for the model's own calls
	Subagent       string        // id of the session that the call started
	Refusal        *Refusal      // nil if the call wasn't refused
}

// Refusal describes how a call was refused.
type Refusal struct {
	By       string // user, rule, hook …, as in rejections
	Reason   string
	Next     string // next prompt the user typed
	Diff     string // unified diff of the refused edit
	Cascaded bool   // dropped because another call was refused
}

// ByUser reports whether a person refused this call itself.
func (r *Refusal) ByUser() bool { return r != nil && r.By == "user" && !r.Cascaded }

// At reports whether the piece belongs to a message.
func (p *Piece) At(message int64) bool {
	return p.Index == message || p.Call != nil && p.Call.Result == message
}

// Last returns the highest message index among the pieces, or -1 if no piece has one.
func (c *Conversation) Last() int64 {
	last := int64(-1)
	for _, p := range c.Pieces {
		last = max(last, p.Index)
		if p.Call != nil {
			last = max(last, p.Call.Result)
		}
	}
	return last
}

// AboutMessage returns the conversation around one message, as Near does. For a message
// without a piece, the last earlier message with a piece is used.
func (c *Conversation) AboutMessage(message int64, around int) *Conversation {
	nearest := int64(-1)
	for _, p := range c.Pieces {
		if p.At(message) {
			nearest = message
			break
		}
		if p.Index < message {
			nearest = max(nearest, p.Index)
		}
	}
	if nearest != message {
		return c.Near(func(p *Piece) bool { return p.Index == nearest }, around)
	}
	return c.Near(func(p *Piece) bool { return p.At(message) }, around)
}

// Near returns the conversation with the wanted pieces and the pieces of the
// neighbouring messages: around messages before and after each, counting only messages
// that have a piece. A LeftOut piece counts the messages of each gap.
func (c *Conversation) Near(wanted func(*Piece) bool, around int) *Conversation {
	place, places := make([]int, len(c.Pieces)), 0 // number of each piece's message
	for i := range c.Pieces {
		if i > 0 && c.Pieces[i].Index != c.Pieces[i-1].Index {
			places++
		}
		place[i] = places
	}
	keep := make([]bool, places+1)
	for i := range c.Pieces {
		if wanted(&c.Pieces[i]) {
			for n := max(0, place[i]-around); n <= min(places, place[i]+around); n++ {
				keep[n] = true
			}
		}
	}
	near := *c
	near.Pieces = c.kept(place, keep)
	return &near
}

func (c *Conversation) kept(place []int, keep []bool) (pieces []Piece) {
	left, from := int64(0), -1 // left: messages left out since the last kept piece
	for i, p := range c.Pieces {
		if keep[place[i]] {
			if left > 0 {
				pieces = append(pieces, Piece{Kind: LeftOut, Index: c.Pieces[i-1].Index, Count: left})
			}
			pieces, left = append(pieces, p), 0
		} else if place[i] != from {
			left++
		}
		from = place[i]
	}
	if left > 0 {
		pieces = append(pieces, Piece{Kind: LeftOut, Index: c.Pieces[len(c.Pieces)-1].Index, Count: left})
	}
	return pieces
}

// Rows returns a table with one row a piece and whole texts, for tabular formats.
func (c *Conversation) Rows() result.Set {
	set := result.Set{Columns: result.Columns("time TIMESTAMPTZ", "who VARCHAR", "kind VARCHAR", "text VARCHAR", "tool VARCHAR", "command VARCHAR", "file VARCHAR",
		"status VARCHAR", "refused_by VARCHAR", "reason VARCHAR", "proposed_diff VARCHAR", "input JSON", "output VARCHAR", "count BIGINT",
		"leads_to VARCHAR", "session VARCHAR", "message BIGINT")}
	for _, p := range c.Pieces {
		call, refusal := p.Call, &Refusal{}
		if call == nil {
			call = &ToolCall{}
		} else if call.Refusal != nil {
			refusal = call.Refusal
		}
		said := p.Text
		if p.What != "" && said == "" {
			said = p.What
		} else if p.What != "" {
			said = p.What + ": " + said
		}
		set.Rows = append(set.Rows, []any{
			orNull(p.Time, p.Time.IsZero()), textOrNull(p.Who), string(p.Kind), textOrNull(said), textOrNull(call.Tool), textOrNull(call.Command), textOrNull(call.File),
			textOrNull(call.Status), textOrNull(refusal.By), textOrNull(refusal.Reason), textOrNull(refusal.Diff), textOrNull(call.Input), textOrNull(call.Output), orNull(p.Count, p.Count == 0),
			textOrNull(p.Link), c.ID, orNull(p.Index, p.Index < 0),
		})
	}
	return set
}

// textOrNull returns a text, or NULL if empty.
func textOrNull(s string) any { return orNull(s, s == "") }

func orNull(v any, isNull bool) any {
	if isNull {
		return nil
	}
	return v
}

// HitRows returns hits as a table. The column session is a reference to the hit's
// message.
func HitRows(hits []Hit) result.Set {
	set := result.Set{Columns: result.Columns("time TIMESTAMPTZ", "agent VARCHAR", "project VARCHAR", "about VARCHAR", "kind VARCHAR", "line VARCHAR", "session VARCHAR")}
	for _, h := range hits {
		set.Rows = append(set.Rows, []any{orNull(h.Time, h.Time.IsZero()), h.Agent, cmp.Or(h.ProjectName, words.NoProject), textOrNull(h.About), h.Kind, h.Line, h.Reference()})
	}
	return set
}

// Replace replaces every text of the conversation by f's result for it: what was said,
// calls with their inputs and outputs, refusals, titles and names. Ids and agents stay.
// isJSON says that a text is JSON, and must stay JSON.
func (c *Conversation) Replace(f func(text string, isJSON bool) string) {
	text := func(texts ...*string) {
		for _, t := range texts {
			if *t != "" {
				*t = f(*t, false)
			}
		}
	}
	session := func(s *Session) { text(&s.Project, &s.ProjectName, &s.About, &s.Model, &s.Branch, &s.Resume) }
	session(&c.Session)
	for i := range c.Subagents {
		session(&c.Subagents[i])
	}
	for i := range c.Pieces {
		p := &c.Pieces[i]
		text(&p.Text, &p.What)
		if call := p.Call; call != nil {
			text(&call.Tool, &call.Command, &call.File, &call.About, &call.Output)
			if call.Input != "" {
				call.Input = f(call.Input, true)
			}
			if call.Refusal != nil {
				text(&call.Refusal.Reason, &call.Refusal.Next, &call.Refusal.Diff)
			}
		}
	}
}
