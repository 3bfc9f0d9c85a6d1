package term

import (
	"bufio"
	"cmp"
	"io"
	"iter"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// Markdown writes the conversation as a page of Markdown. Outputs, inputs and diffs
// stand in code fences, so Markdown doesn't interpret their text. Texts of the user and
// the agent are Markdown already.
func (p Page) Markdown(w io.Writer, c *conversation.Conversation) error {
	to, flush := escaped(w, strict)
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
				m.line("# " + plainText(cmp.Or(c.About, c.ID)) + "\n")
				m.line(plainText(c.Facts()) + "  ")
				m.line(code1(c.ID))
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

func (m *markdown) foot(c *conversation.Conversation) {
	if len(c.Subagents) > 0 {
		m.line("\n## Sessions below it\n")
	}
	for _, s := range c.Subagents {
		m.line("- " + code1(s.ID) + " " + plainText(words.JoinNonempty(", ", words.Spaced(s.Kind), s.About)))
	}
}

func (m *markdown) piece(c *conversation.Piece) {
	switch {
	case c.Kind == conversation.Call:
		m.call(c)
	case c.IsOfMessage():
		m.writeText(c)
	default:
		m.line("\n---\n\n*" + plainText(words.JoinNonempty(" ", c.Between(), c.Link, m.clock(c.Time))) + "*")
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
		m.line("\n### " + plainText(words.JoinNonempty(" ", who, m.clock(c.Time), place(c.Index), note)) + "\n")
		return
	}
	m.line("")
}

func (m *markdown) writeText(c *conversation.Piece) {
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
	what := words.JoinNonempty(" ", "**"+plainText(words.JoinNonempty(" ", call.Tool, m.path(call.File)))+"**", plainText(call.State()))
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
		m.fence("", lists.Join(call.Arguments(), "\n", func(a conversation.Argument) string { return a.String() }), inputLines)
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
		m.line("\n> " + strings.ReplaceAll(plainText(strings.TrimSpace(why[0].String())), "\n", "\n> "))
	}
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

// writeMarkdown writes a GitHub Markdown table. NULL is an empty cell. Long texts of a
// saved query are cut, and a line below says so.
func writeMarkdown(w *bufio.Writer, r *result.Rows, o Options) error {
	types, cut := result.Types(r.Columns), false
	if _, err := w.WriteString(MarkdownHead(r.Columns)); err != nil {
		return err
	}
	cells := make([]string, len(types))
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		for i, v := range values {
			cells[i] = ""
			if v != nil {
				cells[i] = o.page(types[i].Text(v), r.Columns[i], &cut)
			}
		}
		if _, err := w.WriteString(MarkdownRow(cells)); err != nil {
			return err
		}
	}
	if cut {
		_, err := w.WriteString("\n" + cutOnPage + "\n")
		return err
	}
	return nil
}

// A cell of a saved query's answer in Markdown or HTML has at most mostOnPage letters.
const (
	mostOnPage = 300
	cutOnPage  = "Texts with … are cut; --format csv has them whole."
)

// page returns a text for a cell of a page. It shortens long texts of a saved query
// other than diffs, and then sets cut.
func (o Options) page(text string, c result.Column, cut *bool) string {
	if o.Answer == nil || c.Type != "VARCHAR" || isDiff(c.Name, text, "\n") {
		return text
	}
	short, is := words.CutCounted(text, mostOnPage, words.Letters)
	*cut = *cut || is
	return short
}

var inMarkdownCell = strings.NewReplacer("|", `\|`, "\r\n", "<br>", "\n", "<br>", "\r", "<br>")

// MarkdownRow returns a row of a Markdown table.
func MarkdownRow(cells []string) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString("| " + inMarkdownCell.Replace(c) + " ")
	}
	return b.String() + "|\n"
}

// MarkdownHead returns the lines above the rows of a Markdown table.
func MarkdownHead(columns []result.Column) string {
	return MarkdownRow(result.Names(columns)) + MarkdownRow(markdownRules(result.Types(columns)))
}

// markdownRules returns the cells of the line between names and rows. They align
// numbers to the right.
func markdownRules(types []result.Type) []string {
	rules := make([]string, len(types))
	for i := range types {
		rules[i] = "---"
		if types[i].IsNumber() {
			rules[i] = "---:"
		}
	}
	return rules
}
