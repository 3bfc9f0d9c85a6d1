package readers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// NotAFile is the error of a pipe, a socket, a device or a folder under a log's
// name. None is ever read: to open a pipe waits for who writes to it.
type NotAFile struct {
	Path string
	Kind fs.FileMode // its type bits
}

// Error says what it is.
func (n *NotAFile) Error() string {
	kind := "no regular file"
	switch {
	case n.Kind&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case n.Kind&fs.ModeSocket != 0:
		kind = "a socket"
	case n.Kind&fs.ModeDevice != 0:
		kind = "a device"
	case n.Kind.IsDir():
		kind = "a folder"
	}
	return fmt.Sprintf("%s: %s, not a log; left alone", n.Path, kind)
}

// OpenFile opens a regular file for reading. The error of anything else is a
// [*NotAFile]; what took the file's place since it was looked at isn't waited for.
func OpenFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) { // a socket
		err = &NotAFile{path, fs.ModeSocket}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &NotAFile{path, info.Mode().Type()}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// disk is where a log and the files beside it are read from, and what of them
// could not be read.
type disk struct {
	reader *Reader
	failed error // the first failure
}

// read opens a file, and takes note of a failure to read it.
func (d *disk) read(path string) (io.ReadCloser, error) {
	f, err := d.reader.OpenFile(path)
	if err != nil {
		d.note(err)
		return nil, err
	}
	if at, ok := f.(onDisk); ok {
		return struct {
			noted
			anywhere
		}{noted{f, d}, at}, nil
	}
	return &noted{f, d}, nil
}

// onDisk is a file of the disk's, which is read anywhere.
type onDisk interface {
	io.ReadCloser
	anywhere
}

type anywhere interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// OpenFile opens a log, or a file beside one, as the reader does.
func (r *Reader) OpenFile(path string) (io.ReadCloser, error) {
	if r.Open != nil {
		return r.Open(path)
	}
	f, err := OpenFile(path)
	if err != nil {
		return nil, err // not f, which would be a reader of nothing
	}
	return f, nil
}

func (d *disk) note(err error) {
	if d.failed == nil && passes(err) {
		d.failed = err
	}
}

// passes says whether an error of the disk's may pass, and the file be read then.
// That of a name which no file can have doesn't: names beside a log are made of
// what the log says.
func passes(err error) bool {
	for _, lasting := range []error{io.EOF, fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EINVAL, fs.ErrInvalid} {
		if errors.Is(err, lasting) {
			return false
		}
	}
	return err != nil
}

// noted is a file whose failures to be read are noted: a reader may take one for
// the file's end.
type noted struct {
	io.ReadCloser
	disk *disk
}

func (n noted) Read(p []byte) (int, error) {
	count, err := n.ReadCloser.Read(p)
	if err != nil {
		n.disk.note(err)
	}
	return count, err
}
