// Package conversation turns one session into pieces in the order they happened:
// prompts, answers, thinking, calls with their results, refusals, stops, compactions
// and clears.
//
// In: a session id, and a function that runs SQL on the tables. Out: data for the front
// ends that show a session. The package has the words that all front ends share. It cuts
// no text, and knows no agent and no database.
package conversation

import (
	"context"
	"time"

	"hindsql/internal/result"
)

// Run runs one SQL statement. Each argument is bound to the parameter with its name.
type Run func(ctx context.Context, sql string, args map[string]any) (result.Set, error)

// Session describes a session as a whole. Texts are empty and times zero if the log
// doesn't record them.
type Session struct {
	Agent, ID, NativeID  string // NativeID: the agent's own id if ID had to be made unique
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
	Batch          int64         // position among the calls of the message, 0-based
	BatchSize      int64         // number of calls the model made in the message; 0 if unknown
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
