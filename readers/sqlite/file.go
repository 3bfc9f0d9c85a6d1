package sqlite

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"hindsql/readers"
)

// place is where the files of one database come from.
type place struct {
	name string
	db   func() (io.ReadCloser, error)
	with func(suffix string) (io.ReadCloser, error)
	// beside opens another file of the database's folder.
	beside func(name string) (io.ReadCloser, error)
}

// file is one of them, open.
type file interface {
	io.Closer
	anywhere
}

// anywhere is read at any place.
type anywhere interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// opened makes a file of what was opened: that of a disk as it is, and anything
// else, such as a test's bytes, in memory.
func opened(r io.ReadCloser, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	if f, ok := r.(file); ok {
		return onDisk{f}, nil
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return memory{bytes.NewReader(data)}, err
}

// onDisk is a file of a disk, whose failures are the disk's.
type onDisk struct{ file }

func (f onDisk) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.file.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &readers.Unread{Err: err}
	}
	return n, err
}

// folderOf is the folder of a file of the disk's, without links on the way; empty
// where that isn't known.
func folderOf(f file) string {
	disk, ok := f.(onDisk)
	if !ok {
		return ""
	}
	named, ok := disk.file.(interface{ Name() string })
	if !ok {
		return ""
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(named.Name()))
	if err != nil {
		return ""
	}
	return folder
}

// optional opens a file that need not be there; nil where it isn't.
func (p *place) optional(suffix string) (file, error) {
	f, err := opened(p.with(suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// memory is a file that is no disk's: it never changes.
type memory struct{ *bytes.Reader }

func (memory) Close() error                 { return nil }
func (m memory) Stat() (fs.FileInfo, error) { return sized(m.Size()), nil }

// sized is what a file of the given size, which nobody changes, says of itself.
type sized int64

func (s sized) Name() string     { return "" }
func (s sized) Size() int64      { return int64(s) }
func (sized) Mode() fs.FileMode  { return 0o444 }
func (sized) ModTime() time.Time { return time.Time{} }
func (sized) IsDir() bool        { return false }
func (sized) Sys() any           { return nil }

// same says whether two looks met the same file, unchanged.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// start reads a file's first bytes, as many of n as it has.
func start(f file, n int) ([]byte, error) {
	head := make([]byte, n)
	n, err := f.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}
