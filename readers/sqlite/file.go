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

// opener opens the files of one database.
type opener struct {
	name          string
	openDB        func() (io.ReadCloser, error)
	openCompanion func(suffix string) (io.ReadCloser, error)
	// openInFolder opens another file in the database's folder.
	openInFolder func(name string) (io.ReadCloser, error)
}

// file is one open file of a place.
type file interface {
	io.Closer
	statReaderAt
}

type statReaderAt interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// asFile returns r as a file. A disk file stays as it is. Other readers, for example a
// test's bytes, are read into memory.
func asFile(r io.ReadCloser, err error) (file, error) {
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

// onDisk is a file on the disk. Its read errors become [*readers.Unread].
type onDisk struct{ file }

func (f onDisk) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.file.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &readers.Unread{Err: err}
	}
	return n, err
}

// folderOf returns the folder of a disk file with links resolved, or the empty string
// if the folder is unknown.
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

// openOptional opens a file that may be missing. It returns nil for a missing file.
func (p *opener) openOptional(suffix string) (file, error) {
	f, err := asFile(p.openCompanion(suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// memory is a file in memory. It never changes.
type memory struct{ *bytes.Reader }

func (memory) Close() error                 { return nil }
func (m memory) Stat() (fs.FileInfo, error) { return sized(m.Size()), nil }

// sized is the FileInfo of a file with a size that never changes.
type sized int64

func (s sized) Name() string     { return "" }
func (s sized) Size() int64      { return int64(s) }
func (sized) Mode() fs.FileMode  { return 0o444 }
func (sized) ModTime() time.Time { return time.Time{} }
func (sized) IsDir() bool        { return false }
func (sized) Sys() any           { return nil }

// isUnchanged reports whether two FileInfos show the same unchanged file.
func isUnchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// readStart reads the first n bytes of a file, or fewer if the file is shorter.
func readStart(f file, n int) ([]byte, error) {
	head := make([]byte, n)
	n, err := f.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}
