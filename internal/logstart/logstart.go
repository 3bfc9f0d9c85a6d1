// Package logstart hashes the beginning of a log. A log only grows, so a log that was
// moved is found again by its beginning.
package logstart

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Most is the number of bytes that are hashed; less of a shorter log.
const Most = 64 << 10

// Mark identifies a log by its beginning.
type Mark struct {
	Bytes int    // number of hashed bytes
	Line  uint64 // hash of the first line; of all hashed bytes if the line is longer
	Block uint64 // hash of all hashed bytes
}

// String returns the mark as a text; empty for no mark.
func (m Mark) String() string {
	if m == (Mark{}) {
		return ""
	}
	return fmt.Sprintf("%d %016x %016x", m.Bytes, m.Line, m.Block)
}

// Parse returns the mark of a text; no mark if the text is no mark's.
func Parse(text string) (m Mark) {
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return m
	}
	size, wrong := strconv.Atoi(fields[0])
	first, wrongLine := strconv.ParseUint(fields[1], 16, 64)
	all, wrongBlock := strconv.ParseUint(fields[2], 16, 64)
	if wrong != nil || wrongLine != nil || wrongBlock != nil || size < 1 || size > Most {
		return m
	}
	return Mark{size, first, all}
}

// Of returns the mark of a log that begins with block.
func Of(block []byte) Mark {
	h := New()
	h.Add(block)
	return h.Mark()
}

// IsOf reports whether block begins like the marked log. block has the log's first Most
// bytes, or all bytes of a shorter log.
func (m Mark) IsOf(block []byte) bool {
	return m.Bytes > 0 && len(block) >= m.Bytes && Of(block[:m.Bytes]) == m
}

// Hasher makes the mark of a log while the log is read.
type Hasher struct {
	digest  *xxhash.Digest
	bytes   int
	line    uint64
	hasLine bool
	isLog   bool // false for a database
}

// New returns a Hasher of a log's first byte on.
func New() *Hasher { return &Hasher{digest: xxhash.New()} }

// Add adds the log's next bytes. It ignores bytes after the first Most.
func (h *Hasher) Add(part []byte) {
	if part = part[:min(len(part), Most-h.bytes)]; len(part) == 0 {
		return
	}
	if h.bytes == 0 {
		h.isLog = part[0] == '{'
	}
	h.bytes += len(part)
	if end := bytes.IndexByte(part, '\n') + 1; !h.hasLine && end > 0 {
		_, _ = h.digest.Write(part[:end])
		h.line, h.hasLine, part = h.digest.Sum64(), true, part[end:]
	}
	_, _ = h.digest.Write(part)
}

// Mark returns the mark of the bytes so far. A log whose first line isn't complete has
// none, and neither has a file that doesn't begin with an object.
func (h *Hasher) Mark() Mark {
	if !h.isLog || !h.hasLine && h.bytes < Most {
		return Mark{}
	}
	m := Mark{Bytes: h.bytes, Line: h.line, Block: h.digest.Sum64()}
	if !h.hasLine {
		m.Line = m.Block
	}
	return m
}

// Watch hashes the beginning of a log while the log is read, perhaps several times.
type Watch struct{ opened []*Hasher }

// Of returns the log, to be read from its first byte on.
func (w *Watch) Of(log io.ReadCloser) io.ReadCloser {
	h := New()
	w.opened = append(w.opened, h)
	return watched{log, h}
}

// Drop forgets what was read so far.
func (w *Watch) Drop() { w.opened = nil }

// Mark returns the mark of the longest beginning that was read.
func (w *Watch) Mark() (longest Mark) {
	for _, h := range w.opened {
		if m := h.Mark(); m.Bytes > longest.Bytes {
			longest = m
		}
	}
	return longest
}

type watched struct {
	io.ReadCloser
	hasher *Hasher
}

func (l watched) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.hasher.Add(p[:n])
	return n, err
}
