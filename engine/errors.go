package engine

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"hindsql/engine/store"
	"hindsql/internal/pattern"
)

// Errors of the store's file. Package store says when each occurs.
type (
	Held       = store.Held
	Busy       = store.Busy
	OtherBuild = store.OtherBuild
	NotAStore  = store.NotAStore
	Damaged    = store.Damaged
	Unwritable = store.Unwritable
)

// Error is an error in the user's SQL.
type Error struct {
	Kind    string // DuckDB's name in lower case: parser, binder, catalog, conversion …
	Message string // the first paragraph, without the kind
	Hint    string // DuckDB's advice; may be empty
	Missing string // kind of a name that DuckDB doesn't find: MissingTable, MissingColumn, or empty
	Snippet string // the line of SQL, with a caret below; may be empty
	Damaged bool   // the store's bytes are damaged, see [Damaged]
	Line    int    // 1-based; 0 when DuckDB names no place
	Column  int    // 1-based, in characters; 0 when DuckDB names no place, or shows the end of a long line only
}

// Kinds of names that a statement uses and DuckDB doesn't find.
const (
	MissingTable  = "table"
	MissingColumn = "column"
)

// Error gives the message, the place and the hint, a line or more each.
func (e *Error) Error() string {
	text := e.Kind + " error: " + e.Message
	for _, more := range []string{e.Snippet, e.Hint} {
		if more != "" {
			text += "\n" + more
		}
	}
	return text
}

var (
	kindOfError = pattern.Lazy(`^([A-Z][A-Za-z ]*?) Error: `)
	placeOfSQL  = pattern.Lazy(`(?m)^LINE (\d+): .*\n *\^`)
)

// sqlError turns DuckDB's message into an Error. A cancelled statement gives the
// context's error.
func sqlError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text := strings.TrimSpace(err.Error())
	kind := kindOfError.FindStringSubmatch(text)
	if kind == nil {
		return err
	}
	e := &Error{Kind: strings.ToLower(kind[1])}
	text = text[len(kind[0]):]
	if e.Kind == "interrupt" {
		return errors.Join(context.Canceled, err)
	}
	if at := placeOfSQL.FindStringSubmatchIndex(text); at != nil {
		e.Snippet = text[at[0]:at[1]]
		e.Line, _ = strconv.Atoi(text[at[2]:at[3]])
		prefix := len("LINE : ") + at[3] - at[2]
		_, caret, _ := strings.Cut(e.Snippet, "\n")
		if !strings.HasPrefix(e.Snippet[prefix:], "...") {
			e.Column = max(1, len(caret)-prefix)
		}
		text = text[:at[0]] + text[at[1]:]
	}
	message, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if e.Message, e.Hint = message, strings.TrimSpace(rest); store.IsDamage(err, false) {
		e.Damaged, e.Hint = true, ""
	}
	switch {
	case e.Kind == "catalog" && strings.Contains(message, "Table with name"):
		e.Missing = MissingTable
	case strings.Contains(message, "Referenced column"):
		e.Missing = MissingColumn
	}
	if strings.Contains(message, `column "is_inferred" not found`) {
		e.Hint = "the tables hold nothing that is only inferred; with_copies.rejections and its like hold it, and have is_inferred"
	}
	if strings.Contains(message, `column "is_copy" not found`) {
		// The tables once held copies, and every counting query left the copies out.
		e.Hint = "the tables hold no copies; with_copies.messages and its like hold them, and have is_copy"
	}
	return e
}

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

// moveUp corrects the line number in an error. It subtracts the number of lines that
// hindsql put before the user's SQL.
func moveUp(err error, lines int) error {
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

// IsOpenToOthers reports whether other users may change the store at a path; see
// [store.File.IsOpenToOthers].
func IsOpenToOthers(path string) bool { return store.File{Path: path}.IsOpenToOthers() }
