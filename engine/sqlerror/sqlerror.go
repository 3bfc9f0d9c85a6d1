// Package sqlerror reads DuckDB's texts of errors.
//
// In: an error of a statement. Out: an [Error] with its kind, its place and DuckDB's
// advice, and without DuckDB's stack; or the fact that the DuckDB is broken, and runs no
// other statement.
package sqlerror

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"hindsql/engine/store"
	"hindsql/internal/pattern"
)

// Error is an error in the user's SQL.
type Error struct {
	Kind    string // DuckDB's name in lower case: parser, binder, catalog, conversion …
	Message string // the first paragraph, without the kind
	Hint    string // DuckDB's advice; may be empty
	Missing string // kind of a name that DuckDB doesn't find: MissingTable, MissingColumn, or empty
	Snippet string // the line of SQL, with a caret below; may be empty
	Broken  bool   // DuckDB failed, and refuses every other statement until it starts anew
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

// Parse turns DuckDB's message into an Error. A cancelled statement gives the
// context's error.
func Parse(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if IsFatal(err) {
		return brokenError(err)
	}
	text := textOf(err)
	if message, found := strings.CutPrefix(text, ours); found {
		return errors.New(message)
	}
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

// ShiftLines corrects the line number in an error. It subtracts the number of lines that
// hindsql put before the user's SQL.
func ShiftLines(err error, lines int) error {
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

// broken matches DuckDB's errors after which the same DuckDB refuses every statement.
// While DuckDB turns rows into Arrow, its error is JSON.
var broken = pattern.Lazy(`^(?:INTERNAL|FATAL) Error: |^\{"exception_type":"(?:INTERNAL|FATAL)"|database has been invalidated`)

// IsFatal reports whether a statement's error, or an earlier error, broke the DuckDB: the
// same DuckDB refuses every later statement.
func IsFatal(err error) bool {
	var wrong *Error
	return err != nil && (errors.As(err, &wrong) && wrong.Broken || broken.MatchString(driverless(err)))
}

// brokenError is the error of a statement that broke its DuckDB, or came after.
func brokenError(err error) *Error {
	e := &Error{Kind: "internal", Message: Cause(err), Broken: true, Damaged: store.IsDamage(err, false)}
	if !e.Damaged {
		e.Hint = "DuckDB failed in this statement, and starts anew: temporary tables, variables and settings of the session are gone; ask in another way"
	}
	return e
}

// driver matches texts of duckdb-go in front of DuckDB's error.
var driver = pattern.Lazy(`^failed to create arrow array: `)

// ours is what DuckDB puts in front of an error of a function written in Go.
const ours = "Invalid Input Error: database/sql/driver: API error: "

func driverless(err error) string {
	text := strings.TrimSpace(err.Error())
	return strings.TrimPrefix(text, driver.FindString(text))
}

var (
	original = pattern.Lazy(`(?s)Original error: "(.*?)"?$`)
	stack    = pattern.Lazy(`(?s)\s*(?:Stack Trace:|This error signals an assertion failure within DuckDB).*`)
)

// textOf returns DuckDB's text of an error. It takes away the stack, which has addresses
// of libraries and the program's path, and turns JSON into DuckDB's usual text.
func textOf(err error) string {
	text := driverless(err)
	var given struct {
		Kind    string `json:"exception_type"`
		Message string `json:"exception_message"`
	}
	if strings.HasPrefix(text, `{"exception_type"`) && json.NewDecoder(strings.NewReader(text)).Decode(&given) == nil {
		text = given.Kind + " Error: " + given.Message
	}
	return strings.TrimSpace(stack.ReplaceAllString(text, ""))
}

// Cause returns the message of the error that broke a DuckDB, without its kind. DuckDB
// repeats the message in its later errors.
func Cause(err error) string {
	text := textOf(err)
	if first := original.FindStringSubmatch(text); first != nil {
		text = first[1]
	}
	message, _, _ := strings.Cut(strings.TrimPrefix(text, kindOfError.FindString(text)), "\n")
	return message
}
