package readers

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"runtime/debug"
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
		long, blank := longLine{limit: limit}, blankLines{most: mostBlank}
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

// longLine reads lines. It has its own buffer for a line that doesn't fit into the buffer
// of the bufio.Reader.
type longLine struct {
	buffer []byte
	limit  int   // most bytes held
	left   int64 // bytes of the file from this line on; 0 or negative if unknown
}

// read returns the next line with its newline, and its full length. The line's bytes
// are valid until the next call. They lie in buf if the line fits, otherwise in l.buffer.
func (l *longLine) read(buf *bufio.Reader) (line Line, size int64, err error) {
	part, err := buf.ReadSlice('\n')
	size = int64(len(part))
	if !errors.Is(err, bufio.ErrBufferFull) {
		line.Bytes = part
		return line, size, err
	}
	if l.buffer = l.buffer[:0]; cap(l.buffer) >= largeText {
		l.buffer = nil // few lines are large, so free the buffer
	}
	for ; ; size += int64(len(part)) {
		switch full := errors.Is(err, bufio.ErrBufferFull); {
		case full && len(l.buffer) == 0 && line.Length == 0 && isZero(part):
			line.NULs += int64(len(part))
		case len(l.buffer)+len(part) > l.limit || line.Length > 0:
			if line.Length = size; len(l.buffer) > ExcerptBytes {
				l.buffer = bytes.Clone(l.buffer[:ExcerptBytes])
			}
			l.buffer = append(l.buffer, part[:min(len(part), ExcerptBytes-len(l.buffer))]...)
		default:
			l.buffer = append(l.bufferFor(len(part)), part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			line.Bytes = l.buffer
			if line.Length > 0 {
				line.Length = size
			}
			return line, size, err
		}
		part, err = buf.ReadSlice('\n')
	}
}

// bufferFor returns l.buffer. If l.buffer is large and n more bytes don't fit, bufferFor
// first replaces l.buffer with a larger copy, because append would grow the buffer too far.
func (l *longLine) bufferFor(n int) []byte {
	if full := len(l.buffer); full >= largeText/4 && full+n > cap(l.buffer) {
		left := int64(-1)
		if l.left > 0 {
			left = max(l.left-int64(full), int64(n))
		}
		grown := make([]byte, full, max(nextBufferSize(int64(full), left), int64(full+n)))
		copy(grown, l.buffer)
		l.buffer = grown
	}
	return l.buffer
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
		grown := make([]byte, len(all), nextBufferSize(int64(len(all)), -1))
		copy(grown, all)
		all = grown
	}
}

// largeText is the size in bytes from which a line or document counts as large. After a
// large text is used, its memory goes back to the system at once. Without this, a log
// with a text of 200 MB would take ten times as much memory: the text, the parser's
// copy, the value's copy, the row's copy, and the garbage since the last collection.
const largeText = 16 << 20

// FreeMemory returns unused memory to the system. FreeMemory takes some milliseconds, so
// call it only after a large text.
func FreeMemory() { debug.FreeOSMemory() }

// recordSize records for the log that a text of the size in bytes was read, if the text is
// large. It then gives the memory used for reading back to the system.
func (in *Input) recordSize(size int) {
	if size < largeText {
		return
	}
	if in.large != nil {
		*in.large = true
	}
	FreeMemory()
}

// nextBufferSize returns the next size in bytes for a buffer that is full at size full.
// left is how many more bytes may come; if negative, it is unknown.
func nextBufferSize(full, left int64) int64 {
	room := max(2*full, 1<<20)
	if left >= 0 {
		room = min(room, full+left+1)
	}
	return max(room, full+full/4)
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
	d := &Decoder{keep: true, spine: spine, limit: valueLimit{most: keptValues}}
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
		in.recordSize(len(line.Bytes))
		d.Objects(line, starts, object, bad)
		d.drop(len(line.Bytes))
	}
	return nil
}

// mostBlank is how many blank bytes in a row are read. A compressed file of 200 kB may
// hold 6 GB of line ends, and every sync would decompress them.
const mostBlank = 1 << 30

var errBlank = errors.New("1 GB of blank lines follows; the rest of the file is left out")

// blankLines skips blank lines.
type blankLines struct {
	most int64 // blank bytes in a row that are skipped
	run  int64 // blank bytes since the last other byte
}

// skip skips the blank lines at the reader's position. It returns the number of line
// ends, and of bytes. If blanks fill buf, skip also skips those before a line's text.
// The error is errBlank.
func (b *blankLines) skip(buf *bufio.Reader) (lines, size int64, err error) {
	for {
		part := peekAhead(buf, 1)
		n := blankStart(part)
		if n == len(part) {
			part = peekAhead(buf, buf.Size())
			n = blankStart(part)
		}
		text := n < len(part)
		if n < buf.Size() {
			n = bytes.LastIndexByte(part[:n], '\n') + 1
		}
		lines, size, b.run = lines+int64(bytes.Count(part[:n], lineEnd)), size+int64(n), b.run+int64(n)
		_, _ = buf.Discard(n) // these bytes are in the buffer
		switch {
		case b.run > b.most:
			return lines, size, errBlank
		case text:
			b.run = 0
			return lines, size, nil
		case n == 0: // the file ends
			return lines, size, nil
		}
	}
}

// peekAhead returns the bytes in the buffer, n at least, unless the file ends or can't be
// read. The next read returns the error.
func peekAhead(buf *bufio.Reader, n int) []byte {
	_, _ = buf.Peek(n)
	part, _ := buf.Peek(buf.Buffered())
	return part
}

var lineEnd = []byte("\n")

// blankStart returns the number of blanks at the start. A run of one blank is compared
// at the speed of memory.
func blankStart(part []byte) int {
	const blank = " \t\r\n\v\f"
	if len(part) == 0 || bytes.IndexByte([]byte(blank), part[0]) < 0 {
		return 0
	}
	if bytes.Equal(part[1:], part[:len(part)-1]) {
		return len(part)
	}
	return len(part) - len(bytes.TrimLeft(part, blank))
}
