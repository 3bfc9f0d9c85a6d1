package readers

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"
)

// Line is one physical line of a log.
type Line struct {
	Number int64  // 1-based
	Offset int64  // of its first byte, from the start of the file
	Bytes  []byte // without the newline; valid until the next line
	Whole  bool   // false for a last line without newline: it may still be being written
	NULs   int64  // that the line begins with and that were left out of Bytes, in thousands; else 0
	Length int64  // of a line that is too long to be read, of which Bytes has the beginning; else 0
}

// lineLimit is the longest line, in bytes, that is held in memory; and the
// largest document.
const lineLimit = 512 << 20

var bom = []byte("\xEF\xBB\xBF")

// scanBuffers are reused: a folder of logs is thousands of small files.
var scanBuffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 256<<10) }}

// Lines splits r at newlines only (U+2028 stands raw inside strings). Blank
// lines are left out but counted; a byte order mark, and a carriage return
// before the newline, are no part of a line. A read error comes last, as the
// second value, in place of the line that it cut.
func Lines(r io.Reader) iter.Seq2[Line, error] { return linesUpTo(r, lineLimit, 0) }

// linesUpTo is Lines for lines of so many bytes, of a file of roughly so many; 0
// where that isn't known.
func linesUpTo(r io.Reader, limit int, size int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		buf := scanBuffers.Get().(*bufio.Reader)
		buf.Reset(r)
		defer func() {
			buf.Reset(nil)
			scanBuffers.Put(buf)
		}()
		long := longLine{limit: limit}
		for number, next := int64(1), int64(0); ; number++ {
			long.left = size - next
			line, size, err := long.read(buf)
			line.Number, line.Offset = number, next
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{Number: number, Offset: next}, err)
				return
			}
			next += size
			if line.Whole = err == nil; line.Whole {
				line.Bytes = bytes.TrimSuffix(bytes.TrimSuffix(line.Bytes, []byte("\n")), []byte("\r"))
			}
			if number == 1 && bytes.HasPrefix(line.Bytes, bom) {
				line.Bytes, line.Offset = line.Bytes[len(bom):], int64(len(bom))
			}
			if (line.NULs > 0 || len(bytes.TrimSpace(line.Bytes)) > 0) && !yield(line, nil) {
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// longLine reads lines, and has room for one that the buffer doesn't hold.
type longLine struct {
	room  []byte
	limit int   // bytes that are held
	left  int64 // bytes of the file from this line on; not positive where that isn't known
}

// read gives the next line with its newline, and how long it is with that: from
// the buffer where it fits.
func (l *longLine) read(buf *bufio.Reader) (line Line, size int64, err error) {
	part, err := buf.ReadSlice('\n')
	size = int64(len(part))
	if !errors.Is(err, bufio.ErrBufferFull) {
		line.Bytes = part
		return line, size, err
	}
	if l.room = l.room[:0]; cap(l.room) >= largeText {
		l.room = nil // few lines are
	}
	for ; ; size += int64(len(part)) {
		switch full := errors.Is(err, bufio.ErrBufferFull); {
		case full && len(l.room) == 0 && line.Length == 0 && isZero(part):
			line.NULs += int64(len(part))
		case len(l.room)+len(part) > l.limit || line.Length > 0:
			if line.Length = size; len(l.room) > ExcerptBytes {
				l.room = bytes.Clone(l.room[:ExcerptBytes])
			}
			l.room = append(l.room, part[:min(len(part), ExcerptBytes-len(l.room))]...)
		default:
			l.room = append(l.roomFor(len(part)), part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			line.Bytes = l.room
			if line.Length > 0 {
				line.Length = size
			}
			return line, size, err
		}
		part, err = buf.ReadSlice('\n')
	}
}

// roomFor is the room, with space for n bytes more where it is large.
func (l *longLine) roomFor(n int) []byte {
	if full := len(l.room); full >= largeText/4 && full+n > cap(l.room) {
		left := int64(-1)
		if l.left > 0 {
			left = max(l.left-int64(full), int64(n))
		}
		grown := make([]byte, full, max(nextRoom(int64(full), left), int64(full+n)))
		copy(grown, l.room)
		l.room = grown
	}
	return l.room
}

// zeros are what a run of NULs is compared with.
var zeros [64 << 10]byte

func isZero(b []byte) bool {
	for ; len(b) > len(zeros); b = b[len(zeros):] {
		if !bytes.Equal(b[:len(zeros)], zeros[:]) {
			return false
		}
	}
	return bytes.Equal(b, zeros[:len(b)])
}

// readWhole reads a text of any number of lines, as if they were one, of a file of
// roughly so many bytes; 0 where that isn't known.
func readWhole(r io.Reader, limit int, size int64) (line Line, err error) {
	buf := scanBuffers.Get().(*bufio.Reader)
	buf.Reset(r)
	defer func() {
		buf.Reset(nil)
		scanBuffers.Put(buf)
	}()
	line.Number = 1
	for {
		part, err := buf.Peek(buf.Size())
		if err != nil && !errors.Is(err, io.EOF) {
			return line, err
		}
		if err != nil || !isZero(part) {
			break
		}
		line.NULs += int64(len(part))
		_, _ = buf.Discard(len(part)) // they are in the buffer
	}
	if line.Bytes, err = readAll(buf, int64(limit)+1, size-line.NULs); len(line.Bytes) > limit {
		line.Length, line.Bytes = int64(len(line.Bytes)), bytes.Clone(line.Bytes[:ExcerptBytes])
	}
	return line, err
}

// readAll reads up to limit bytes, of which there are roughly so many. It is
// [io.ReadAll] without the copies that a growing buffer takes.
func readAll(r io.Reader, limit, size int64) ([]byte, error) {
	all := make([]byte, 0, max(min(size, limit), 0)+bytes.MinRead)
	for {
		if room := min(int64(cap(all)), limit); int64(len(all)) < room {
			n, err := r.Read(all[len(all):room])
			all = all[:len(all)+n]
			if errors.Is(err, io.EOF) {
				return all, nil
			}
			if err != nil {
				return all, err
			}
			continue
		}
		if int64(len(all)) == limit {
			return all, nil
		}
		grown := make([]byte, len(all), nextRoom(int64(len(all)), -1))
		copy(grown, all)
		all = grown
	}
}
