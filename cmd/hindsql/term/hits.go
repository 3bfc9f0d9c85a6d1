package term

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// Hits writes a heading for each session and a line for each hit: an id for hindsql
// show, and the line of text with the matches marked.
func (o *Output) Hits(hits []conversation.Hit) error {
	to, flush := through(o.Writer, painted)
	b := bufio.NewWriterSize(to, 1<<16)
	for i, h := range hits {
		if i == 0 || h.Session != hits[i-1].Session || h.Agent != hits[i-1].Agent {
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString(o.paint(bold, printable.Line(shown(h.About, max(20, o.Width-50)))) + o.paint(dim, printable.Line("  "+words.Joined(" · ", cmp.Or(h.ProjectName, words.NoProject), h.Agent, dateOf(h)))) + "\n")
		}
		b.WriteString(o.hit(&h) + "\n")
	}
	return cmp.Or(b.Flush(), flush())
}

func dateOf(h conversation.Hit) string {
	if h.Time.IsZero() {
		return ""
	}
	return words.Moment(h.Time)
}

// lastOf returns the last part of a path.
func lastOf(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// shown returns the start of a text, on one line at most most cells wide.
func shown(s string, most int) string { return cut(oneLine(s), most) }

// hit returns the line for a hit: its id, its kind, and the text around the match.
func (o *Output) hit(h *conversation.Hit) string {
	id := o.shortId(reference(h))
	head := "  " + o.paint(cyan, printable.Line(id)) + " " + o.paint(dim, printable.Line(h.Kind)) + "  "
	used := 2 + width(printable.Line(id)) + 1 + width(printable.Line(h.Kind)) + 2
	return head + o.marked(h, max(30, o.Width-used))
}

// reference returns the argument of hindsql show for a hit.
func reference(h *conversation.Hit) string {
	if h.Index < 0 {
		return h.Session
	}
	return fmt.Sprintf("%s:%d", h.Session, h.Index)
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
	list := append([][2]int(nil), matches...)
	for i := range list {
		for k := i; k > 0 && list[k][0] < list[k-1][0]; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	return list
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
