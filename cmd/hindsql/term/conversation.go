package term

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// Conversation selects the part of a session to show.
type Conversation struct {
	Reference string // a session id, an id with a message's index (id:N), or last
	Agent     string // the session's agent; empty for any
	Refused   bool   // only refused calls with the messages around them
	Around    int    // messages before and after; -1 for the usual number
	Full      bool   // no text is shortened
	Here      ask.Folders
	// Redact replaces secrets in a text, for HTML and Markdown in a file, or for every
	// format if RedactAll is set; nil: texts stay. isJSON texts stay JSON.
	Redact    func(text string, isJSON bool) string
	RedactAll bool
}

// The usual number of messages around a message, and around a refused call.
const aroundMessage, aroundRefusal = 5, 2

// ShowSession writes a session as a page of text, Markdown or HTML, or as rows in any
// other format.
func (v *View) ShowSession(ctx context.Context, to *Output, o Conversation) error {
	format, err := to.choose("")
	if err != nil {
		return err
	}
	s, err := v.find(ctx, o.Reference, o.Agent, o.Here)
	if err != nil {
		return err
	}
	c, err := conversation.Read(ctx, v.Session.Collect, s.Agent, s.ID)
	if err != nil {
		return err
	}
	if c, err = o.part(c, s.Message); err != nil {
		return err
	}
	isFile := format.Name == "html" || format.Name == "markdown" && to.File != ""
	if o.Redact != nil && (o.RedactAll || isFile) {
		c.Replace(o.Redact)
	}
	page := Page{Options: to.Options, Path: v.short, Full: o.Full}
	switch {
	case format.Name == "markdown":
		return page.Markdown(to, c)
	case format.Name == "html":
		return html.File(to, c, func(agent, id string) *conversation.Conversation { return firstMessages(ctx, v, o, agent, id) })
	case to.Format != "" || format.Name != "table":
		return to.Set(c.Rows())
	}
	if to.Width > 0 {
		page.Short = v.Session.ShortIDs(ctx)
	}
	return page.Write(to, c)
}

// firstMessages reads a session that a call started; nil if it can't be read.
func firstMessages(ctx context.Context, v *View, o Conversation, agent, id string) *conversation.Conversation {
	c, err := conversation.Read(ctx, v.Session.Collect, agent, id)
	if err != nil {
		return nil // the page then only names the session
	}
	if o.Redact != nil {
		c.Replace(o.Redact)
	}
	return c
}

// part returns the selected part of a session. message is the index from the reference;
// -1 for none. An index after the last message, or no refused call to select, is an
// error.
func (o *Conversation) part(c *conversation.Conversation, message int64) (*conversation.Conversation, error) {
	if message > c.Last() {
		return nil, noSession("%s has no message %d; its last is %d", c.ID, message, c.Last())
	}
	if o.Refused {
		refused := func(p *conversation.Piece) bool {
			return p.Call != nil && p.Call.Refusal != nil && (message < 0 || p.At(message))
		}
		near := c.Near(refused, o.around(aroundRefusal))
		if c.Refused == 0 && len(near.Pieces) == 1 {
			return nil, noSession("%s: nothing was refused in it", c.ID)
		}
		return near, nil
	}
	if message >= 0 {
		return c.AboutMessage(message, o.around(aroundMessage)), nil
	}
	return c, nil
}

func (o *Conversation) around(usual int) int {
	if o.Around < 0 {
		return usual
	}
	return o.Around
}

// narrowed returns the conditions of a search besides its text, in words.
func narrowed(s *conversation.Search) (text string) {
	if s.Project != "" {
		text += " in project " + s.Project
	}
	if s.Agent != "" {
		text += " with agent " + s.Agent
	}
	if len(s.Kinds) > 0 {
		text += " of kind " + strings.Join(s.Kinds, " or ")
	}
	if !s.Since.IsZero() || !s.Until.IsZero() {
		text += " in the period"
	}
	return text
}

