package term

import (
	"bufio"
	"strings"
	"time"

	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// writer writes the lines of a conversation's page. It remembers the day, speaker and
// message last written, to avoid repeating them. Text pages and Markdown pages both use
// it.
type writer struct {
	Page
	w       *bufio.Writer
	project string // folder of the session; paths in it are shown relative to it
	day     string // of the last piece
	last    string // speaker and message of the last piece
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

// path returns a path for people: a path in the session's folder is relative to the
// folder.
func (w *writer) path(path string) string {
	below := conversation.RelativePath(w.project, path)
	if below != path || w.Path == nil {
		return below
	}
	return w.Path(path)
}

// line writes a line as it is, without breaking it.
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
			line = line[i+1:] // after a carriage return the line begins again, as in progress bars
		}
		line = w.short(printable.Line(strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    ")))
		lines = append(lines, w.broken(line)...)
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}

// short cuts a line after w.Line characters, and adds the number of all characters. It
// cuts nothing if w.Line is 0 or w.Full is set.
func (w *writer) short(line string) string {
	if w.Line == 0 || w.Full {
		return line
	}
	line, _ = words.CutCounted(line, w.Line, words.Letters)
	return line
}

// broken breaks a line into lines that fit the page, at spaces if possible. It indents
// later lines to the text of the first, after a mark such as that of a list item.
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

// cutAt returns where to break a line: after the last space that fits, if the line is
// then more than half full. Otherwise it returns the end of the part that fits.
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
