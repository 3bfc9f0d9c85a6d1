package readers

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// Line is one physical line of a log.
type Line struct {
	Number int64  // 1-based
	Offset int64  // of its first byte from the start of the file, in bytes
	Bytes  []byte // without the newline; valid until the next line
	Whole  bool   // false for a last line without newline, which the agent may still be writing
	NULs   int64  // number of NUL bytes at the start, left out of Bytes; 0 unless there are thousands
	Length int64  // if the line is too long to read, its length; Bytes holds its beginning; otherwise 0
}

// lineLimit is the size in bytes of the longest line, and of the largest document, that
// is held in memory.
const lineLimit = 512 << 20

var bom = []byte("\xEF\xBB\xBF")

// scanBuffers holds reusable buffers: a folder of logs has thousands of small files.
var scanBuffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 256<<10) }}

// Lines splits r at newlines only (U+2028 stands raw inside strings). It skips blank
// lines but counts them. A byte order mark, and a carriage return before the newline,
// are not part of a line. A read error comes last, as the second value, in place of the
// line that was cut.
func Lines(r io.Reader) iter.Seq2[Line, error] { return linesUpTo(r, lineLimit, 0) }

// linesUpTo is Lines with a limit for the length of a line, and a rough size of the
// file, both in bytes. size is 0 if unknown.
func linesUpTo(r io.Reader, limit int, size int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		buf := scanBuffers.Get().(*bufio.Reader)
		buf.Reset(r)
		defer func() {
			buf.Reset(nil)
			scanBuffers.Put(buf)
		}()
		long, blank := longLine{limit: limit}, blanks{most: mostBlank}
		for number, next := int64(1), int64(0); ; number++ {
			lines, skipped, err := blank.skip(buf)
			if number, next = number+lines, next+skipped; err != nil {
				yield(Line{Number: number, Offset: next}, err)
				return
			}
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

// longLine reads lines. It has its own buffer (room) for a line that doesn't fit into
// the buffer of the bufio.Reader.
type longLine struct {
	room  []byte
	limit int   // most bytes held
	left  int64 // bytes of the file from this line on; 0 or negative if unknown
}

// read returns the next line with its newline, and its full length. The line's bytes
// are valid until the next call. They lie in buf if the line fits, otherwise in room.
func (l *longLine) read(buf *bufio.Reader) (line Line, size int64, err error) {
	part, err := buf.ReadSlice('\n')
	size = int64(len(part))
	if !errors.Is(err, bufio.ErrBufferFull) {
		line.Bytes = part
		return line, size, err
	}
	if l.room = l.room[:0]; cap(l.room) >= largeText {
		l.room = nil // few lines are large, so free the room
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

// roomFor returns room. If room is large and n more bytes don't fit, it first replaces
// room with a larger copy, because append would grow it too far.
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

// zeros is what isZero compares a run of NULs with.
var zeros [64 << 10]byte

func isZero(b []byte) bool {
	for ; len(b) > len(zeros); b = b[len(zeros):] {
		if !bytes.Equal(b[:len(zeros)], zeros[:]) {
			return false
		}
	}
	return bytes.Equal(b, zeros[:len(b)])
}

// readWhole reads a text with any number of lines as one Line. size is the rough size
// of the file in bytes, or 0 if unknown.
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
		_, _ = buf.Discard(len(part)) // Peek put these bytes in the buffer
	}
	if line.Bytes, err = readAll(buf, int64(limit)+1, max(size-line.NULs, int64(buf.Buffered()))); len(line.Bytes) > limit {
		line.Length, line.Bytes = int64(len(line.Bytes)), bytes.Clone(line.Bytes[:ExcerptBytes])
	}
	return line, err
}

// readAll reads up to limit bytes. size is their rough number. It is [io.ReadAll]
// without the copies of a growing buffer.
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

// decoders holds reusable decoders. Each grows to the size of its longest line.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// JSONLines reads a log with one JSON object a line. JSONLines calls visit for every
// object. The object is valid until visit returns. Other text becomes a problem. The
// error is from opening or reading the log; visit has seen everything before it.
//
// starts lists the possible beginnings of an object up to the first value, for example
// {"type":" for objects with the key type first. They count on a damaged line only: an
// object after damage is visited if it begins with one of starts, and otherwise is part
// of the problem. A start that is too short, for example {", would take an object inside
// a damaged object for a record.
func JSONLines(in *Input, starts []string, visit func(*fastjson.Value, Line)) error {
	decoder := decoders.Get().(*Decoder)
	defer decoders.Put(decoder)
	return decoder.lines(in, starts, visit)
}

// JSONLinesKept is JSONLines for a log of changes to one value. All objects stay valid
// until done returns. done runs after the last object. If an object has too many
// values, only lists and objects at depth spine or deeper are kept as text.
func JSONLinesKept(in *Input, starts []string, spine int, visit func(*fastjson.Value, Line), done func()) error {
	d := &Decoder{keep: true, spine: spine, room: room{most: keptValues}}
	defer d.release()
	err := d.lines(in, starts, visit)
	done()
	return err
}

func (d *Decoder) lines(in *Input, starts []string, visit func(*fastjson.Value, Line)) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	var line Line // outside the loop, and so are the functions: no garbage with each line
	object := func(v *fastjson.Value) { visit(v, line) }
	bad := func(p *tables.Problem) { in.Emit(p) }
	for next, err := range linesUpTo(f, lineLimit, in.size) {
		if err != nil {
			return err
		}
		line = next
		in.met(len(line.Bytes))
		d.Objects(line, starts, object, bad)
		d.drop(len(line.Bytes))
	}
	return nil
}
