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
	n := nulls{of: t, valid: pileOf[byte](mem)}
	switch t := t.(type) {
	case *arrow.StringType:
		return &textVector{nulls: n, ends: pileOf[int32](mem), bytes: pileOf[byte](mem)}
	case *arrow.Int64Type, *arrow.TimestampType:
		return &fixedVector[int64]{n, pileOf[int64](mem)}
	case *arrow.Int32Type:
		return &fixedVector[int32]{n, pileOf[int32](mem)}
	case *arrow.Float64Type:
		return &fixedVector[float64]{n, pileOf[float64](mem)}
	case *arrow.BooleanType:
		return &boolVector{n, pileOf[byte](mem)}
	case *arrow.ListType:
		return &listVector{nulls: n, ends: pileOf[int32](mem), elements: newVector(t.Elem(), mem)}
	case *arrow.StructType:
		v := &structVector{nulls: n}
		for _, f := range t.Fields() {
			v.fields = append(v.fields, newVector(f.Type, mem))
		}
		return v
	}
	panic("tables: no vector for Arrow's " + t.String())
}

// pile is a slice that grows in the memory of a buffer.
type pile[T any] struct {
	items  []T
	mem    memory.Allocator
	buffer *memory.Buffer
}

// leastBytes is the size of a pile's first buffer.
const leastBytes = 512

func pileOf[T any](mem memory.Allocator) pile[T] { return pile[T]{mem: mem} }

// room makes room for n more items, which append then puts into the buffer.
func (p *pile[T]) room(n int) {
	if len(p.items)+n > cap(p.items) {
		p.grow(len(p.items) + n)
	}
}

// grow makes the buffer the next power of two that holds n items.
func (p *pile[T]) grow(n int) {
	if p.buffer == nil {
		p.buffer = memory.NewResizableBuffer(p.mem)
	}
	p.buffer.Reserve(max(leastBytes, 1<<bits.Len(uint(p.bytes(n)-1))))
	items := unsafe.Pointer(unsafe.SliceData(p.buffer.Buf()))
	p.items = unsafe.Slice((*T)(items), p.buffer.Cap()/p.bytes(1))[:len(p.items)]
}

// bytes returns the size of n items.
func (p *pile[T]) bytes(n int) int {
	var item T
	return n * int(unsafe.Sizeof(item))
}

// extend appends n times the same item.
func (p *pile[T]) extend(n int, item T) {
	p.room(n)
	for range n {
		p.items = append(p.items, item)
	}
}

// give gives the buffer away, and empties the pile. An empty pile has no buffer.
func (p *pile[T]) give() *memory.Buffer {
	full := p.buffer
	if full != nil {
		full.ResizeNoShrink(p.bytes(len(p.items)))
	}
	p.items, p.buffer = nil, nil
	return full
}

// nulls is the part of a vector that knows which values are null.
type nulls struct {
	of      arrow.DataType // type of the values
	written int            // values and nulls in the vector's memory
	waiting int            // nulls that follow them, and are only counted
	among   int            // nulls among the written
	valid   pile[byte]     // a bit for each written value up to the last null: 0 for null
}

func (n *nulls) base() *nulls { return n }

// skip appends nulls.
func (n *nulls) skip(count int) { n.waiting += count }

// settle marks the waiting nulls as written.
func (n *nulls) settle() {
	n.mark(n.written + n.waiting)
	bitutil.SetBitsTo(n.valid.items, int64(n.written), int64(n.waiting), false)
	n.written, n.among, n.waiting = n.written+n.waiting, n.among+n.waiting, 0
}

// mark lengthens valid to a number of values. The new bits are 1.
func (n *nulls) mark(values int) { n.valid.extend((values+7)/8-len(n.valid.items), 0xff) }

// data makes Arrow's data of a vector whose nulls are written, and empties n.
func (n *nulls) data(children []arrow.ArrayData, buffers ...*memory.Buffer) arrow.ArrayData {
	if n.among > 0 {
		n.mark(n.written)
	}
	d := dataOf(n.of, n.written, n.among, children, append([]*memory.Buffer{n.valid.give()}, buffers...)...)
	n.written, n.among = 0, 0
	return d
}

