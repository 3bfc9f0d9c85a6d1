package tables

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// flushBytes is the size of a table's texts, in bytes, at which its rows become a
// finished record batch: well under the 2 GiB limit of an Arrow string column.
const flushBytes = 64 << 20

// columnRows is the number of rows whose values go into a column at a time. More rows
// are hardly faster, and their texts could exceed the limit before a flush.
const columnRows = 16

// rowTable is a table with functions to append rows.
type rowTable[R any] struct {
	*Table
	columns []column[R]
}

func newRowTable[R any](t Table, columns []column[R]) rowTable[R] {
	t.Columns = make([]Column, 0, len(columns))
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
		if c.long {
			t.long = append(t.long, c.Name)
		}
	}
	return rowTable[R]{&t, columns}
}

// append appends rows, columnRows at a time.
func (s rowTable[R]) append(b *Batch, rows ...*R) {
	if len(rows) == 0 {
		return
	}
	w := b.writer(s.Table)
	for some := range slices.Chunk(rows, columnRows) {
		for i, c := range s.columns {
			if c.put == nil {
				w.columns[i].base().skip(len(some))
			} else {
				c.put(w.columns[i], some)
			}
		}
		if w.rows += len(some); w.bytes() > flushBytes {
			w.flush()
		}
	}
}

// Batch gathers rows of many files. It is not for concurrent use. Release it
// after use.
type Batch struct {
	mem      memory.Allocator
	writers  map[*Table]*writer
	sources  []int64
	problems int64
}

type writer struct {
	mem     memory.Allocator
	schema  *arrow.Schema
	columns []vector
	rows    int
	done    []arrow.RecordBatch
}

// NewBatch returns an empty batch with buffers from mem. nil means the Go heap.
func NewBatch(mem memory.Allocator) *Batch {
	if mem == nil {
		mem = memory.NewGoAllocator()
	}
	return &Batch{mem: mem, writers: map[*Table]*writer{}}
}

// Sources returns the ids of the batch's files in the order of appending.
func (b *Batch) Sources() []int64 { return b.sources }

// Tables returns the tables with rows in the batch.
func (b *Batch) Tables() []*Table { return slices.Collect(maps.Keys(b.writers)) }

// Empty reports whether the batch has no rows.
func (b *Batch) Empty() bool { return len(b.writers) == 0 }

// Problems returns the number of rows for table problems.
func (b *Batch) Problems() int64 { return b.problems }

// Records finishes and returns the rows of a loaded table. The batch still owns the
// records.
func (b *Batch) Records(t *Table) []arrow.RecordBatch {
	w := b.writers[t]
	if w == nil {
		return nil
	}
	w.flush()
	return w.done
}

// MoveSmallTables moves the tables with fewer than fewerThan rows from batch from to b.
// The source ids stay with from.
func (b *Batch) MoveSmallTables(from *Batch, fewerThan int) {
	for t, w := range from.writers {
		if len(w.done) == 0 && w.rows < fewerThan {
			b.writers[t] = w
			delete(from.writers, t)
		}
	}
}

// Release frees the buffers. Afterwards the batch is empty and ready for more rows.
func (b *Batch) Release() {
	for _, w := range b.writers {
		for _, r := range w.done {
			r.Release()
		}
		for _, v := range w.columns {
			v.finish().Release()
		}
	}
	clear(b.writers)
	b.sources, b.problems = b.sources[:0], 0
}

func (b *Batch) writer(t *Table) *writer {
	w := b.writers[t]
	if w == nil {
		w = &writer{mem: b.mem, schema: t.Schema()}
		for _, f := range w.schema.Fields() {
			w.columns = append(w.columns, newVector(f.Type, b.mem))
		}
		b.writers[t] = w
	}
	return w
}

// flush makes a record batch of the rows.
func (w *writer) flush() {
	if w.rows == 0 {
		return
	}
	zeros := newGrowBuffer[byte](w.mem)
	zeros.extend((w.rows+1)*rowBytes, 0)
	shared := zeros.detach()
	defer shared.Release()
	arrays := make([]arrow.Array, len(w.columns))
	for i, v := range w.columns {
		var data arrow.ArrayData
		if n := v.base(); n.written > 0 {
			data = v.finish()
		} else {
			data = n.nullData(shared, w.mem)
		}
		arrays[i] = array.MakeFromData(data)
		data.Release()
	}
	w.done = append(w.done, array.NewRecordBatch(w.schema, arrays, int64(w.rows)))
	for _, a := range arrays {
		a.Release()
	}
	w.rows = 0
}

// bytes returns the size of the rows' texts.
func (w *writer) bytes() (n int) {
	for _, v := range w.columns {
		if texts, ok := v.(*textVector); ok {
			n += len(texts.bytes.items)
		}
	}
	return n
}