// Search writes where a text occurs. For people it writes a line for each hit below its
// session's heading; in any other format, a row for each hit.
func (v *View) Search(ctx context.Context, to *Output, s *conversation.Search) error {
	format, err := to.choose("")
	if err != nil {
		return err
	}
	hits, more, err := s.Find(ctx, v.Session.Collect)
	if err != nil {
		return err
	}
	if len(hits) == 0 {
		Notice(v.Err, "nothing has the text %s%s", s.Text, narrowed(s))
	}
	if format.Name != "table" || to.Width == 0 {
		if more {
			Notice(v.Err, "these are the first %d hits; --top 0 for all", s.Top)
		}
		return to.Set(conversation.HitRows(hits))
	}
	to.Short = v.Session.ShortIDs(ctx)
	if err := to.writeHits(hits); err != nil || len(hits) == 0 {
		return err
	}
	_, err = io.WriteString(to, hitsLine(hits, more))
	return err
}

func hitsLine(hits []conversation.Hit, more bool) string {
	sessions := map[string]bool{}
	for _, h := range hits {
		sessions[h.Agent+"\x00"+h.Session] = true
	}
	line := "\n" + words.Quantity(len(hits), "hit") + " in " + words.Quantity(len(sessions), "session")
	if more {
		line += ", and there are more; --top 0 for all"
	}
	return line + "\n"
}

// writeHits writes a heading for each session and a line for each hit: an id for hindsql
// show, and the line of text with the matches marked.
func (o *Output) writeHits(hits []conversation.Hit) error {
	to, flush := escaped(o.Writer, painted)
	b := bufio.NewWriterSize(to, 1<<16)
	for i, h := range hits {
		if i == 0 || h.Session != hits[i-1].Session || h.Agent != hits[i-1].Agent {
			if i > 0 {
				b.WriteString("\n")
			}
			date := ""
			if !h.Time.IsZero() {
				date = words.Moment(h.Time)
			}
			b.WriteString(o.paint(bold, printable.Line(cut(oneLine(h.About), max(20, o.Width-50)))) + o.paint(dim, printable.Line("  "+words.JoinNonempty(" · ", cmp.Or(h.ProjectName, words.NoProject), h.Agent, date))) + "\n")
		}
		b.WriteString(o.hit(&h) + "\n")
	}
	return cmp.Or(b.Flush(), flush())
}

// lastOf returns the last part of a path.
func lastOf(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// hit returns the line for a hit: its id, its kind, and the text around the match.
func (o *Output) hit(h *conversation.Hit) string {
	id := o.shortId(h.Reference())
	head := "  " + o.paint(cyan, printable.Line(id)) + " " + o.paint(dim, printable.Line(h.Kind)) + "  "
	used := 2 + width(printable.Line(id)) + 1 + width(printable.Line(h.Kind)) + 2
	return head + o.marked(h, max(30, o.Width-used))
}

// marked returns the part of a hit's line that fits the room, with the matches in
// colour. The first match is about a third from the part's start.
func (o *Output) marked(h *conversation.Hit, room int) string {
	from, to := window(h.Line, h.Matches[0], room)
	var out strings.Builder
	if from > 0 {
		out.WriteString(o.paint(dim, "…"))
	}
	at := from
	for _, m := range inOrder(h.Matches) {
		start, end := max(m[0], at), min(m[1], to)
		if start >= end {
			continue
		}
		out.WriteString(printable.Line(h.Line[at:start]) + o.paint(bold, o.paint(red, printable.Line(h.Line[start:end]))))
		at = end
	}
	out.WriteString(printable.Line(h.Line[at:to]))
	if to < len(h.Line) {
		out.WriteString(o.paint(dim, "…"))
	}
	return out.String()
}

// inOrder sorts matches by their starts.
func inOrder(matches [][2]int) [][2]int {
	return slices.SortedStableFunc(slices.Values(matches), func(a, b [2]int) int { return a[0] - b[0] })
}

// window returns the part of a line that fits the room and includes the match.
func window(line string, match [2]int, room int) (from, to int) {
	if width(printable.Line(line)) <= room {
		return 0, len(line)
	}
	room -= 2
	from = match[0]
	for before := 0; from > 0 && before < room/3; {
		_, size := utf8.DecodeLastRuneInString(line[:from])
		from -= size
		before += width(printable.Line(line[from : from+size]))
	}
	to = from
	for used := 0; to < len(line); {
		_, size := utf8.DecodeRuneInString(line[to:])
		if used += width(printable.Line(line[to : to+size])); used > room {
			break
		}
		to += size
	}
	return from, to
}
