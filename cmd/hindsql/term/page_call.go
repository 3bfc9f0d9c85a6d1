package term

import (
	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// call writes a tool call: its tool and file, how it ended, its arguments, and the end
// of its output. A refused call has a diff and the reason instead of the output.
func (p *page) call(c *conversation.Piece) {
	call := c.Call
	refused := call.Refusal
	p.who(c, "agent")
	mark, look, ended := "▸ ", bold, dim
	if refused != nil && !refused.Cascaded {
		mark, look, ended = "✗ ", red, red
	}
	state := call.State()
	if state != "" {
		state = "  " + state
	}
	p.line(indent + p.paint(look, mark+printable.Line(words.Joined(" ", call.Tool, p.path(call.File)))) + p.paint(ended, printable.Line(state)))
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
