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

// allowed refuses a statement that a worker doesn't run.
func (s *connection) allowed(ctx context.Context, p sqltext.Statement) error {
	if s.rules == nil {
		return nil
	}
	return s.rules.check(ctx, s.conn, p)
}

// check has DuckDB's parser take the statement apart, which runs nothing, and
// looks at what it names.
func (i *inside) check(ctx context.Context, conn *sql.Conn, p sqltext.Statement) error {
	statement := p.Text[explained(p.Text):]
	var tree string
	err := conn.QueryRowContext(ctx, "SELECT json_serialize_sql(?::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)::VARCHAR", statement).Scan(&tree)
	if err != nil {
		return sqlError(ctx, err)
	}
	err = allow.Check([]byte(tree), i.names)
	var wrong *allow.NotParsed
	if errors.As(err, &wrong) {
		return parserError(p, len(p.Text)-len(statement), wrong)
	}
	return err
}

// explained is where the statement of an EXPLAIN begins; 0 for another one.
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

// parserError gives DuckDB's error a place in the text, of whose statement the
// parser saw what follows skipped bytes.
func parserError(p sqltext.Statement, skipped int, wrong *allow.NotParsed) *Error {
	e := &Error{Kind: "parser", Message: wrong.Message}
	at, err := strconv.Atoi(wrong.Position)
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

// mostRows is the bound of a result's rows; 0 for none.
func (s *connection) mostRows() int64 {
	if s.rules == nil {
		return 0
	}
	return s.rules.bounds.Rows
}

// limit ends a query with one row above the bound: DuckDB keeps a result whole,
// outside the limit of its memory. It is empty where there is no bound.
func (s *connection) limit() string {
	if most := s.mostRows(); most > 0 {
		return fmt.Sprintf(" LIMIT %d", most+1)
	}
	return ""
}

func tooMany(most int64) error {
	return &Limit{What: "rows", Bound: strconv.FormatInt(most, 10), safe: true}
}

// fewRecords are the records of a result, as far as the bound of its rows.
type fewRecords struct {
	array.RecordReader
	most, seen int64
	err        error
}

// Next moves to the next batch; false behind the bound.
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

// Err is the reader's, or that of the bound.
func (f *fewRecords) Err() error {
	if f.err != nil {
		return f.err
	}
	return f.RecordReader.Err()
}
