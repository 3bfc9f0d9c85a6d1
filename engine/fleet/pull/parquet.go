package pull

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"hindsql/internal/regular"
)

// largestFooter is the longest footer allowed, in bytes. A file of a million rows has a
// footer of about 100,000 bytes.
const largestFooter = 4 << 20

// layout describes a Parquet file by its footer and page headers, without unpacking a
// page.
type layout struct {
	rows     int64
	unpacked int64 // bytes of all unpacked pages, and of the values in lists
	repeated int64 // bytes if each value were as long as the whole dictionary
}

// The field numbers, from
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
const (
	fileRows, fileGroups                                      = 3, 4
	groupColumns, groupRows                                   = 1, 3
	chunkMeta                                                 = 3
	metaValues, metaPacked, metaDataOffset, metaDictionary    = 5, 7, 9, 11
	pageUnpacked, pagePacked, pageData, pageWords, pageDataV2 = 2, 3, 5, 7, 8
	pageValues                                                = 1
)

// readLayout reads a file's footer and page headers.
func readLayout(path string) (p layout, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	footer, end, err := footerOf(f)
	if err != nil {
		return p, err
	}
	for _, g := range footer.list(fileGroups) {
		group, _ := g.(structure)
		rows := group.number(groupRows)
		if rows < 0 || rows > math.MaxInt64-p.rows {
			return p, errStructure
		}
		p.rows += rows
		for _, c := range group.list(groupColumns) {
			column, _ := c.(structure)
			if err := p.addChunk(io.NewSectionReader(f, 0, end), column.below(chunkMeta), rows); err != nil {
				return p, err
			}
		}
	}
	if n := footer.number(fileRows); n != p.rows {
		return p, fmt.Errorf("%d rows, and %d in its groups", n, p.rows)
	}
	return p, nil
}

// footerOf returns a file's footer, and its offset. The file ends with the footer's
// length in four bytes, and PAR1.
func footerOf(f *os.File) (footer structure, begin int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	tail := make([]byte, 8)
	if _, err := f.ReadAt(tail, info.Size()-8); err != nil || string(tail[4:]) != "PAR1" {
		return nil, 0, errStructure
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if begin = info.Size() - 8 - length; begin < 4 {
		return nil, 0, errStructure
	}
	if length > largestFooter {
		return nil, 0, fmt.Errorf("a footer of %d bytes; a pull reads %d", length, int64(largestFooter))
	}
	in := &compact{Reader: bufio.NewReader(io.NewSectionReader(f, begin, length))}
	if footer, err = in.structure(); err != nil {
		return nil, 0, errStructure
	}
	return footer, begin, nil
}

// addChunk adds a column's pages for some rows. An optional dictionary page comes before
// the data pages.
func (p *layout) addChunk(f *io.SectionReader, meta structure, rows int64) error {
	begin, length := meta.number(metaDataOffset), meta.number(metaPacked)
	if d := meta.number(metaDictionary); d >= 4 {
		begin = d
	}
	if begin < 4 || length < 0 || begin > f.Size() || length > f.Size()-begin {
		return errStructure
	}
	var values, words int64
	in := &compact{Reader: bufio.NewReader(io.NewSectionReader(f, begin, length))}
	for in.read < length {
		page, err := in.structure()
		if err != nil {
			return errStructure
		}
		unpacked := page.number(pageUnpacked)
		if unpacked < 0 || unpacked > math.MaxInt32 || page.number(pagePacked) < 0 || in.skip(uint64(page.number(pagePacked))) != nil {
			return errStructure
		}
		p.unpacked += unpacked
		if page.below(pageWords) != nil {
			words += unpacked
		}
		for _, kind := range []int16{pageData, pageDataV2} {
			n := page.below(kind).number(pageValues)
			if n < 0 || n > math.MaxInt32 {
				return errStructure
			}
			values += n
		}
	}
	if values != meta.number(metaValues) || values < rows {
		return fmt.Errorf("%d values of %d rows in a column", values, rows)
	}
	p.unpacked += listed * (values - rows)
	p.repeated += repeatedBytes(values, words)
	return nil
}

// listed is the memory that DuckDB needs for an element of a list, in bytes.
const listed = 16

func repeatedBytes(values, words int64) int64 {
	if words > 0 && values > math.MaxInt32*1024/words {
		return math.MaxInt32 * 1024
	}
	return values * words
}

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
