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
	to, flush := escaped(w, painted)
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
		kind = words.Spaced(c.Kind) + " of " + cmp.Or(p.shortId(c.Parent), "an unknown session")
	}
	p.line(p.paint(dim, printable.Line(words.JoinNonempty(" · ", p.shortId(c.ID), c.Amounts(), kind))))
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
	p.writeSeparator("sessions below it", time.Time{})
	for _, s := range c.Subagents {
		p.line(words.JoinNonempty("  ", p.paint(cyan, p.shortId(s.ID)), p.paint(dim, words.Spaced(s.Kind)), printable.Line(s.About)))
	}
}

// piece writes one piece of the conversation, such as a message or a call, below a line
// with the speaker and time.
func (p *page) piece(c *conversation.Piece) {
	switch {
	case c.Kind == conversation.Call:
		p.call(c)
	case c.IsOfMessage():
		p.writeText(c)
	default:
		p.writeSeparator(words.JoinNonempty(" ", c.Between(), p.shortId(c.Link)), c.Time)
	}
	switch c.Kind {
	case conversation.Compaction:
		p.text(c.Text, noteLines, dim)
	case conversation.Stop:
		p.tail(c.Text, noteLines)
	}
}

// writeText writes what the user or the agent wrote or thought. Prompts and answers are
// complete; other texts are shortened.
func (p *page) writeText(c *conversation.Piece) {
	limit, look, name := noteLines, dim, printable.Line(c.Who)
	switch c.Kind {
	case conversation.Prompt, conversation.Answer:
		limit, look = 0, plain
	case conversation.Command:
		look = plain
	case conversation.Thinking:
		limit, name = thinkingLines, "thinking"
	}
	p.writeSpeaker(c, name)
	p.text(c.Text, limit, look)
}

// call writes a tool call: its tool and file, how it ended, its arguments, and the end
// of its output. A refused call has a diff and the reason instead of the output.
func (p *page) call(c *conversation.Piece) {
	call := c.Call
	refused := call.Refusal
	p.writeSpeaker(c, "agent")
	mark, look, ended := "▸ ", bold, dim
	if refused != nil && !refused.Cascaded {
		mark, look, ended = "✗ ", red, red
	}
	state := call.State()
	if state != "" {
		state = "  " + state
	}
	p.line(indent + p.paint(look, mark+printable.Line(words.JoinNonempty(" ", call.Tool, p.path(call.File)))) + p.paint(ended, printable.Line(state)))
	p.input(call)
	if call.Subagent != "" {
		p.line(indent + p.paint(dim, "→ session ") + p.paint(cyan, p.shortId(call.Subagent)))
	}
	if refused == nil {
		p.tail(call.Output, outputLines)
		return
	}
	if why := refused.Why(); len(why) > 0 && refused.Reason != "" {
		p.text(why[0].String(), 0, bold)
	} else if len(why) > 0 {
		p.text(why[0].String(), noteLines, plain)
	}
}

// input writes a call's arguments: the diff of a refused edit, or the command, or each
// argument with its name.
func (p *page) input(c *conversation.ToolCall) {
	switch {
	case c.Refusal != nil && c.Refusal.Diff != "":
		p.diff(c.Refusal.Diff)
		return
	case c.Command != "":
		p.text("$ "+c.Command, inputLines, plain)
		return
	}
	for _, a := range c.Arguments() {
		p.text(a.String(), noteLines, plain)
	}
}

var speakers = map[string]color{"you": cyan, "agent": green}

// writeSpeaker writes the line with the speaker, the time, and the message's index for
// hindsql show. It writes nothing if the last piece had the same speaker and message.
func (p *page) writeSpeaker(c *conversation.Piece, name string) {
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
	p.line(words.JoinNonempty(" ", head, p.paint(dim, words.JoinNonempty(" ", p.clock(c.Time), place(c.Index), note))))
}

func place(index int64) string {
	if index < 0 {
		return ""
	}
	return fmt.Sprintf(":%d", index)
}

// writeSeparator writes a text in a horizontal line across the page.
func (p *page) writeSeparator(what string, at time.Time) {
	what = printable.Line(words.JoinNonempty(" ", what, p.clock(at)))
	rest := max(3, min(cmp.Or(p.Width, 80), 100)-width(what)-4)
	p.last = ""
	p.line("")
	p.line(p.paint(dim, "── "+what+" "+strings.Repeat("─", rest)))
}

// indent precedes the lines of a piece.
const indent = "  "

// text writes the first lines of a text, at most limit lines on the screen. A limit of
// 0 means all.
func (p *page) text(s string, limit int, look color) {
	if limit > 0 && !p.Full && len(s) > longestText {
		s = s[:words.Bytes(s, longestText)]
	}
	lines := p.lines(s)
	rest := 0
	if limit > 0 && !p.Full && len(lines) > limit {
		rest = len(lines) - limit
		lines = lines[:limit]
	}
	for _, s := range lines {
		p.line(strings.TrimRight(indent+p.paint(look, s), " "))
	}
	p.more(rest)
}

// outputMark precedes the lines of an output.
const outputMark = "│ "

// tail writes the end of an output.
func (p *page) tail(s string, limit int) {
	if !p.Full && len(s) > longestText {
		s = strings.ToValidUTF8(s[len(s)-longestText:], "")
	}
	lines := p.lines(s)
	if !p.Full && len(lines) > limit {
		p.line(indent + p.paint(dim, outputMark+"… "+words.Quantity(len(lines)-limit, "line")+" before"))
		lines = lines[len(lines)-limit:]
	}
	for _, s := range lines {
		p.line(indent + p.paint(dim, strings.TrimRight(outputMark+s, " ")))
	}
}

func (p *page) more(rest int) {
	if rest > 0 {
		p.line(indent + p.paint(dim, "… "+words.Quantity(rest, "more line")))
	}
}

// diff writes a unified diff in colour.
func (p *page) diff(s string) {
	lines := p.lines(s)
	rest := 0
	if !p.Full && len(lines) > diffLines {
		rest = len(lines) - diffLines
		lines = lines[:diffLines]
	}
	for _, s := range lines {
		p.line(strings.TrimRight(indent+p.paint(diffColor(s), s), " "))
	}
	p.more(rest)
}

// longestText is how many bytes of a text are read at most if the page shortens the
// text anyway. An output may have a hundred megabytes.
const longestText = 1 << 20
