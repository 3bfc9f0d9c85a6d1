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
}

var bom = []byte("\xEF\xBB\xBF")

// scanBuffers are reused: a folder of logs is thousands of small files.
var scanBuffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 256<<10) }}

// Lines splits r at newlines only (U+2028 stands raw inside strings), with no
// limit to a line's length. Blank lines are left out but counted; a byte order
// mark, and a carriage return before the newline, are no part of a line. A read
// error comes last, as the second value, in place of the line that it cut.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		buf := scanBuffers.Get().(*bufio.Reader)
		buf.Reset(r)
		defer func() {
			buf.Reset(nil)
			scanBuffers.Put(buf)
		}()
		var long []byte
		line := Line{}
		for next := int64(0); ; {
			var err error
			line.Number++
			line.Offset = next
			line.Bytes, err = readLine(buf, &long)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{Number: line.Number, Offset: next}, err)
				return
			}
			next += int64(len(line.Bytes))
			if line.Whole = err == nil; line.Whole {
				line.Bytes = bytes.TrimSuffix(line.Bytes[:len(line.Bytes)-1], []byte("\r"))
			}
			if line.Number == 1 && bytes.HasPrefix(line.Bytes, bom) {
				line.Bytes, line.Offset = line.Bytes[len(bom):], int64(len(bom))
			}
			if len(bytes.TrimSpace(line.Bytes)) > 0 && !yield(line, nil) {
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// readLine gives the next line with its newline, from the buffer where it fits
// and from long where it doesn't.
func readLine(buf *bufio.Reader, long *[]byte) ([]byte, error) {
	part, err := buf.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return part, err
	}
	*long = append((*long)[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = buf.ReadSlice('\n')
		*long = append(*long, part...)
	}
	return *long, err
}
