package term

import (
	"bufio"
	"strings"
	"time"

	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// writer writes the lines of a conversation's page, and remembers the context above.
// Text pages and Markdown pages both use it.
type writer struct {
	Page
	w       *bufio.Writer
	project string // of the session; paths below it are shortened
	day     string // of the last piece
	last    string // last speaker and message
}

// clock formats a time of day, with the date if the day changed.
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

// path formats a path for people, relative to the session's folder if below it.
func (w *writer) path(path string) string {
	if below, ok := strings.CutPrefix(path, w.project+"/"); ok && w.project != "" {
		return below
	}
	if w.Path == nil {
		return path
	}
	return w.Path(path)
}

// line writes a line; only the page breaks lines.
func (w *writer) line(s string) {
	w.w.WriteString(s)
	w.w.WriteByte('\n')
}

// lines returns the lines of a text, wrapped at the page's width. Characters that
// aren't text become codes.
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

// short cuts a line to w.Line characters, and adds the full count.
func (w *writer) short(line string) string {
	if w.Line == 0 || w.Full {
		return line
	}
	line, _ = words.CutTold(line, w.Line, words.Letters)
	return line
}

// broken breaks a line at spaces, or anywhere if it has no spaces. The later lines are
// indented as far as the first one's margin, such as the mark of a list item.
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

// cutAt returns the place to break a line: after the last space that fits, if the line
// would be more than half full, otherwise where the room ends.
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
