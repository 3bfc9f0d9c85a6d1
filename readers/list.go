package readers

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// entry is a name in a folder.
type entry struct {
	name       string
	kind       fs.FileMode // its type bits
	size       int64       // bytes; of wanted files only
	modifiedAt time.Time   // likewise
	err        error       // of looking at it
}

// listPortably gives what a folder holds: folders, symbolic links, and those of
// the other names that are wanted. The error is one of reading the folder; what
// was read before it is given, too.
func listPortably(l *lane, folder string, wanted func(name string) bool) (entries []entry, err error) {
	if err := l.enter(folder); err != nil {
		return nil, err
	}
	defer l.leave()
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for {
		some, err := f.ReadDir(namesAtOnce)
		for _, e := range some {
			one := entry{name: e.Name(), kind: e.Type()}
			if !l.step() || !one.isWay() && (!wanted(one.name) || !one.look(e)) {
				continue
			}
			entries = append(entries, one)
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if err != nil || len(some) < namesAtOnce {
			return entries, err
		}
	}
}

// namesAtOnce is how many names a slow disk has to give before it counts as silent.
const namesAtOnce = 64

// isWay says whether the entry is one that leads on.
func (e *entry) isWay() bool { return e.kind.IsDir() || e.kind&fs.ModeSymlink != 0 }

// look says whether the entry is still there.
func (e *entry) look(at fs.DirEntry) bool {
	info, err := at.Info()
	if err != nil {
		e.err = err
		return !errors.Is(err, fs.ErrNotExist)
	}
	e.kind, e.size, e.modifiedAt = info.Mode().Type(), info.Size(), info.ModTime()
	return true
}
