// Package conversation gives one session as pieces, in the order in which they
// happened: prompts, answers, thinking, calls with what became of them,
// refusals, stops, compactions and clears.
//
// In: an id, and what runs SQL on the tables. Out: data for faces that show a
// session; no text is cut here, and none is made up for people. The package
// knows no agent and no database.
package conversation

import (
	"context"
	"time"

	"hindsql/internal/result"
)

// Run runs one SQL statement. An argument is bound to the parameter of its name.
type Run func(ctx context.Context, sql string, args map[string]any) (result.Set, error)

// Session is what is known of a session as a whole. A text is empty, and a time
// zero, where the log says nothing.
type Session struct {
	Agent, ID, NativeID  string // NativeID: the agent's own id where ID had to be made unique
	Kind, Project, About string
	Model, Branch        string
	Parent               string // id of the session that started this one
	ForkedFrom           string // id of the older session whose beginning this one copies
	Resume               string // command line that goes on with it; empty where there is none
	StartedAt, EndedAt   time.Time
	Prompts, Refused     int64
	Tokens               int64    // read, cached or not, and written
	CostUSD              *float64 // as recorded; nil where it isn't
	Gone                 bool     // its log is no longer there
}

// Conversation is a session with its pieces.
type Conversation struct {
	Session
	Pieces    []Piece
	Subagents []Session // that it started, in the order of their beginnings
}

// Kind is what a piece is.
type Kind string

// The kinds of pieces. Those of a message's text have the message's kind.
const (
	Prompt     Kind = "prompt"
	Command    Kind = "command"
	Answer     Kind = "response"
	Thinking   Kind = "thinking"
	Call       Kind = "call"
	Stop       Kind = "stop"
	Compaction Kind = "compaction"
	Clear      Kind = "clear"
	Copied     Kind = "copied"   // what was copied from an older session: one piece for all of it
	LeftOut    Kind = "left_out" // pieces that [Conversation.Near] left out
)

// Piece is one thing of a session.
type Piece struct {
	Kind      Kind
	Index     int64 // of its message, 0-based; of a compaction and a clear, the last before it; -1 where unknown
	Time      time.Time
	Who       string // who speaks: you, agent, tool, or what else does
	Text      string // whole; of a compaction its summary, of a stop what was cut
	What      string // of a stop, a compaction and a clear: a phrase that says what happened
	Abandoned bool   // on a branch that was rewound or superseded
	Link      string // id of the session that it leads to; empty for none
	Count     int64  // of messages: copied, or left out
	Call      *ToolCall
}

// ToolCall is a call, and what became of it.
type ToolCall struct {
	ID, Tool, Kind string
	Command, File  string // the shell command, and the file that it is about
	Input          string // arguments, JSON
	Output         string // whole; empty without a result
	Status         string // see tool_calls
	ExitCode       *int64
	Duration       time.Duration // zero where unknown
	Result         int64         // message that brought the result or the refusal; -1 where none did
	Batch          int64         // its place among the calls of its message, 0-based
	BatchSize      int64         // how many calls the model made in that message; 0 where unknown
	Decision       string        // granted, refused, cancelled or unanswered; empty where the log says nothing
	DecidedBy      string        // who decided; empty without a decision
	Parent         string        // ID of the script that made it; empty for the model's own
	Subagent       string        // id of the session that it started
	Refusal        *Refusal      // nil for a call that nobody refused
}

// Refusal is how a call was refused.
type Refusal struct {
	By       string // user, rule, hook … see rejections
	Reason   string
	Next     string // what the user typed next
	Diff     string // unified diff of the edit that was refused
	Cascaded bool   // it went down with another call that was refused
}

// ByUser says that a person refused this very call.
func (r *Refusal) ByUser() bool { return r != nil && r.By == "user" && !r.Cascaded }

// At says whether the piece belongs to a message.
func (p *Piece) At(message int64) bool {
	return p.Index == message || p.Call != nil && p.Call.Result == message
}

// Last is the index of the last message that a piece belongs to; -1 for none.
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

// AboutMessage is Near for one message. Where nothing is shown of it, the piece before
// stands for it.
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

// Near gives the conversation with those pieces only that are wanted, or that
// belong to one of the messages before and after them: as many of each as
// around says, of messages that have a piece. What is left out between them is a
// piece that counts the messages.
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
	left, from := int64(0), -1 // messages left out since the last piece that was kept
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
