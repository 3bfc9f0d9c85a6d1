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
	kind       fs.FileMode // type bits only
	size       int64       // bytes; set for wanted files only
	modifiedAt time.Time   // set for wanted files only
	err        error       // from stat of the entry
}

// listPortably returns a folder's subfolders, symbolic links, and other entries with
// wanted names. The error is from reading the folder; entries read before it are
// returned, too.
func listPortably(l *lane, folder string, wanted func(name string) bool) (entries []entry, err error) {
	if err := l.beginCall(folder); err != nil {
		return nil, err
	}
	defer l.endCall()
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for {
		some, err := f.ReadDir(namesAtOnce)
		for _, e := range some {
			one := entry{name: e.Name(), kind: e.Type()}
			if !l.step() || !one.isFolderOrLink() && (!wanted(one.name) || !one.stat(e)) {
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

// namesAtOnce is how many names a disk must return before the Watchdog sees progress.
const namesAtOnce = 64

// isFolderOrLink reports whether the entry may lead to further logs: it is a folder or a
// symbolic link.
func (e *entry) isFolderOrLink() bool { return e.kind.IsDir() || e.kind&fs.ModeSymlink != 0 }

// stat fills in the entry's type, size and time. It returns false if the file is gone.
func (e *entry) stat(at fs.DirEntry) bool {
	info, err := at.Info()
	if err != nil {
		e.err = err
		return !errors.Is(err, fs.ErrNotExist)
	}
	e.kind, e.size, e.modifiedAt = info.Mode().Type(), info.Size(), info.ModTime()
	return true
}
