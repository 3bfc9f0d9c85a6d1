package tables

import (
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// vector gathers the values of a column in Arrow's layout. Arrow's own builders take a
// call and several checks for each value and each null, which is three times as slow.
//
// Most columns of most logs are null. So a vector only counts nulls, and writes them
// when a value follows. A vector without a value takes no memory.
type vector interface {
	base() *nulls
	finish() arrow.ArrayData // gives the values away, and empties the vector
}

// newVector returns an empty vector for values of a type in arrowTypes.
func newVector(t arrow.DataType, mem memory.Allocator) vector {
	n := nulls{dataType: t, valid: newGrowBuffer[byte](mem)}
	switch t := t.(type) {
	case *arrow.StringType:
		return &textVector{nulls: n, ends: newGrowBuffer[int32](mem), bytes: newGrowBuffer[byte](mem)}
	case *arrow.Int64Type, *arrow.TimestampType:
		return &fixedVector[int64]{n, newGrowBuffer[int64](mem)}
	case *arrow.Int32Type:
		return &fixedVector[int32]{n, newGrowBuffer[int32](mem)}
	case *arrow.Float64Type:
		return &fixedVector[float64]{n, newGrowBuffer[float64](mem)}
	case *arrow.BooleanType:
		return &boolVector{n, newGrowBuffer[byte](mem)}
	case *arrow.ListType:
		return &listVector{nulls: n, ends: newGrowBuffer[int32](mem), elements: newVector(t.Elem(), mem)}
	case *arrow.StructType:
		v := &structVector{nulls: n}
		for _, f := range t.Fields() {
			v.fields = append(v.fields, newVector(f.Type, mem))
		}
		return v
	}
	panic("tables: no vector for Arrow's " + t.String())
}

// growBuffer is a slice that grows in the memory of a buffer.
type growBuffer[T any] struct {
	items  []T
	mem    memory.Allocator
	buffer *memory.Buffer
}

// minBytes is the size of a growBuffer's first buffer.
const minBytes = 512

func newGrowBuffer[T any](mem memory.Allocator) growBuffer[T] { return growBuffer[T]{mem: mem} }

// reserve makes room for n more items, which append then puts into the buffer.
func (p *growBuffer[T]) reserve(n int) {
	if len(p.items)+n > cap(p.items) {
		p.grow(len(p.items) + n)
	}
}

// grow makes the buffer the next power of two that holds n items.
func (p *growBuffer[T]) grow(n int) {
	if p.buffer == nil {
		p.buffer = memory.NewResizableBuffer(p.mem)
	}
	p.buffer.Reserve(max(minBytes, 1<<bits.Len(uint(p.byteSize(n)-1))))
	items := unsafe.Pointer(unsafe.SliceData(p.buffer.Buf()))
	p.items = unsafe.Slice((*T)(items), p.buffer.Cap()/p.byteSize(1))[:len(p.items)]
}

// byteSize returns the size of n items.
func (p *growBuffer[T]) byteSize(n int) int {
	var item T
	return n * int(unsafe.Sizeof(item))
}

// extend appends n times the same item.
func (p *growBuffer[T]) extend(n int, item T) {
	p.reserve(n)
	for range n {
		p.items = append(p.items, item)
	}
}

// detach gives the buffer away, and empties the growBuffer. An empty one has no buffer.
func (p *growBuffer[T]) detach() *memory.Buffer {
	full := p.buffer
	if full != nil {
		full.ResizeNoShrink(p.byteSize(len(p.items)))
	}
	p.items, p.buffer = nil, nil
	return full
}

// nulls is the part of a vector that knows which values are null.
type nulls struct {
	dataType  arrow.DataType   // type of the values
	written   int              // values and nulls in the vector's memory
	pending   int              // nulls that follow them, and are only counted
	nullCount int              // nulls among the written
	valid     growBuffer[byte] // a bit for each written value up to the last null: 0 for null
}

func (n *nulls) base() *nulls { return n }

// skip appends nulls.
func (n *nulls) skip(count int) { n.pending += count }

// writeNulls marks the waiting nulls as written.
func (n *nulls) writeNulls() {
	n.extendValid(n.written + n.pending)
	bitutil.SetBitsTo(n.valid.items, int64(n.written), int64(n.pending), false)
	n.written, n.nullCount, n.pending = n.written+n.pending, n.nullCount+n.pending, 0
}

// extendValid lengthens valid to a number of values. The new bits are 1.
func (n *nulls) extendValid(values int) { n.valid.extend((values+7)/8-len(n.valid.items), 0xff) }

// newData makes Arrow's data of a vector whose nulls are written, and empties n.
func (n *nulls) newData(children []arrow.ArrayData, buffers ...*memory.Buffer) arrow.ArrayData {
	if n.nullCount > 0 {
		n.extendValid(n.written)
	}
	d := newOwnedData(n.dataType, n.written, n.nullCount, children, append([]*memory.Buffer{n.valid.detach()}, buffers...)...)
	n.written, n.nullCount = 0, 0
	return d
}

// newOwnedData is array.NewData as the only owner of the buffers and children.
func newOwnedData(t arrow.DataType, rows, nulls int, children []arrow.ArrayData, buffers ...*memory.Buffer) arrow.ArrayData {
	d := array.NewData(t, rows, buffers, children, nulls, 0)
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	for _, c := range children {
		c.Release()
	}
	return d
}

// fixedVector holds numbers, and times as numbers.
type fixedVector[T int32 | int64 | float64] struct {
	nulls
	values growBuffer[T]
}

func (v *fixedVector[T]) add(value T) {
	if v.pending > 0 {
		v.writeNulls()
	}
	v.values.reserve(1)
	v.values.items = append(v.values.items, value)
	v.written++
}

func (v *fixedVector[T]) addMaybe(m Maybe[T]) {
	if m.OK {
		v.add(m.Value)
	} else {
		v.pending++
	}
}

func (v *fixedVector[T]) writeNulls() {
	v.values.extend(v.pending, 0)
	v.nulls.writeNulls()
}

func (v *fixedVector[T]) finish() arrow.ArrayData {
	if v.pending > 0 {
		v.writeNulls()
	}
	return v.newData(nil, v.values.detach())
}

// boolVector holds a bit for each value.
type boolVector struct {
	nulls
	bits growBuffer[byte]
}

func (v *boolVector) add(value bool) {
	if v.pending > 0 {
		v.writeNulls()
	}
	if v.written%8 == 0 {
		v.bits.extend(1, 0)
	}
	if value {
		v.bits.items[v.written/8] |= 1 << (v.written % 8)
	}
	v.written++
}

func (v *boolVector) writeNulls() {
	v.bits.extend((v.written+v.pending+7)/8-len(v.bits.items), 0)
	v.nulls.writeNulls()
}

func (v *boolVector) finish() arrow.ArrayData {
	if v.pending > 0 {
		v.writeNulls()
	}
	return v.newData(nil, v.bits.detach())
}

// textVector holds texts, one after the other.
type textVector struct {
	nulls
	ends  growBuffer[int32] // 0, and the end of each text in bytes
	bytes growBuffer[byte]
	last  string // the last text, known to be valid UTF-8
}

// addMaybe adds a text; null for an empty one.
func (v *textVector) addMaybe(s string) {
	if s == "" {
		v.pending++
	} else {
		v.add(s)
	}
}

// add adds a text. Bytes that aren't UTF-8 become U+FFFD, because DuckDB refuses them.
func (v *textVector) add(s string) {
	if v.pending > 0 || v.written == 0 {
		v.writeNulls()
	}
	if !isSameMemory(s, v.last) {
		if !utf8.ValidString(s) {
			s = strings.ToValidUTF8(s, "\uFFFD")
		}
		v.last = s
	}
	v.bytes.reserve(len(s))
	v.bytes.items = append(v.bytes.items, s...)
	v.ends.reserve(1)
	v.ends.items = append(v.ends.items, int32(len(v.bytes.items)))
	v.written++
}

// isSameMemory reports whether two strings are the same memory, as the id of a session
// is in each of its rows.
func isSameMemory(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

func (v *textVector) writeNulls() {
	if v.written == 0 {
		v.ends.extend(1, 0)
	}
	if v.pending > 0 {
		v.ends.extend(v.pending, int32(len(v.bytes.items)))
		v.nulls.writeNulls()
	}
}

func (v *textVector) finish() arrow.ArrayData {
	v.last = ""
	v.writeNulls()
	return v.newData(nil, v.ends.detach(), v.bytes.detach())
}

// nullData makes the data of a vector without values, and empties the vector. All such
// vectors of a batch share zeros, of rowBytes for each row and one more: no bit is set,
// and all ends are 0.
func (n *nulls) nullData(zeros *memory.Buffer, mem memory.Allocator) arrow.ArrayData {
	buffers, children := []*memory.Buffer{zeros, zeros}, []arrow.ArrayData(nil)
	switch t := n.dataType.(type) {
	case *arrow.StringType:
		buffers = append(buffers, nil)
	case *arrow.ListType:
		children = []arrow.ArrayData{newVector(t.Elem(), mem).finish()}
	case *arrow.StructType:
		panic("tables: a column of structs has to be a list") // each field would need nulls of its own
	}
	zeros.Retain() // for newOwnedData, which owns both then
	zeros.Retain()
	d := newOwnedData(n.dataType, n.pending, n.pending, children, buffers...)
	n.pending = 0
	return d
}

// rowBytes is the most bytes that a row takes in a buffer beside its texts: a number's.
const rowBytes = 8

// Arena makes many values of a type that all live as long as their log is read. It takes
// memory for up to 32 at a time: a log has thousands of messages and calls, and an
// allocation for each cost a twentieth of reading. The zero Arena is ready.
type Arena[T any] struct {
	free []T
	last int // size of the last piece of memory, in values
}

// New returns a zero value.
func (r *Arena[T]) New() *T {
	if len(r.free) == 0 {
		r.last = min(2*r.last+2, 32)
		r.free = make([]T, r.last)
	}
	v := &r.free[0]
	r.free = r.free[1:]
	return v
}
