package readers

import (
	"bufio"
	"bytes"
	"errors"
)

// mostBlank is how many blank bytes in a row are read. A compressed file of 200 kB may
// hold 6 GB of line ends, and every sync would decompress them.
const mostBlank = 1 << 30

var errBlank = errors.New("1 GB of blank lines follows; the rest of the file is left out")

// blanks skips blank lines.
type blanks struct {
	most int64 // blank bytes in a row that are skipped
	run  int64 // blank bytes since the last other byte
}

// skip skips the blank lines at the reader's position. It returns the number of line
// ends, and of bytes. If blanks fill buf, skip also skips those before a line's text.
// The error is errBlank.
func (b *blanks) skip(buf *bufio.Reader) (lines, size int64, err error) {
	for {
		part := ahead(buf, 1)
		n := blankStart(part)
		if n == len(part) {
			part = ahead(buf, buf.Size())
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

// ahead returns the bytes in the buffer, n at least, unless the file ends or can't be
// read. The next read returns the error.
func ahead(buf *bufio.Reader, n int) []byte {
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
