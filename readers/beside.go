package readers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hindsql/tables"
)

// BesideLimit is the largest file in bytes that [Input.Beside] reads into memory.
const BesideLimit = 64 << 20

// neighbourhood opens and stats files below a log's root for the log's reader. It lists
// all these files and folders in met: a change of a listed file counts as a change of
// the log.
type neighbourhood struct {
	root     string
	met      []tables.Neighbour
	disk     disk
	failedAt string // the path that could not be read
}

// input returns the log as an [Input], whose functions are those of n. own reads the
// log itself, and keeps the first failure.
func (n *neighbourhood) input(log Log, own *disk) Input {
	return Input{
		Rel:    log.Rel,
		Open:   func() (io.ReadCloser, error) { return own.read(log.Path) },
		Beside: n.read,
		Exists: n.exists,
		With:   func(suffix string) (io.ReadCloser, error) { return n.with(log.Path + suffix) },
		Aside:  n.aside,

		Names:      n.names,
		NamesAside: n.namesAside,
		Watch:      n.watch,

		ModifiedAt: log.ModifiedAt,
		size:       log.Size,
	}
}

// unread returns an [*Unread] if reading the log or a file beside it failed, otherwise
// nil.
func (n *neighbourhood) unread(own *disk, err error) error {
	switch {
	case own.failed != nil:
		return &Unread{Err: own.failed}
	case n.disk.failed != nil:
		return &Unread{n.disk.failed, n.failedAt}
	case errors.As(err, new(*Unread)):
		return err
	}
	return nil
}

// with opens a file that belongs to the log, for example its -wal. If that fails, the
// log counts as not completely read.
func (n *neighbourhood) with(path string) (io.ReadCloser, error) {
	if _, err := n.look(path, true); err != nil {
		n.disk.note(err)
		return nil, err
	}
	return n.disk.read(path)
}

func (n *neighbourhood) aside(rel string) (io.ReadCloser, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return n.disk.open(path)
}

func (n *neighbourhood) watch(rel string) {
	if path, ok := n.path(rel); ok {
		n.look(path, true) //nolint:errcheck // look also notes a missing file
	}
}

func (n *neighbourhood) read(rel string) ([]byte, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, fs.ErrNotExist
	}
	data, err := n.readFile(rel, path)
	if passes(err) && n.fails(path, err) {
		return nil, fs.ErrNotExist // the loader of the log reports the failure
	}
	return data, err
}

func (n *neighbourhood) readFile(rel, path string) ([]byte, error) {
	// look runs before the read, so the next sync sees a write in between as a change.
	now, err := n.look(path, true)
	if err != nil {
		return nil, err
	}
	if now.Size > BesideLimit {
		return nil, &tooLarge{rel, now.Size}
	}
	f, err := n.disk.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, BesideLimit+1)) // the file may grow
}

// fails notes an error of a file beside the log, if the file may be readable later. It
// returns false, and notes nothing, if the file isn't regular or is too large.
func (n *neighbourhood) fails(path string, err error) bool {
	if errors.As(err, new(*NotAFile)) || errors.As(err, new(*tooLarge)) {
		return false
	}
	if n.disk.failed == nil {
		n.failedAt = path
	}
	n.disk.note(err)
	return true
}

// tooLarge is the error for a file larger than BesideLimit.
type tooLarge struct {
	rel  string
	size int64
}

func (t *tooLarge) Error() string {
	return fmt.Sprintf("%s: %d bytes, more than the %d that are read; left out", t.rel, t.size, BesideLimit)
}

func (n *neighbourhood) exists(rel string) bool {
	path, ok := n.path(rel)
	if !ok {
		return false
	}
	_, err := n.look(path, false)
	if passes(err) {
		n.fails(path, err)
	}
	return err == nil
}

func (n *neighbourhood) path(rel string) (path string, ok bool) {
	rel = filepath.FromSlash(rel)
	return filepath.Join(n.root, rel), filepath.IsLocal(rel)
}

// look stats a path and adds the result to met. read says whether the file is also
// read.
func (n *neighbourhood) look(path string, read bool) (tables.Neighbour, error) {
	now, err := look(n.disk.lane, path)
	now.WasRead = read
	n.met = append(n.met, now)
	return now, err
}

// look stats a path. A path counts as missing until stat succeeds.
func look(l *lane, path string) (tables.Neighbour, error) {
	info, err := call(l, path, os.Stat)
	if err != nil {
		return tables.Neighbour{Path: path}, err
	}
	return tables.Neighbour{Path: path, Exists: true, Size: info.Size(), ModifiedAt: info.ModTime()}, nil
}
