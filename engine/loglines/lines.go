// Package loglines reads single lines of logs, for the function raw, and remembers the
// disks with logs that give no answer.
//
// In: the paths of a store's logs, by id. Out: lines. It opens no other log, and writes
// one file beside the store: the list of unresponsive disks.
package loglines

import (
	"bufio"
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"hindsql/engine/store"
	"hindsql/readers"
)

// longestLine is the longest line that Lines returns, in bytes.
const longestLine = 64 << 20

// Lines returns lines of the logs in the store, and of no other file. The offsets of a
// file's lines are found once. Reading all lines in any order therefore reads the file
// twice in total.
type Lines struct {
	paths func(context.Context) (map[int64]string, error)
	open  func(path string) (*readers.File, error)
	mutex sync.Mutex
	known map[int64]string // result of the last call of paths
	at    store.File
	mark  string // of the store and of its list of forgotten sessions, at the last call of paths
	files map[int64]*lineIndex
}

// Call returns a line, as a string; nil if it can't be read. The values are the log's
// source id, and the line's number from 1 on.
func (l *Lines) Call(ctx context.Context, values []driver.Value) (any, error) {
	path, index, err := l.file(ctx, values[0].(int64))
	if err != nil || path == "" {
		return nil, err
	}
	file, err := l.open(path)
	if err != nil {
		return nil, nil // the log is gone, or can't be read
	}
	defer file.Close()
	if line, ok := index.line(file, values[1].(int64)); ok {
		return line, nil
	}
	return nil, nil
}

// file returns the path of a log, "" if the store doesn't know the log. Known paths stay
// true until the store changes, because a log may move, or a session is forgotten.
func (l *Lines) file(ctx context.Context, id int64) (string, *lineIndex, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if mark := store.MarkOf(l.at.Path) + store.MarkOf(l.at.ForgottenPath()); mark != l.mark {
		l.mark, l.known = mark, nil
	}
	path, ok := l.known[id]
	if !ok {
		known, err := l.paths(ctx)
		if err != nil {
			return "", nil, err
		}
		if path, ok = known[id]; !ok {
			known[id] = ""
		}
		l.known = known
	}
	if l.files[id] == nil {
		l.files[id] = &lineIndex{}
	}
	return path, l.files[id], nil
}

// New returns the Lines of a store. paths gives the paths of its logs, by source id.
func New(at store.File, paths func(context.Context) (map[int64]string, error), open func(path string) (*readers.File, error)) *Lines {
	return &Lines{paths: paths, open: open, at: at, files: map[int64]*lineIndex{}}
}

// lineIndex holds the offsets at which a file's lines begin.
type lineIndex struct {
	mutex      sync.Mutex
	size       int64
	modifiedAt time.Time
	starts     []int64 // offsets, the last is the file's end; nil if the file's lines can't be read
}

// line returns a line by its number, 1-based, without the line break.
func (x *lineIndex) line(file *readers.File, number int64) (string, bool) {
	starts, err := x.upToDate(file)
	if err != nil || number < 1 || number >= int64(len(starts)) {
		return "", false
	}
	length := starts[number] - starts[number-1]
	if length > longestLine {
		return "", false
	}
	text := make([]byte, length)
	if _, err := file.ReadAt(text, starts[number-1]); err != nil {
		return "", false
	}
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	return strings.ToValidUTF8(string(text), "\uFFFD"), true
}

// upToDate returns the line starts of the file's current content.
func (x *lineIndex) upToDate(file *readers.File) ([]int64, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	x.mutex.Lock()
	defer x.mutex.Unlock()
	if info.Size() == x.size && info.ModTime().Equal(x.modifiedAt) {
		return x.starts, nil
	}
	if x.starts, err = lineStarts(file); err == nil {
		x.size, x.modifiedAt = info.Size(), info.ModTime()
	}
	return x.starts, err
}

// zstdMagic begins a compressed file, whose lines can't be read.
var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

func lineStarts(r io.Reader) ([]int64, error) {
	in := bufio.NewReaderSize(r, 256<<10)
	if head, _ := in.Peek(len(zstdMagic)); bytes.Equal(head, zstdMagic) {
		return nil, nil
	}
	starts, at := []int64{0}, int64(0)
	for {
		part, err := in.ReadSlice('\n')
		at += int64(len(part))
		switch {
		case err == nil:
			starts = append(starts, at)
		case errors.Is(err, io.EOF):
			if at > starts[len(starts)-1] {
				starts = append(starts, at)
			}
			return starts, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
