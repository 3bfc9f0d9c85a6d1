package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/sandbox/allow"
	"hindsql/internal/sqltext"
)

// allowed refuses a statement that a worker may not run.
func (s *connection) allowed(ctx context.Context, p sqltext.Statement) error {
	if s.rules == nil {
		return nil
	}
	return s.rules.check(ctx, s.conn, p)
}

// check lets DuckDB's parser take the statement apart, without running the statement,
// and checks the names in the result.
func (i *inside) check(ctx context.Context, conn *sql.Conn, p sqltext.Statement) error {
	statement := p.Text[explained(p.Text):]
	var tree string
	err := conn.QueryRowContext(ctx, "SELECT json_serialize_sql(?::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)::VARCHAR", statement).Scan(&tree)
	if err != nil {
		return sqlError(ctx, err)
	}
	err = allow.Check([]byte(tree), i.names)
	skipped := len(p.Text) - len(statement)
	var wrong *allow.NotParsed
	if errors.As(err, &wrong) {
		return placed(&Error{Kind: "parser", Message: wrong.Message}, p, skipped, wrong.Position)
	}
	var misspelt *allow.Misspelt
	if errors.As(err, &misspelt) { // as DuckDB says it outside of the sandbox
		e := &Error{Kind: "catalog", Message: misspelt.Error(), Hint: fmt.Sprintf("Did you mean %q?", misspelt.Alike), Missing: MissingTable}
		return placed(e, p, skipped, misspelt.Position)
	}
	return err
}

// explained returns where the statement inside an EXPLAIN begins; 0 if text isn't an
// EXPLAIN.
func explained(text string) int {
	code := sqltext.CodeOf(text)
	for code.Skip("(") {
	}
	if !code.Skip("explain") {
		return 0
	}
	code.Skip("analyze")
	if options := code; options.Skip("(", "analyze") || options.Skip("(", "format") {
		for options.At(0).Word() == "," || options.At(0).Kind == sqltext.Word || options.At(0).Kind == sqltext.String {
			options = options[1:]
		}
		if options.Skip(")") {
			code = options
		}
	}
	if len(code) == 0 {
		return len(text)
	}
	return code[0].At
}

// placed gives an error a place in the user's text. skipped is the number of bytes of
// the statement before the text that the parser saw, position the place there.
func placed(e *Error, p sqltext.Statement, skipped int, position string) *Error {
	at, err := strconv.Atoi(position)
	at += len(p.Before) + skipped
	text := p.Before + p.Text
	if err != nil || at > len(text) {
		return e
	}
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	e.Line, e.Column = strings.Count(text[:at], "\n")+1, utf8.RuneCountInString(text[begin:at])+1
	prefix := fmt.Sprintf("LINE %d: ", e.Line)
	e.Snippet = prefix + line + "\n" + strings.Repeat(" ", len(prefix)+e.Column-1) + "^"
	return e
}

// mostRows returns the most rows that a result may have; 0 without a bound.
func (s *connection) mostRows() int64 {
	if s.rules == nil {
		return 0
	}
	return s.rules.bounds.Rows
}

// limit returns a LIMIT of one row above the bound; empty without a bound. DuckDB keeps
// a result whole, outside its memory limit.
func (s *connection) limit() string {
	if most := s.mostRows(); most > 0 {
		return fmt.Sprintf(" LIMIT %d", most+1)
	}
	return ""
}

func tooMany(most int64) error {
	return &Limit{What: "rows", Bound: strconv.FormatInt(most, 10), safe: true}
}

// fewRecords reads the records of a result, up to the bound of rows.
type fewRecords struct {
	array.RecordReader
	most, seen int64
	err        error
}

// Next moves to the next batch; false after the bound.
func (f *fewRecords) Next() bool {
	if f.err != nil || !f.RecordReader.Next() {
		return false
	}
	if f.seen += f.RecordBatch().NumRows(); f.most > 0 && f.seen > f.most {
		f.err = tooMany(f.most)
		return false
	}
	return true
}

// Err returns the error of the reader or of the bound.
func (f *fewRecords) Err() error {
	if f.err != nil {
		return f.err
	}
	return f.RecordReader.Err()
}