// Join ends the file and joins its events. If a bug in hindsql makes the join panic,
// Join returns an error, and the file keeps no sessions or rows of sessions.
func (f *File) Join() (err error) {
	if f.joined {
		return nil
	}
	f.joined = true
	defer func() {
		if p := recover(); p != nil {
			f.sessions, f.clears = nil, nil
			err = fmt.Errorf("joining its events panicked: %v; please report it: %.600s", p, debug.Stack())
		}
	}()
	for _, s := range f.sessions {
		s.checkNumbers()
		s.join()
	}
	return nil
}

// AppendTo appends the file's rows to b. It calls Join first if no caller has.
func (f *File) AppendTo(b *Batch) {
	if err := f.Join(); err != nil {
		f.Emit(&Problem{What: err.Error()})
	}
	if f.hasForgotten {
		forgottenLogs.append(b, f)
	}
	if f.isForgotten {
		b.sources = append(b.sources, f.id)
		return
	}
	messageCount := 0
	for _, s := range f.sessions {
		s.appendTo(b)
		messageCount += len(s.messages)
	}
	appendAll(prompts, b, f, f.prompts)
	appendAll(problems, b, f, f.problems)
	appendAll(lineNumbers, b, f, f.numbers)
	appendAll(fileKinds, b, f, f.kinds)
	appendAll(fileFields, b, f, f.fields)
	appendAll(neighbours, b, f, f.neighbours)
	appendAll(sessionNotes, b, f, f.sessionNotes)
	appendAll(projectNotes, b, f, f.projectNotes)
	appendAll(approvals, b, f, f.approvals)
	f.appendOwn(b)
	clearMarks.append(b, f.clears...)
	sources.append(b, &sourceRow{f, messageCount})
	b.sources = append(b.sources, f.id)
	b.problems += int64(len(f.problems))
}

func (s *session) appendTo(b *Batch) {
	sessions.append(b, s)
	if s.ForkedFrom != "" {
		forkMarks.append(b, s)
	}
	if s.Continues != "" {
		continuations.append(b, s)
	}
	messages.append(b, s.messages...)
	toolCalls.append(b, s.calls...)
	rejections.append(b, s.rejections...)
	interruptions.append(b, s.interruptions...)
	compactions.append(b, s.compactions...)
	looseResults.append(b, looseResultsOf(s)...)
}

// inFile is an event of the whole file, with the file.
type inFile[E any] struct {
	f *File
	e *E
}

func appendAll[E any](s rowTable[inFile[E]], b *Batch, f *File, events []*E) {
	for _, e := range events {
		s.append(b, &inFile[E]{f, e})
	}
}

// Row is a row read from a batch: values by column name, without nulls. A value is a
// string (VARCHAR and JSON), an int64 (BIGINT and INTEGER), a float64, a bool, a
// time.Time in UTC, an []int64 (INTEGER[]), a []string (VARCHAR[]), or a []Row (a list
// of structs).
type Row map[string]any

// Rows finishes the rows of a loaded table and returns them in the order of appending.
// Rows is for tests and for a handful of rows, because each row is a map.
func (b *Batch) Rows(t *Table) []Row {
	var rows []Row
	for _, record := range b.Records(t) {
		for i := range int(record.NumRows()) {
			row := Row{}
			for c, column := range t.Columns {
				if values := record.Column(c); !values.IsNull(i) {
					row[column.Name] = cell(values, i)
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func cell(values arrow.Array, i int) any {
	switch v := values.(type) {
	case *array.String:
		return v.Value(i)
	case *array.Int64:
		return v.Value(i)
	case *array.Int32:
		return int64(v.Value(i))
	case *array.Float64:
		return v.Value(i)
	case *array.Boolean:
		return v.Value(i)
	case *array.Timestamp:
		return v.Value(i).ToTime(arrow.Microsecond)
	case *array.Struct:
		return fieldsOf(v, i)
	case *array.List:
		from, to := v.ValueOffsets(i)
		if texts, ok := v.ListValues().(*array.String); ok {
			list := make([]string, 0, to-from)
			for at := from; at < to; at++ {
				list = append(list, texts.Value(int(at)))
			}
			return list
		}
		if structs, ok := v.ListValues().(*array.Struct); ok {
			list := make([]Row, 0, to-from)
			for at := from; at < to; at++ {
				list = append(list, fieldsOf(structs, int(at)))
			}
			return list
		}
		list := make([]int64, 0, to-from)
		for _, n := range v.ListValues().(*array.Int32).Int32Values()[from:to] {
			list = append(list, int64(n))
		}
		return list
	}
	panic("tables: no Go value for Arrow's " + values.DataType().String())
}

// fieldsOf returns a struct's fields by name, without nulls.
func fieldsOf(structs *array.Struct, i int) Row {
	row := Row{}
	for f, field := range structs.DataType().(*arrow.StructType).Fields() {
		if values := structs.Field(f); !values.IsNull(i) {
			row[field.Name] = cell(values, i)
		}
	}
	return row
}
