package term

import (
	"strings"

	"hindsql/internal/words"
)

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
	p.indented(lines, look)
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

func (p *page) indented(lines []string, look color) {
	for _, s := range lines {
		p.line(strings.TrimRight(indent+p.paint(look, s), " "))
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
