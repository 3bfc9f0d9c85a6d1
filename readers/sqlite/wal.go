package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The write-ahead log, as https://sqlite.org/fileformat2.html#walformat has it:
// a header, then frames of a header and a page. Each frame's checksum goes on
// from the one before, and its salts are the log's: what a log that was begun
// anew left of the one before it, or a torn frame, ends it. The commit's last
// frame has the size of the database, in pages. What stands behind the last
// commit doesn't count.
const (
	walHeaderSize   = 32
	frameHeaderSize = 24
	walMagic        = 0x377f0682 // with the lowest bit for checksums over big-endian words
	walVersion      = 3007000
	smallestPage    = 512
	largestPage     = 65536
)

// wal is how far a write-ahead log is known.
type wal struct {
	header   [walHeaderSize]byte
	pageSize int64
	order    binary.ByteOrder // of the words that are summed
	frames   int64            // up to the last commit
	sum      checksum         // of those
	pages    uint32           // size of the database after it; 0 where no commit is
}

// checksum is SQLite's: two words, over pairs of words.
type checksum [2]uint32

func (c checksum) over(order binary.ByteOrder, data []byte) checksum {
	a, b := c[0], c[1]
	if order == binary.LittleEndian { // the compiler reads words where it knows their order
		for ; len(data) >= 8; data = data[8:] {
			a += binary.LittleEndian.Uint32(data) + b
			b += binary.LittleEndian.Uint32(data[4:]) + a
		}
		return checksum{a, b}
	}
	for ; len(data) >= 8; data = data[8:] {
		a += binary.BigEndian.Uint32(data) + b
		b += binary.BigEndian.Uint32(data[4:]) + a
	}
	return checksum{a, b}
}

func (c checksum) is(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == c[0] && binary.BigEndian.Uint32(stored[4:]) == c[1]
}

// beginning reads a log's header; nil for a log that counts for nothing, as
// SQLite passes over one that is empty or damaged there.
func beginning(head []byte) (*wal, error) {
	if len(head) < walHeaderSize {
		return nil, nil
	}
	w := &wal{pageSize: int64(binary.BigEndian.Uint32(head[8:])), order: binary.LittleEndian}
	copy(w.header[:], head)
	if head[3]&1 != 0 {
		w.order = binary.BigEndian
	}
	w.sum = checksum{}.over(w.order, head[:24])
	if binary.BigEndian.Uint32(head)&^1 != walMagic || !isPageSize(w.pageSize) || !w.sum.is(head[24:]) {
		return nil, nil
	}
	if version := binary.BigEndian.Uint32(head[4:]); version != walVersion {
		return nil, fmt.Errorf("its %s is of version %d, which is not known", walSuffix, version)
	}
	return w, nil
}

func isPageSize(n int64) bool { return n >= smallestPage && n <= largestPage && n&(n-1) == 0 }

// frame is where a page stands in the log.
type frame struct {
	page  uint32
	index int64 // from 0
}

// at is the first byte of a frame's page in the log.
func (w *wal) at(index int64) int64 {
	return walHeaderSize + index*(frameHeaderSize+w.pageSize) + frameHeaderSize
}

// commits walks the transactions that follow what is known, and knows them then.
// visit gets the frames of each, and the size of the database after it, in pages.
func (w *wal) commits(log io.ReaderAt, visit func(pages uint32, frames []frame)) error {
	buf := make([]byte, frameHeaderSize+w.pageSize)
	var open []frame // of a transaction whose end was not met yet
	sum := w.sum
	for index := w.frames; ; index++ {
		if whole, err := w.read(log, index, buf); !whole {
			return err
		}
		page, pages := binary.BigEndian.Uint32(buf), binary.BigEndian.Uint32(buf[4:])
		sum = sum.over(w.order, buf[:8]).over(w.order, buf[frameHeaderSize:])
		if page == 0 || !sum.is(buf[16:]) {
			return nil
		}
		if open = append(open, frame{page, index}); pages == 0 {
			continue
		}
		w.frames, w.sum, w.pages = index+1, sum, pages
		visit(pages, open)
		open = open[:0]
	}
}

// read reads a frame, of which it looks at the salts first: most often the one
// behind the last is of an older log, or none.
func (w *wal) read(log io.ReaderAt, index int64, buf []byte) (whole bool, err error) {
	at := w.at(index) - frameHeaderSize
	n, err := log.ReadAt(buf[:frameHeaderSize], at)
	if n == frameHeaderSize && string(buf[8:16]) != string(w.header[16:24]) {
		return false, nil
	}
	if n == frameHeaderSize {
		n, err = log.ReadAt(buf[frameHeaderSize:], at+frameHeaderSize)
		n += frameHeaderSize
	}
	if n == len(buf) {
		return true, nil
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return false, err
}