// dataOf is array.NewData as the only owner of the buffers and children.
func dataOf(t arrow.DataType, rows, nulls int, children []arrow.ArrayData, buffers ...*memory.Buffer) arrow.ArrayData {
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
	values pile[T]
}

func (v *fixedVector[T]) add(value T) {
	if v.waiting > 0 {
		v.settle()
	}
	v.values.room(1)
	v.values.items = append(v.values.items, value)
	v.written++
}

func (v *fixedVector[T]) addMaybe(m Maybe[T]) {
	if m.OK {
		v.add(m.Value)
	} else {
		v.waiting++
	}
}

func (v *fixedVector[T]) settle() {
	v.values.extend(v.waiting, 0)
	v.nulls.settle()
}

func (v *fixedVector[T]) finish() arrow.ArrayData {
	if v.waiting > 0 {
		v.settle()
	}
	return v.data(nil, v.values.give())
}

// boolVector holds a bit for each value.
type boolVector struct {
	nulls
	bits pile[byte]
}

func (v *boolVector) add(value bool) {
	if v.waiting > 0 {
		v.settle()
	}
	if v.written%8 == 0 {
		v.bits.extend(1, 0)
	}
	if value {
		v.bits.items[v.written/8] |= 1 << (v.written % 8)
	}
	v.written++
}

func (v *boolVector) settle() {
	v.bits.extend((v.written+v.waiting+7)/8-len(v.bits.items), 0)
	v.nulls.settle()
}

func (v *boolVector) finish() arrow.ArrayData {
	if v.waiting > 0 {
		v.settle()
	}
	return v.data(nil, v.bits.give())
}

// textVector holds texts, one after the other.
type textVector struct {
	nulls
	ends  pile[int32] // 0, and the end of each text in bytes
	bytes pile[byte]
	last  string // the last text, known to be valid UTF-8
}

// addMaybe adds a text; null for an empty one.
func (v *textVector) addMaybe(s string) {
	if s == "" {
		v.waiting++
	} else {
		v.add(s)
	}
}

// add adds a text. Bytes that aren't UTF-8 become U+FFFD, because DuckDB refuses them.
func (v *textVector) add(s string) {
	if v.waiting > 0 || v.written == 0 {
		v.settle()
	}
	if !same(s, v.last) {
		if !utf8.ValidString(s) {
			s = strings.ToValidUTF8(s, "\uFFFD")
		}
		v.last = s
	}
	v.bytes.room(len(s))
	v.bytes.items = append(v.bytes.items, s...)
	v.ends.room(1)
	v.ends.items = append(v.ends.items, int32(len(v.bytes.items)))
	v.written++
}

// same reports whether two strings are the same memory, as the id of a session is in
// each of its rows.
func same(a, b string) bool { return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b) }

func (v *textVector) settle() {
	if v.written == 0 {
		v.ends.extend(1, 0)
	}
	if v.waiting > 0 {
		v.ends.extend(v.waiting, int32(len(v.bytes.items)))
		v.nulls.settle()
	}
}

func (v *textVector) finish() arrow.ArrayData {
	v.last = ""
	v.settle()
	return v.data(nil, v.ends.give(), v.bytes.give())
}

// nullData makes the data of a vector without values, and empties the vector. All such
// vectors of a batch share zeros, of rowBytes for each row and one more: no bit is set,
// and all ends are 0.
func (n *nulls) nullData(zeros *memory.Buffer, mem memory.Allocator) arrow.ArrayData {
	buffers, children := []*memory.Buffer{zeros, zeros}, []arrow.ArrayData(nil)
	switch t := n.of.(type) {
	case *arrow.StringType:
		buffers = append(buffers, nil)
	case *arrow.ListType:
		children = []arrow.ArrayData{newVector(t.Elem(), mem).finish()}
	case *arrow.StructType:
		panic("tables: a column of structs has to be a list") // each field would need nulls of its own
	}
	zeros.Retain() // for dataOf, which takes both over
	zeros.Retain()
	d := dataOf(n.of, n.waiting, n.waiting, children, buffers...)
	n.waiting = 0
	return d
}

// rowBytes is the most bytes that a row takes in a buffer beside its texts: a number's.
const rowBytes = 8
