package sandbox

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const (
	// MostMessage is the largest message of rows accepted from a worker, in bytes. The
	// rest of a frame is for its head.
	MostMessage = longestFrame - 64<<10
	// mostValues is the most values, including inner values, in a message from a
	// worker. A value of one bit may become 16 bytes.
	mostValues = 16 << 20
	// enough is the size of a message that waits for no more rows, in bytes.
	enough = 1 << 20
)

// EncodeAll sends the rows of a reader as messages. A message has about a megabyte if
// rows are small, and never more than most bytes.
func EncodeAll(records array.RecordReader, most int, send func(message []byte) error) error {
	for more := true; more; {
		var batches []arrow.RecordBatch
		for size := 0; size < enough; {
			if more = records.Next(); !more {
				break
			}
			batch := records.RecordBatch()
			batch.Retain()
			batches = append(batches, batch)
			size += BatchBytes(batch)
		}
		err := sendAll(batches, most, send)
		for _, batch := range batches {
			batch.Release()
		}
		if err != nil {
			return err
		}
	}
	return records.Err()
}

// Encode returns the rows of batches with the same columns as messages of at most limit
// bytes each. With 0, all rows go into one message. A message is an Arrow stream of its
// own. A row that doesn't fit is an error.
func Encode(batches []arrow.RecordBatch, limit int) (messages [][]byte, err error) {
	err = sendAll(batches, limit, func(message []byte) error {
		messages = append(messages, message)
		return nil
	})
	return messages, err
}

func sendAll(batches []arrow.RecordBatch, most int, send func([]byte) error) error {
	if len(batches) == 0 {
		return nil
	}
	size, err := sizeOf(batches)
	if err != nil {
		return err
	}
	if most <= 0 || size <= most && valuesOf(batches) <= mostValues {
		message, err := encode(batches, size)
		if err != nil {
			return err
		}
		return send(message)
	}
	if half := len(batches) / 2; half > 0 {
		if err := sendAll(batches[:half], most, send); err != nil {
			return err
		}
		return sendAll(batches[half:], most, send)
	}
	rows := batches[0].NumRows()
	if rows < 2 {
		return fmt.Errorf("a row of %d bytes is too large: %d at most; select less of it", size, most)
	}
	for _, ends := range [][2]int64{{0, rows / 2}, {rows / 2, rows}} {
		half := cut(batches[0], ends[0], ends[1])
		err := sendAll([]arrow.RecordBatch{half}, most, send)
		half.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// cut returns some rows of a batch.
func cut(batch arrow.RecordBatch, begin, end int64) arrow.RecordBatch {
	columns := batch.Columns()
	if slices.ContainsFunc(batch.Schema().Fields(), func(f arrow.Field) bool { return hasUnion(f.Type) }) {
		columns = slices.Clone(columns)
		for i, column := range columns {
			columns[i] = array.MakeFromData(padUnions(column.Data()))
		}
	}
	whole := array.NewRecordBatch(batch.Schema(), columns, batch.NumRows())
	defer whole.Release()
	return whole.NewSlice(begin, end)
}

// padUnions returns the same data with spare room after the unions' member numbers. For a
// part of a union, arrow-go v18.8.0 writes more numbers than the buffer has.
func padUnions(d arrow.ArrayData) arrow.ArrayData {
	if !hasUnion(d.DataType()) {
		return d
	}
	children, buffers := slices.Clone(d.Children()), slices.Clone(d.Buffers())
	for i, child := range children {
		children[i] = padUnions(child)
	}
	if _, ok := d.DataType().(arrow.UnionType); ok && buffers[1] != nil {
		const most = 64 // buffers are padded to this length
		room := append(make([]byte, 0, buffers[1].Len()+most), buffers[1].Bytes()...)
		buffers[1] = memory.NewBufferBytes(room)
	}
	return array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
}

func hasUnion(t arrow.DataType) bool {
	if _, ok := t.(arrow.UnionType); ok {
		return true
	}
	nested, ok := t.(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return hasUnion(f.Type) })
}

// encode writes batches into a buffer of the needed size.
func encode(batches []arrow.RecordBatch, size int) ([]byte, error) {
	to := &filled{make([]byte, 0, size)}
	err := write(to, batches)
	return to.bytes, err
}

// sizeOf returns the encoded size of batches without copying.
func sizeOf(batches []arrow.RecordBatch) (int, error) {
	var n counted
	err := write(&n, batches)
	return int(n), err
}

// BatchBytes returns the approximate size of a batch in bytes.
func BatchBytes(batch arrow.RecordBatch) (n int) {
	for _, column := range batch.Columns() {
		n += int(column.Data().SizeInBytes())
	}
	return n
}

func write(to io.Writer, batches []arrow.RecordBatch) error {
	w := ipc.NewWriter(to, ipc.WithSchema(batches[0].Schema()))
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

type counted int

// Write counts the bytes.
func (n *counted) Write(p []byte) (int, error) {
	*n += counted(len(p))
	return len(p), nil
}

type filled struct{ bytes []byte }

// Write appends the bytes.
func (f *filled) Write(p []byte) (int, error) {
	f.bytes = append(f.bytes, p...)
	return len(p), nil
}

func valuesOf(batches []arrow.RecordBatch) (n int) {
	for _, batch := range batches {
		for _, column := range batch.Columns() {
			n += valuesIn(column)
		}
	}
	return n
}

// valuesIn counts an array's values, including inner values.
func valuesIn(a arrow.Array) int {
	n := a.Len()
	switch a := a.(type) {
	case array.ListLike:
		if n > 0 {
			begin, _ := a.ValueOffsets(0)
			_, end := a.ValueOffsets(n - 1)
			inner := array.NewSlice(a.ListValues(), begin, max(begin, end))
			n += valuesIn(inner)
			inner.Release()
		}
	case *array.Struct:
		for i := range a.NumField() {
			n += valuesIn(a.Field(i))
		}
	case array.Union:
		for i := range a.NumFields() {
			n += valuesIn(a.Field(i))
		}
	}
	return n
}

// Decode reads a message from a worker. The batches share the message's bytes. Decode
// returns an error for anything that [Encode] doesn't write: oversized messages,
// compression, dictionaries, texts that aren't UTF-8.
func Decode(message []byte) (batches []arrow.RecordBatch, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			batches, err = nil, fmt.Errorf("a message of rows is damaged: %v", broken)
		}
	}()
	if len(message) > MostMessage {
		return nil, fmt.Errorf("a message of %d bytes is too large: %d at most", len(message), MostMessage)
	}
	if batches, err = read(message, &verifier{values: mostValues, tables: mostTables}); err != nil {
		return nil, err
	}
	for _, batch := range batches {
		if err := array.ValidateRecordFull(batch); err != nil {
			return nil, err
		}
	}
	return batches, nil
}

