package pull

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Parquet's footers and page headers are structures in Thrift's compact protocol:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
// This file reads the structures alone. A Parquet library would also unpack the pages
// after the headers, however large the pages are.

// structure maps field numbers to values: int64, structure, or []any of int64 and
// structure. Values of other types are nil.
type structure map[int16]any

func (s structure) number(field int16) int64 { n, _ := s[field].(int64); return n }

func (s structure) below(field int16) structure { o, _ := s[field].(structure); return o }

func (s structure) list(field int16) []any { l, _ := s[field].([]any); return l }

// compact reads structures. It keeps only their integers.
type compact struct {
	*bufio.Reader
	read  int64 // bytes
	depth int
}

var errStructure = errors.New("no Parquet file, or a damaged one")

// ReadByte reads and counts a byte.
func (c *compact) ReadByte() (byte, error) {
	c.read++
	return c.Reader.ReadByte()
}

// Thrift's types.
const (
	yes, no, int8s, int16s, int32s, int64s, doubles, binaries, lists, sets, _, structures, uuids = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
)

func (c *compact) structure() (structure, error) {
	s, number := structure{}, int16(0)
	for {
		head, err := c.ReadByte()
		if err != nil || head == 0 {
			return s, err
		}
		if delta := int16(head >> 4); delta > 0 {
			number += delta
		} else {
			n, err := binary.ReadVarint(c)
			if err != nil {
				return s, err
			}
			number = int16(n)
		}
		if kind := head & 15; kind != yes && kind != no { // these types are the values
			if s[number], err = c.value(kind); err != nil {
				return s, err
			}
		}
	}
}

func (c *compact) value(kind byte) (any, error) {
	if c.depth++; c.depth > 16 {
		return nil, errStructure
	}
	defer func() { c.depth-- }()
	switch kind {
	case yes, no, int8s: // one byte each in a list
		return nil, c.skip(1)
	case int16s, int32s, int64s:
		return binary.ReadVarint(c)
	case doubles:
		return nil, c.skip(8)
	case uuids:
		return nil, c.skip(16)
	case binaries:
		n, err := binary.ReadUvarint(c)
		if err != nil {
			return nil, err
		}
		return nil, c.skip(n)
	case lists, sets:
		return c.elements()
	case structures:
		return c.structure()
	}
	return nil, errStructure // a map; Parquet has no maps
}

func (c *compact) elements() (all []any, err error) {
	head, err := c.ReadByte()
	if err != nil {
		return nil, err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = binary.ReadUvarint(c); err != nil {
			return nil, err
		}
	}
	for range n {
		v, err := c.value(head & 15)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func (c *compact) skip(n uint64) error {
	if n > 1<<31 {
		return errStructure
	}
	skipped, err := io.CopyN(io.Discard, c.Reader, int64(n))
	c.read += skipped
	return err
}
