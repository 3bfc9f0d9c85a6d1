package term

import (
	"bufio"
	"cmp"
	"io"
	"iter"
	"strings"

	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// Markdown writes the conversation as a page of Markdown. Outputs, inputs and diffs
// stand in code fences, so Markdown doesn't interpret their text. Texts of the user and
// the agent are Markdown already.
func (p Page) Markdown(w io.Writer, c *conversation.Conversation) error {
	to, flush := through(w, strict)
	b := bufio.NewWriterSize(to, 1<<16)
	for _, part := range p.MarkdownFrom(c, 0) {
		b.WriteString(part)
	}
	return cmp.Or(b.Flush(), flush())
}

// MarkdownFrom returns the Markdown page in numbered parts, from part number from on.
// Part 0 is the head, then comes one part for each piece, and the last is the foot. The
// first returned piece names the speaker and day, so a page may begin with any part. A
// part may be empty.
func (p Page) MarkdownFrom(c *conversation.Conversation, from int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var text strings.Builder
		m := &markdown{writer{Page: p, w: bufio.NewWriter(&text), project: c.Project}}
		m.Width = 0
		for n := from; n < len(c.Pieces)+2; n++ {
			switch {
			case n == 0:
				m.head(c)
			case n <= len(c.Pieces):
				m.piece(&c.Pieces[n-1])
			default:
				m.foot(c)
			}
			_ = m.w.Flush() // a Builder accepts any text
			if !yield(n, text.String()) {
				return
			}
			text.Reset()
		}
	}
}

// markdown writes the pieces of a page in Markdown.
type markdown struct{ writer }

func (m *markdown) head(c *conversation.Conversation) {
	m.line("# " + plainText(cmp.Or(c.About, c.ID)) + "\n")
	m.line(plainText(c.Facts()) + "  ")
	m.line(code1(c.ID))
}

func (m *markdown) foot(c *conversation.Conversation) {
	if len(c.Subagents) > 0 {
		m.line("\n## Sessions below it\n")
	}
	for _, s := range c.Subagents {
		m.line("- " + code1(s.ID) + " " + plainText(words.Joined(", ", strings.ReplaceAll(s.Kind, "_", " "), s.About)))
	}
}

func (m *markdown) piece(c *conversation.Piece) {
	switch {
	case c.Kind == conversation.Call:
		m.call(c)
	case c.IsSaid():
		m.said(c)
	default:
		m.line("\n---\n\n*" + plainText(words.Joined(" ", c.Between(), c.Link, m.clock(c.Time))) + "*")
	}
	if c.Kind == conversation.Compaction {
		m.fence("", c.Text, noteLines)
	}
}

// title writes a heading with the speaker, if the last piece had another speaker or
// message. Otherwise it writes an empty line, without which a quote in the last piece
// would continue.
func (m *markdown) title(c *conversation.Piece, who string) {
	note := ""
	if c.Abandoned {
		note = "(abandoned)"
	}
	if now := who + place(c.Index); now != m.last {
		m.last = now
		m.line("\n### " + plainText(words.Joined(" ", who, m.clock(c.Time), place(c.Index), note)) + "\n")
		return
	}
	m.line("")
}

func (m *markdown) said(c *conversation.Piece) {
	switch c.Kind {
	case conversation.Prompt, conversation.Answer:
		m.title(c, c.Who)
		m.line(strings.ReplaceAll(printable.Text(strings.TrimSpace(c.Text)), "\n# ", "\n\\# "))
	case conversation.Thinking:
		m.title(c, "thinking")
		m.fence("", c.Text, thinkingLines)
	default:
		m.title(c, c.Who)
		m.fence("", c.Text, noteLines)
	}
}

func (m *markdown) call(c *conversation.Piece) {
	call := c.Call
	m.title(c, "agent")
	what := words.Joined(" ", "**"+plainText(words.Joined(" ", call.Tool, m.path(call.File)))+"**", plainText(call.State()))
	if call.Refusal != nil && !call.Refusal.Cascaded {
		what = "❌ " + what
	}
	m.line(what)
	switch {
	case call.Refusal != nil && call.Refusal.Diff != "":
		m.fence("diff", call.Refusal.Diff, diffLines)
	case call.Command != "":
		m.fence("sh", call.Command, inputLines)
	default:
		var lines []string
		for _, a := range call.Arguments() {
			lines = append(lines, a.String())
		}
		m.fence("", strings.Join(lines, "\n"), inputLines)
	}
	if call.Subagent != "" {
		m.line("\n→ session " + code1(call.Subagent))
	}
	if call.Refusal == nil {
		lines := m.lines(call.Output)
		if !m.Full && len(lines) > outputLines {
			lines = append([]string{"…"}, lines[len(lines)-outputLines:]...)
		}
		m.fence("", strings.Join(lines, "\n"), 0)
		return
	}
	if why := call.Refusal.Why(); len(why) > 0 {
		m.quote(why[0].String())
	}
}

func (m *markdown) quote(text string) {
	m.line("\n> " + strings.ReplaceAll(plainText(strings.TrimSpace(text)), "\n", "\n> "))
}

// fence writes a text that isn't Markdown in a code fence. The fence has more
// backquotes than any row of backquotes in the text.
func (m *markdown) fence(language, s string, limit int) {
	lines := m.lines(s)
	if len(lines) == 0 {
		return
	}
	if limit > 0 && !m.Full && len(lines) > limit {
		lines = append(lines[:limit:limit], "…")
	}
	s = strings.Join(lines, "\n")
	ticks := "```"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	m.line("\n" + ticks + language + "\n" + s + "\n" + ticks)
}

// code1 returns a text as inline code, on one line.
func code1(s string) string { return "`" + strings.ReplaceAll(printable.Line(s), "`", "'") + "`" }

var markup = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "#", `\#`, "|", `\|`)

// plainText escapes markup in a text.
func plainText(s string) string { return markup.Replace(printable.Text(s)) }
