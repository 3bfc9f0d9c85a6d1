package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The write-ahead log, according to https://sqlite.org/fileformat2.html#walformat: a
// header, then frames. A frame is a header and a page. Each checksum continues the
// previous frame's checksum, and the salts repeat the log's salts. The log ends at a
// torn frame, or at a frame left over from before the log was started anew. A commit's
// last frame has the size of the database in pages. Frames after the last commit don't
// count.
const (
	walHeaderSize   = 32
	frameHeaderSize = 24
	walMagic        = 0x377f0682 // the lowest bit means checksums over big-endian words
	walVersion      = 3007000
	smallestPage    = 512
	largestPage     = 65536
)

// wal is the part of a write-ahead log that has been read.
type wal struct {
	header   [walHeaderSize]byte
	pageSize int64
	order    binary.ByteOrder // of the words in checksums
	frames   int64            // number of frames up to the last commit
	sum      checksum         // checksum after those frames
	pages    uint32           // size of the database after the last commit; 0 without a commit
}

// checksum is SQLite's checksum: two words, over pairs of words.
type checksum [2]uint32

func (c checksum) add(order binary.ByteOrder, data []byte) checksum {
	a, b := c[0], c[1]
	if order == binary.LittleEndian { // the compiler reads whole words if the byte order is constant
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

func (c checksum) equals(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == c[0] && binary.BigEndian.Uint32(stored[4:]) == c[1]
}

// parseWALHeader reads a log's header. It returns nil for an empty log or a damaged header,
// which SQLite ignores too.
func parseWALHeader(head []byte) (*wal, error) {
	if len(head) < walHeaderSize {
		return nil, nil
	}
	w := &wal{pageSize: int64(binary.BigEndian.Uint32(head[8:])), order: binary.LittleEndian}
	copy(w.header[:], head)
	if head[3]&1 != 0 {
		w.order = binary.BigEndian
	}
	w.sum = checksum{}.add(w.order, head[:24])
	if binary.BigEndian.Uint32(head)&^1 != walMagic || !isPageSize(w.pageSize) || !w.sum.equals(head[24:]) {
		return nil, nil
	}
	if version := binary.BigEndian.Uint32(head[4:]); version != walVersion {
		return nil, fmt.Errorf("its %s is of version %d, which is not known", walSuffix, version)
	}
	return w, nil
}

func isPageSize(n int64) bool { return n >= smallestPage && n <= largestPage && n&(n-1) == 0 }

// frame is the position of a page in the log.
type frame struct {
	page  uint32
	index int64 // from 0
}

// offsetOf returns the offset of a frame's page in the log.
func (w *wal) offsetOf(index int64) int64 {
	return walHeaderSize + index*(frameHeaderSize+w.pageSize) + frameHeaderSize
}

// readCommits reads the transactions after the part already read, and adds them to it.
// visit gets the frames of each transaction, and the size of the database after it, in
// pages.
func (w *wal) readCommits(log io.ReaderAt, visit func(pages uint32, frames []frame)) error {
	buf := make([]byte, frameHeaderSize+w.pageSize)
	var open []frame // frames of an unfinished transaction
	sum := w.sum
	for index := w.frames; ; index++ {
		if whole, err := w.readFrame(log, index, buf); !whole {
			return err
		}
		page, pages := binary.BigEndian.Uint32(buf), binary.BigEndian.Uint32(buf[4:])
		sum = sum.add(w.order, buf[:8]).add(w.order, buf[frameHeaderSize:])
		if page == 0 || !sum.equals(buf[16:]) {
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

// readFrame reads a frame. It checks the salts first, because the frame after the last
// usually belongs to an older log, or doesn't exist.
func (w *wal) readFrame(log io.ReaderAt, index int64, buf []byte) (whole bool, err error) {
	at := w.offsetOf(index) - frameHeaderSize
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
