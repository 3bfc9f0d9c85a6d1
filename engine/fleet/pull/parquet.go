package pull

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"hindsql/internal/regular"
)

// largestFooter is the longest footer allowed, in bytes. A file of a million rows has a
// footer of about 100,000 bytes.
const largestFooter = 4 << 20

// packed describes a Parquet file by its footer and page headers, without unpacking a
// page.
type packed struct {
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

// look reads a file's footer and page headers.
func look(path string) (p packed, err error) {
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
			if err := p.chunk(io.NewSectionReader(f, 0, end), column.below(chunkMeta), rows); err != nil {
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

// chunk adds a column's pages for some rows. An optional dictionary page comes before
// the data pages.
func (p *packed) chunk(f *io.SectionReader, meta structure, rows int64) error {
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
