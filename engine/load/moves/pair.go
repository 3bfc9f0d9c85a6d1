package moves

import (
	"io"
	"strings"

	"hindsql/internal/logstart"
	"hindsql/readers/zstd"
)

// line identifies an agent's logs that begin with the same line.
type line struct {
	agent string
	hash  uint64
}

// pair finds the lost logs among the unknown files. of has the log of each file. A file is
// a log if it begins like the log and isn't shorter, and no other file or log does.
func (m *Match) pair(of []int, isGone func(log int) bool) {
	alike := map[line][]int{}
	for at, mark := range m.marks {
		if by := (line{m.logs[at].Agent, mark.Line}); mark.Bytes > 0 {
			alike[by] = append(alike[by], at)
		}
	}
	found, claims := map[int][]int{}, map[int]int{}
	block := make([]byte, logstart.Most)
	for i := range m.files {
		f := &m.files[i]
		if of[i] != none || f.Odd {
			continue
		}
		start := f.start(block)
		for _, at := range alike[line{f.Agent, logstart.Of(start).Line}] {
			if m.marks[at].IsOf(start) && isGone(at) {
				found[i] = append(found[i], at)
				claims[at]++
			}
		}
	}
	for i, list := range found {
		if len(list) == 1 && claims[list[0]] == 1 && m.files[i].isWhole(&m.logs[list[0]]) {
			of[i] = list[0]
		}
	}
}

// open opens the file, without its compression.
func (f *File) open() (io.ReadCloser, error) {
	if isPacked(f.Path) {
		return zstd.Open(f.Open)
	}
	return f.Open()
}

func isPacked(path string) bool { return strings.HasSuffix(path, zstd.Suffix) }

// start reads the file's beginning into block. The result is empty if the file can't be
// read.
func (f *File) start(block []byte) []byte {
	from, err := f.open()
	if err != nil {
		return nil
	}
	defer from.Close()
	n, _ := io.ReadFull(from, block) // a shorter file is no error
	return block[:n]
}

// isWhole reports whether the file has as many bytes as the log had. A compressed log had
// more bytes than its size.
func (f *File) isWhole(of *Log) bool {
	if !isPacked(f.Path) || isPacked(of.Path) {
		return f.Size >= of.Size
	}
	from, err := f.open()
	if err != nil {
		return false
	}
	defer from.Close()
	n, _ := io.CopyN(io.Discard, from, of.Size)
	return n == of.Size
}
