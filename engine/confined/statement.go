package confined

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"hindsql/engine/duck"
	"hindsql/engine/sandbox"
	"hindsql/engine/sandbox/allow"
	"hindsql/engine/sqlerror"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// running is a stranger's statement. Its rows wait until the safe Store asks for more.
type running struct {
	parts  chan produced
	cancel context.CancelFunc
}

// produced is one message of a statement's rows. The first message holds the columns.
type produced struct {
	startReply
	rows []byte
}

// start runs a statement and returns its columns and first rows.
func (w *server) start(ctx context.Context, b startRequest) (any, []byte, error) {
	life, cancel := context.WithCancel(context.WithValue(context.Background(), statementKey{}, b.ID))
	r := &running{parts: make(chan produced), cancel: cancel}
	w.mutex.Lock()
	w.running[b.ID] = r
	w.mutex.Unlock()
	go func() {
		defer close(r.parts)
		defer w.stop(b.ID)
		if err := w.run(life, b, r); err != nil {
			select {
			case r.parts <- produced{startReply: startReply{rowsReply: rowsReply{End: true, Wrong: encodeError(err)}}}:
			case <-life.Done():
			}
		}
	}()
	p := w.await(ctx, r)
	return p.startReply, p.rows, nil
}

// next returns more rows.
func (w *server) next(ctx context.Context, id uint64) (any, []byte, error) {
	w.mutex.Lock()
	r := w.running[id]
	w.mutex.Unlock()
	if r == nil {
		return rowsReply{End: true, Wrong: encodeError(context.Canceled)}, nil, nil
	}
	p := w.await(ctx, r)
	return p.rowsReply, p.rows, nil
}

// await waits for a statement's next message. If the caller stops waiting, await ends
// the statement.
func (w *server) await(ctx context.Context, r *running) produced {
	defer context.AfterFunc(ctx, r.cancel)()
	p, ok := <-r.parts
	if !ok {
		p.End, p.Wrong = true, encodeError(context.Canceled)
	}
	return p
}

// stop ends a statement.
func (w *server) stop(id uint64) {
	w.mutex.Lock()
	r := w.running[id]
	delete(w.running, id)
	w.mutex.Unlock()
	if r != nil {
		r.cancel()
	}
}

func (w *server) run(ctx context.Context, b startRequest, r *running) error {
	s, err := w.session(ctx, b.Session)
	if err != nil {
		return err
	}
	args := map[string]any{}
	for _, a := range b.Arguments {
		if args[a.Name], err = a.Value(); err != nil {
			return err
		}
	}
	var lacks columnSet
	ctx = context.WithValue(duck.Within(ctx, b.Time), lacksKey{}, &lacks)
	give := func(p produced) error {
		select {
		case r.parts <- p:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	most := w.bounds.Rows
	c := duck.Cast{Column: sandbox.Cast}
	if b.Handed {
		c.Column = sandbox.CastForArrow
	}
	if most > 0 { // DuckDB keeps a result whole, outside its memory limit
		c.Limit = fmt.Sprintf(" LIMIT %d", most+1)
	}
	if b.Page != (duck.Page{}) {
		c.Limit = fmt.Sprintf(" LIMIT %d OFFSET %d", b.Page.Rows, b.Page.Offset)
	}
	p := sqltext.Statement{Text: b.Text, Before: b.Before}
	err = s.Carry(ctx, p, args, c, func(columns []result.Column, records array.RecordReader, rest func(func() error) error) error {
		few := &fewRecords{RecordReader: records, most: most}
		return sendAll(few, columns, func(p produced) error { return rest(func() error { return give(p) }) })
	})
	if len(lacks) > 0 {
		return give(produced{startReply: startReply{Lacks: lacks, rowsReply: rowsReply{End: true}}})
	}
	return w.asLimit(err)
}

// sendAll passes the rows of a result to give, some at a time. The first message holds the
// columns, and the last message is marked as the end. An empty result, too, is sent as
// a message with columns.
func sendAll(records array.RecordReader, columns []result.Column, give func(produced) error) error {
	var kept []byte // until sendAll knows whether more rows come
	send := func(message []byte, end bool) error {
		p := produced{startReply{Columns: columns, rowsReply: rowsReply{End: end}}, message}
		columns = nil
		return give(p)
	}
	err := sandbox.EncodeAll(records, sandbox.MostMessage, func(message []byte) (err error) {
		if kept != nil {
			err = send(kept, false)
		}
		kept = message
		return err
	})
	if err == nil && kept == nil {
		kept, err = noRows(records.Schema())
	}
	if err != nil {
		return err
	}
	return send(kept, true)
}

func noRows(schema *arrow.Schema) ([]byte, error) {
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	messages, err := sandbox.Encode([]arrow.RecordBatch{builder.NewRecordBatch()}, 0)
	if err != nil {
		return nil, err
	}
	return messages[0], nil
}

// Check is of [duck.Rules]. It lets DuckDB's parser take the statement apart, without
// running the statement, and checks the names in the result.
func (s *session) Check(ctx context.Context, conn *sql.Conn, p sqltext.Statement) error {
	statement := p.Text[explainedAt(p.Text):]
	var tree string
	err := conn.QueryRowContext(ctx, "SELECT json_serialize_sql(?::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)::VARCHAR", statement).Scan(&tree)
	if err != nil {
		return duck.ErrorOf(ctx, err)
	}
	err = allow.Check([]byte(tree), s.w.names)
	skipped := len(p.Text) - len(statement)
	var wrong *allow.NotParsed
	if errors.As(err, &wrong) {
		return placeError(&sqlerror.Error{Kind: "parser", Message: wrong.Message}, p, skipped, wrong.Position)
	}
	var misspelt *allow.Misspelt
	if errors.As(err, &misspelt) { // as DuckDB says it outside of the sandbox
		e := &sqlerror.Error{Kind: "catalog", Message: misspelt.Error(), Hint: fmt.Sprintf("Did you mean %q?", misspelt.Alike), Missing: sqlerror.MissingTable}
		return placeError(e, p, skipped, misspelt.Position)
	}
	return err
}

// explainedAt returns where the statement inside an EXPLAIN begins; 0 if text isn't an
// EXPLAIN.
func explainedAt(text string) int {
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

// placeError gives an error a place in the user's text. skipped is the number of bytes of
// the statement before the text that the parser saw, position the place there.
func placeError(e *sqlerror.Error, p sqltext.Statement, skipped int, position string) *sqlerror.Error {
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

func tooMany(most int64) error {
	return &duck.Limit{What: "rows", Bound: strconv.FormatInt(most, 10), Safe: true}
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