// DecodeTrusted reads a message from this program itself, without checks.
func DecodeTrusted(message []byte) ([]arrow.RecordBatch, error) { return read(message, nil) }

func read(message []byte, check *verifier) (batches []arrow.RecordBatch, err error) {
	r, err := ipc.NewReaderFromMessageReader(&parts{rest: message, check: check}, ipc.WithEnsureNativeEndian(false))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	for r.Next() {
		batch := r.RecordBatch()
		batch.Retain()
		batches = append(batches, batch)
	}
	return batches, r.Err()
}

// parts reads the parts of a stream in memory without copying.
type parts struct {
	rest  []byte
	check *verifier
}

// Message returns the next part. The lengths of head and body lie within the stream,
// and the head was checked.
func (p *parts) Message() (*ipc.Message, error) {
	prefix, metadata, err := partLength(p.rest)
	if err != nil {
		return nil, err
	}
	meta, rest := p.rest[prefix:prefix+metadata:prefix+metadata], p.rest[prefix+metadata:]
	if p.check != nil {
		if err := p.check.part(meta, len(rest)); err != nil {
			return nil, err
		}
	}
	head := memory.NewBufferBytes(meta)
	n := ipc.NewMessage(head, memory.NewBufferBytes(nil)).BodyLen()
	if n < 0 || n > int64(len(rest)) {
		return nil, fmt.Errorf("a part of %d bytes is cut at %d", n, len(rest))
	}
	p.rest = rest[n:]
	return ipc.NewMessage(head, memory.NewBufferBytes(rest[:n:n])), nil
}

// Retain does nothing, because the bytes aren't shared.
func (*parts) Retain() {}

// Release does nothing.
func (*parts) Release() {}
