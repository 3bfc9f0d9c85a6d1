package render

import (
	"strings"

	"hindsql/internal/words"
	"hindsql/visible"
)

// indent stands before the lines of a piece.
const indent = "  "

// text writes the beginning of a text, of that many lines on the screen; 0 for
// all of it.
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
	p.indented(lines, look)
	p.more(rest)
}

// outputMark stands before the lines of an output.
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

func (p *page) indented(lines []string, look color) {
	for _, s := range lines {
		p.line(strings.TrimRight(indent+p.paint(look, s), " "))
	}
}

// diff writes a unified diff in its colours.
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

// longestText is how much of a text is looked at, in bytes, where it is cut
// anyway: an output may have a hundred megabytes.
const longestText = 1 << 20

// lines are those of a text, free of what is no text, broken at the page's
// width.
func (p *page) lines(s string) (lines []string) {
	s = strings.Trim(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for line := range strings.SplitSeq(strings.TrimRight(s, " \t\n"), "\n") {
		if i := strings.LastIndexByte(strings.TrimRight(line, "\r"), '\r'); i >= 0 {
			line = line[i+1:] // a progress bar overwrites itself
		}
		line = p.short(visible.Line(strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    ")))
		lines = append(lines, p.broken(line)...)
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}

// short is a line of no more characters than the page wants, and how many it has.
func (p *page) short(line string) string {
	if p.Line == 0 || p.Full {
		return line
	}
	line, _ = words.CutTold(line, p.Line, words.Letters)
	return line
}

// broken breaks a line at spaces, and what has none where it has to. What the
// line begins with, such as the mark of an item, stands before the others, too,
// as room.
func (p *page) broken(line string) []string {
	room := p.Width - len(indent) - width(outputMark)
	if p.Width == 0 || room < 20 || width(line) <= room {
		return []string{line}
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " -*>"))]
	if width(margin) > room/2 {
		margin = ""
	}
	margin = strings.Repeat(" ", width(margin))
	var lines []string
	for width(line) > room {
		at := cutAt(line, room)
		lines = append(lines, strings.TrimRight(line[:at], " "))
		line = margin + strings.TrimLeft(line[at:], " ")
	}
	return append(lines, line)
}

// cutAt is where a line is broken: behind the last space that fits, if the line
// would be half full, else where no more letters fit.
func cutAt(line string, room int) int {
	used, space, at := 0, 0, 0
	for i, r := range line {
		n := width(string(r))
		if used+n > room {
			break
		}
		used += n
		at = i + len(string(r))
		if r == ' ' && used > room/2 {
			space = at
		}
	}
	if space > 0 {
		return space
	}
	return max(at, 1)
}
