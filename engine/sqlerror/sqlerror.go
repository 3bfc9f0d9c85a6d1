// Package sqlerror reads DuckDB's texts of errors.
//
// In: an error of a statement. Out: an [Error] with its kind, its place and DuckDB's
// advice, and without DuckDB's stack; or the fact that the DuckDB is broken, and runs no
// other statement.
package sqlerror

import (
	"context"
	"errors"
	"strconv"
	"strings"

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

// Of turns DuckDB's message into an Error. A cancelled statement gives the
// context's error.
func Of(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if Broke(err) {
		return brokenError(err)
	}
	text := Words(err)
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
