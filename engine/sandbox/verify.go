package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// mostTables is the most columns, including inner columns, and metadata entries in the
// head of a message.
const mostTables = 200_000

// deepestField is the deepest nesting of columns allowed.
const deepestField = 64

// partLength returns the lengths of the mark before a part's metadata, and of the
// metadata. It returns io.EOF at the end of a stream.
func partLength(stream []byte) (prefix, metadata int, err error) {
	if len(stream) < 8 || binary.LittleEndian.Uint32(stream) != 0xFFFFFFFF {
		return 0, 0, errors.New("a message of rows ends too early")
	}
	n := binary.LittleEndian.Uint32(stream[4:])
	switch {
	case n == 0:
		return 0, 0, io.EOF
	case uint64(n) > uint64(len(stream)-8):
		return 0, 0, fmt.Errorf("the head of a message of rows has %d bytes, of which %d came", n, len(stream)-8)
	}
	return 8, int(n), nil
}

// verifier verifies a stream's description of itself before Arrow's reader allocates
// memory by it. The Go library for FlatBuffers has no verifier. An offset outside of
// the bytes panics, and [Decode] turns the panic into an error.
type verifier struct {
	b              []byte // metadata of a part
	values, tables int    // how many more are allowed
}

// Kinds of parts, and of columns that DuckDB sends. The numbers come from Arrow's
// FlatBuffers schemas Message.fbs and Schema.fbs, like the slots below.
const (
	schemaPart, rowsPart = 1, 3
	unionField           = 14
	timestampField       = 10
)

var fieldKinds = []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, timestampField, 12, 13, unionField, 16, 17, 19, 20, 21}

func (c *verifier) part(metadata []byte, body int) error {
	c.b = metadata
	root := c.table(0)
	if at := c.slot(root, 3); at != 0 {
		if n := c.int64(at); n < 0 || n > int64(body) {
			return fmt.Errorf("a part of %d bytes is cut at %d", n, body)
		}
	}
	if err := c.words(c.slot(root, 4)); err != nil {
		return err
	}
	kind, header := c.slot(root, 1), c.slot(root, 2)
	if kind == 0 || header == 0 {
		return errors.New("a part of a message says not what it is")
	}
	switch c.b[kind] {
	case schemaPart:
		return c.schema(c.table(header))
	case rowsPart:
		return c.rows(c.table(header), int64(body))
	}
	return fmt.Errorf("a part of kind %d isn't taken", c.b[kind])
}

func (c *verifier) schema(at int) error {
	if endian := c.slot(at, 0); endian != 0 && c.b[endian] != 0 {
		return errors.New("numbers whose first byte is the greatest aren't taken")
	}
	if err := c.words(c.slot(at, 2)); err != nil {
		return err
	}
	c.vector(c.slot(at, 3), 8)
	return c.fields(c.slot(at, 1), 0)
}

func (c *verifier) fields(at, depth int) error {
	if depth > deepestField {
		return fmt.Errorf("columns lie more than %d deep in one another", deepestField)
	}
	begin, n := c.vector(at, 4)
	for i := range n {
		if err := c.field(c.table(begin+4*i), depth); err != nil {
			return err
		}
	}
	return nil
}

func (c *verifier) field(at, depth int) error {
	if c.tables--; c.tables < 0 {
		return fmt.Errorf("a message has more than %d columns", mostTables)
	}
	kind, of := c.slot(at, 2), c.slot(at, 3)
	if kind == 0 || of == 0 || !slices.Contains(fieldKinds, c.b[kind]) || c.slot(at, 4) != 0 {
		return errors.New("a column is of a type that isn't taken")
	}
	c.vector(c.slot(at, 0), 1) // the column's name
	switch c.b[kind] {
	case unionField:
		c.vector(c.slot(c.table(of), 1), 4)
	case timestampField:
		c.vector(c.slot(c.table(of), 1), 1)
	}
	if err := c.words(c.slot(at, 6)); err != nil {
		return err
	}
	return c.fields(c.slot(at, 5), depth+1)
}

// words checks pairs of keys and values.
func (c *verifier) words(at int) error {
	begin, n := c.vector(at, 4)
	if c.tables -= n; c.tables < 0 {
		return fmt.Errorf("a message has more than %d words about it", mostTables)
	}
	for i := range n {
		word := c.table(begin + 4*i)
		c.vector(c.slot(word, 0), 1)
		c.vector(c.slot(word, 1), 1)
	}
	return nil
}

func (c *verifier) rows(at int, body int64) error {
	if c.slot(at, 3) != 0 {
		return errors.New("compressed rows aren't taken")
	}
	if _, n := c.vector(c.slot(at, 4), 8); n != 0 {
		return errors.New("views aren't taken")
	}
	if length := c.slot(at, 0); length != 0 {
		if n := c.int64(length); n < 0 || n > mostValues {
			return fmt.Errorf("a batch of %d rows isn't taken", n)
		}
	}
	begin, n := c.vector(c.slot(at, 1), 16)
	for i := range n {
		length, nulls := c.int64(begin+16*i), c.int64(begin+16*i+8)
		if length < 0 || length > int64(c.values) {
			return fmt.Errorf("a message has more than %d values", mostValues)
		}
		if nulls < 0 || nulls > length {
			return fmt.Errorf("%d of %d values are nulls", nulls, length)
		}
		c.values -= int(length)
	}
	begin, n = c.vector(c.slot(at, 2), 16)
	for i := range n {
		offset, length := c.int64(begin+16*i), c.int64(begin+16*i+8)
		if offset < 0 || length < 0 || offset > body || length > body-offset || offset%8 != 0 {
			return fmt.Errorf("a column has the bytes from %d, %d long, of %d", offset, length, body)
		}
	}
	return nil
}

// table returns the position of the table that a reference points to.
func (c *verifier) table(at int) int { return at + int(c.uint32(at)) }

// slot returns the position of a table's field, 0 if the table lacks the field.
func (c *verifier) slot(table, n int) int {
	fields := table - int(int32(c.uint32(table)))
	if at := 4 + 2*n; at < int(c.uint16(fields)) { // like the library, even if only half a field remains
		if offset := int(c.uint16(fields + at)); offset != 0 {
			return table + offset
		}
	}
	return 0
}

// vector returns the position and number of the elements that a reference points to, no
// elements for no reference.
func (c *verifier) vector(at, width int) (begin, n int) {
	if at == 0 {
		return 0, 0
	}
	at = c.table(at)
	begin, n = at+4, int(c.uint32(at))
	if n > (len(c.b)-begin)/width {
		panic(fmt.Sprintf("%d elements at %d of %d bytes", n, at, len(c.b)))
	}
	return begin, n
}

func (c *verifier) uint16(at int) uint16 { return binary.LittleEndian.Uint16(c.b[at:]) }

func (c *verifier) uint32(at int) uint32 { return binary.LittleEndian.Uint32(c.b[at:]) }

func (c *verifier) int64(at int) int64 { return int64(binary.LittleEndian.Uint64(c.b[at:])) }
