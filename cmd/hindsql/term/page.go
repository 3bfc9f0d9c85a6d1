package term

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// Page says how to show a conversation to people.
type Page struct {
	Options
	Home string              // shown as ~ in paths; empty: paths stay as they are
	Path func(string) string // formats a path for people; nil: unchanged
	Full bool                // thinking, inputs and outputs are shown in full
	Line int                 // maximum characters of an input's, output's or thought's line; zero: no limit
}

// Maximum number of lines shown of each kind of piece.
const (
	thinkingLines = 4
	inputLines    = 16
	outputLines   = 8
	noteLines     = 3
	diffLines     = 60
)

// page writes a conversation as text.
type page struct{ writer }

// Write writes the conversation as a page of text. Texts of the user and the agent are
// complete; thinking and outputs are shortened. A refusal is shown with the refused
// call. On a terminal, Write adds colours and wraps lines at the width.
func (p Page) Write(w io.Writer, c *conversation.Conversation) error {
	to, flush := through(w, painted)
	b := bufio.NewWriterSize(to, 1<<16)
	pg := &page{writer{Page: p, w: b, project: c.Project}}
	pg.head(c)
	for i := range c.Pieces {
		pg.piece(&c.Pieces[i])
	}
	pg.foot(c)
	return cmp.Or(b.Flush(), flush())
}

func (p *page) head(c *conversation.Conversation) {
	p.line(p.paint(bold, printable.Line(cmp.Or(c.About, c.ID))))
	p.line(p.paint(dim, printable.Line(c.Facts())))
	kind := ""
	if c.Kind != "main" {
		kind = strings.ReplaceAll(c.Kind, "_", " ") + " of " + cmp.Or(p.shortId(c.Parent), "an unknown session")
	}
	p.line(p.paint(dim, printable.Line(words.Joined(" · ", p.shortId(c.ID), c.Held(), kind))))
	if c.Resume != "" {
		p.line(p.paint(dim, printable.Line("go on: "+c.Resume)))
		if c.Project != "" {
			p.line(p.paint(dim, printable.Line("in "+p.path(c.Project))))
		}
	}
	if c.Gone {
		p.line(p.paint(dim, "its log is gone; these are the rows that were kept"))
	}
}

func (p *page) foot(c *conversation.Conversation) {
	if len(c.Subagents) == 0 {
		return
	}
	p.across("sessions below it", time.Time{})
	for _, s := range c.Subagents {
		p.line(words.Joined("  ", p.paint(cyan, p.shortId(s.ID)), p.paint(dim, strings.ReplaceAll(s.Kind, "_", " ")), printable.Line(s.About)))
	}
}

// piece writes one piece of the conversation, such as a message or a call, below a line
// with the speaker and time.
func (p *page) piece(c *conversation.Piece) {
	switch {
	case c.Kind == conversation.Call:
		p.call(c)
	case c.IsSaid():
		p.said(c)
	default:
		p.across(words.Joined(" ", c.Between(), p.shortId(c.Link)), c.Time)
	}
	switch c.Kind {
	case conversation.Compaction:
		p.text(c.Text, noteLines, dim)
	case conversation.Stop:
		p.tail(c.Text, noteLines)
	}
}

// said writes what the user or the agent wrote or thought. Prompts and answers are
// complete; other texts are shortened.
func (p *page) said(c *conversation.Piece) {
	limit, look, name := noteLines, dim, printable.Line(c.Who)
	switch c.Kind {
	case conversation.Prompt:
		limit, look = 0, plain
	case conversation.Answer:
		limit, look = 0, plain
	case conversation.Command:
		look = plain
	case conversation.Thinking:
		limit, name = thinkingLines, "thinking"
	}
	p.who(c, name)
	p.text(c.Text, limit, look)
}

var speakers = map[string]color{"you": cyan, "agent": green}

// who writes the line with the speaker, the time, and the message's index for hindsql
// show. It writes nothing if the last piece had the same speaker and message.
func (p *page) who(c *conversation.Piece, name string) {
	now := name + place(c.Index)
	if now == p.last {
		return
	}
	p.last = now
	p.line("")
	note := ""
	if c.Abandoned {
		note = "(abandoned)"
	}
	head := p.paint(bold, p.paint(speakers[name], name))
	p.line(words.Joined(" ", head, p.paint(dim, words.Joined(" ", p.clock(c.Time), place(c.Index), note))))
}

func place(index int64) string {
	if index < 0 {
		return ""
	}
	return fmt.Sprintf(":%d", index)
}

// across writes a text in a horizontal line across the page.
func (p *page) across(what string, at time.Time) {
	what = printable.Line(words.Joined(" ", what, p.clock(at)))
	rest := max(3, min(cmp.Or(p.Width, 80), 100)-width(what)-4)
	p.last = ""
	p.line("")
	p.line(p.paint(dim, "── "+what+" "+strings.Repeat("─", rest)))
}
