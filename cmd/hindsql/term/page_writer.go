package term

import (
	"bufio"
	"strings"
	"time"

	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// writer writes the lines of a conversation's page, and knows what stands above
// them. A page of text and one of Markdown are written through it.
type writer struct {
	Page
	w       *bufio.Writer
	project string // of the session: paths in it are shown below it
	day     string // of the last piece
	last    string // who spoke last, and in which message
}

// clock is the time of day, with the date where that is another.
func (w *writer) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	day := at.Format(time.DateOnly)
	if day == w.day {
		return at.Format("15:04")
	}
	w.day = day
	return words.Moment(at)
}

// path is a path for people, below the session's folder where it lies there.
func (w *writer) path(path string) string {
	if below, ok := strings.CutPrefix(path, w.project+"/"); ok && w.project != "" {
		return below
	}
	if w.Path == nil {
		return path
	}
	return w.Path(path)
}

// line writes a line; the page alone breaks lines.
func (w *writer) line(s string) {
	w.w.WriteString(s)
	w.w.WriteByte('\n')
}

// lines are those of a text, free of what is no text, broken at the page's
// width.
func (w *writer) lines(s string) (lines []string) {
	s = strings.Trim(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for line := range strings.SplitSeq(strings.TrimRight(s, " \t\n"), "\n") {
		if i := strings.LastIndexByte(strings.TrimRight(line, "\r"), '\r'); i >= 0 {
			line = line[i+1:] // a progress bar overwrites itself
		}
		line = w.short(printable.Line(strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    ")))
		lines = append(lines, w.broken(line)...)
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}

// short is a line of no more characters than the page wants, and how many it has.
func (w *writer) short(line string) string {
	if w.Line == 0 || w.Full {
		return line
	}
	line, _ = words.CutTold(line, w.Line, words.Letters)
	return line
}

// broken breaks a line at spaces, and what has none where it has to. What the
// line begins with, such as the mark of an item, stands before the others, too,
// as room.
func (w *writer) broken(line string) []string {
	room := w.Width - len(indent) - width(outputMark)
	if w.Width == 0 || room < 20 || width(line) <= room {
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
