package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/sandbox"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// copy hands columns of a table's rows to the worker, as Arrow.
func (c *copying) copy(ctx context.Context, t *tables.Table, condition string) error {
	var columns []string
	for _, column := range columnsIn(t, c.wanted[t.Name]) {
		name := sqltext.Identifier(column.Name)
		if c.bounds.Redact != nil {
			name = Redacted(name, column.Type)
		}
		columns = append(columns, name)
	}
	statement := fmt.Sprintf("SELECT %s FROM %s.%s WHERE %s", strings.Join(columns, ", "), StoreSchema, t.Name, condition)
	return c.from.s.records(ctx, statement, nil, func(r array.RecordReader) error {
		h := handing{c: c, ctx: ctx, to: t.Name}
		for r.Next() {
			if err := h.add(r.RecordBatch()); err != nil {
				return errors.Join(err, h.wait())
			}
		}
		if err := r.Err(); err != nil {
			return errors.Join(err, h.wait())
		}
		return h.flush()
	})
}

// handing sends rows to the worker in messages. The worker inserts the rows of a
// message while the next message is made.
type handing struct {
	c       *copying
	ctx     context.Context
	to      string // the table
	batches []arrow.RecordBatch
	size    int
	on      chan error // error of the running insertion; nil if no insertion runs
}

// handedBytes is the size of a message.
const handedBytes = 2 << 20

func (h *handing) add(batch arrow.RecordBatch) error {
	batch.Retain()
	h.batches, h.size = append(h.batches, batch), h.size+sandbox.Size(batch)
	if h.size < handedBytes {
		return nil
	}
	return h.send()
}

func (h *handing) send() error {
	messages, err := sandbox.Encode(h.batches, 0)
	for _, b := range h.batches {
		b.Release()
	}
	h.c.moved += int64(h.size)
	h.batches, h.size = nil, 0
	if err := cmp.Or(err, h.wait()); err != nil {
		return err
	}
	h.on = make(chan error, 1)
	go func(on chan error) { on <- h.c.w.do(h.ctx, callInsert, h.to, messages[0]) }(h.on)
	return nil
}

// wait waits for the running insertion.
func (h *handing) wait() error {
	if h.on == nil {
		return nil
	}
	on := h.on
	h.on = nil
	return <-on
}

// flush sends the last rows, and waits until the worker has inserted them.
func (h *handing) flush() error {
	if len(h.batches) > 0 {
		if err := h.send(); err != nil {
			return err
		}
	}
	return h.wait()
}
