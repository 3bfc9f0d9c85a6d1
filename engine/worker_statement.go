package engine

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"hindsql/engine/sandbox"
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
	begun
	rows []byte
}

// start runs a statement and returns its columns and first rows.
func (w *worker) start(ctx context.Context, b beginning) (any, []byte, error) {
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
			case r.parts <- produced{begun: begun{part: part{End: true, Wrong: wrongOf(err)}}}:
			case <-life.Done():
			}
		}
	}()
	p := w.await(ctx, r)
	return p.begun, p.rows, nil
}

// next returns more rows.
func (w *worker) next(ctx context.Context, id uint64) (any, []byte, error) {
	w.mutex.Lock()
	r := w.running[id]
	w.mutex.Unlock()
	if r == nil {
		return part{End: true, Wrong: wrongOf(context.Canceled)}, nil, nil
	}
	p := w.await(ctx, r)
	return p.part, p.rows, nil
}

// await waits for a statement's next message. If the caller stops waiting, await ends
// the statement.
func (w *worker) await(ctx context.Context, r *running) produced {
	defer context.AfterFunc(ctx, r.cancel)()
	p, ok := <-r.parts
	if !ok {
		p.End, p.Wrong = true, wrongOf(context.Canceled)
	}
	return p
}

// stop ends a statement.
func (w *worker) stop(id uint64) {
	w.mutex.Lock()
	r := w.running[id]
	delete(w.running, id)
	w.mutex.Unlock()
	if r != nil {
		r.cancel()
	}
}

func (w *worker) run(ctx context.Context, b beginning, r *running) error {
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
	ctx = Within(ctx, b.Time)
	give := func(p produced) error {
		select {
		case r.parts <- p:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err = s.statement(ctx, sqltext.Statement{Text: b.Text, Before: b.Before}, func(statement string) error {
		lacks, err := w.lacks(ctx, s, statement, args)
		switch {
		case err != nil:
			return err
		case len(lacks) > 0:
			return give(produced{begun: begun{Lacks: lacks, part: part{End: true}}})
		}
		return s.carry(ctx, statement, args, b, give)
	})
	return s.rules.met(err)
}

// carry runs a statement and passes its rows to give in messages.
func (s *connection) carry(ctx context.Context, statement string, args map[string]any, b beginning, give func(produced) error) error {
	ctx, clock := s.clocked(ctx)
	defer clock.end()
	names, values, err := s.values(ctx, statement, args)
	if err != nil {
		return clock.met(err)
	}
	named := make([]any, len(values))
	for i, v := range values {
		named[i] = sql.Named(names[i], v)
	}
	run, columns := s.carried(ctx, statement, named, b)
	above := 0 // lines that hindsql put above the user's
	if run != statement {
		above = 1
	}
	err = s.records(ctx, run, values, func(records array.RecordReader) error {
		if columns == nil {
			columns = columnsOfSchema(records.Schema())
		}
		few := &fewRecords{RecordReader: records, most: s.mostRows()}
		return pour(few, columns, func(p produced) error {
			clock.rest()
			defer clock.run()
			return give(p)
		})
	})
	return clock.met(sqlerror.MoveUp(err, above))
}

// shows are the first words of statements that aren't queries but can stand in a query.
var shows = heads{"describe", "desc", "show", "summarize"}

// carried returns a query whose values Arrow can carry, limited by the bound of rows or
// to the page, and the columns of the original query.
func (s *connection) carried(ctx context.Context, statement string, bound []any, b beginning) (string, []result.Column) {
	if !selects.begin(statement) && !shows.begin(statement) {
		return statement, nil
	}
	from := statement
	if !selects.begin(statement) {
		from = "SELECT * FROM (" + statement + ")"
	}
	columns := s.describe(ctx, from, bound)
	if len(columns) == 0 {
		return statement, nil
	}
	cast := sandbox.Cast
	if b.Handed {
		cast = sandbox.CastForArrow
	}
	limit := s.limit()
	if b.Page != (Page{}) {
		limit = fmt.Sprintf(" LIMIT %d OFFSET %d", b.Page.Rows, b.Page.Offset)
	}
	return sandbox.Selection("\n"+statement, columns, cast) + limit, columns
}

// pour passes the rows of a result to give, some at a time. The first message holds the
// columns, and the last message is marked as the end. An empty result, too, is sent as
// a message with columns.
func pour(records array.RecordReader, columns []result.Column, give func(produced) error) error {
	var kept []byte // until pour knows whether more rows come
	send := func(message []byte, end bool) error {
		p := produced{begun{Columns: columns, part: part{End: end}}, message}
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

// columnsOfSchema returns the columns of a statement that can't stand in a query, such
// as EXPLAIN.
func columnsOfSchema(schema *arrow.Schema) (columns []result.Column) {
	for _, f := range schema.Fields() {
		columns = append(columns, result.Column{Name: f.Name, Type: "VARCHAR"})
	}
	return columns
}
