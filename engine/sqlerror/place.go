package sqlerror

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Restore puts the user's own words back into the snippet, if hindsql replaced some
// before it ran the statement. texts maps the replacement to the user's words. The
// caret stays at its word.
func (e *Error) Restore(texts map[string]string) {
	line, caret, ok := strings.Cut(e.Snippet, "\n")
	if !ok {
		return
	}
	at := utf8.RuneCountInString(caret) - 1 // the caret's place, in characters
	for ran, written := range texts {
		for from := strings.Index(line, ran); from >= 0; from = strings.Index(line, ran) {
			begins, length := utf8.RuneCountInString(line[:from]), utf8.RuneCountInString(ran)
			shorter := length - utf8.RuneCountInString(written)
			switch {
			case at >= begins+length:
				at -= shorter
				e.Column = max(0, e.Column-shorter)
			case at > begins: // inside the words that ran: to their beginning
				e.Column = max(0, e.Column-(at-begins))
				at = begins
			}
			line = line[:from] + written + line[from+len(ran):]
		}
	}
	e.Snippet = line + "\n" + strings.Repeat(" ", max(0, at)) + "^"
}

// MoveUp corrects the line number in an error. It subtracts the number of lines that
// hindsql put before the user's SQL.
func MoveUp(err error, lines int) error {
	var e *Error
	if lines == 0 || !errors.As(err, &e) || e.Line <= lines {
		return err
	}
	before := strconv.Itoa(e.Line)
	e.Line -= lines
	line, caret, ok := strings.Cut(e.Snippet, "\n")
	if now := strconv.Itoa(e.Line); ok {
		e.Snippet = "LINE " + now + strings.TrimPrefix(line, "LINE "+before) + "\n" + strings.TrimPrefix(caret, strings.Repeat(" ", len(before)-len(now)))
	}
	return err
}
