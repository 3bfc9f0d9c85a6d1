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
	return fmt.Sprintf("%s: %s, not a log; left alone", n.Path, Kind(n.Kind))
}

// Kind names what is no regular file.
func Kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode.IsDir():
		return "a folder"
	}
	return "no regular file"
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
	lane   *lane
	failed error // the first failure
}

// read opens a file, and takes note of a failure to read it.
func (d *disk) read(path string) (io.ReadCloser, error) {
	f, err := d.open(path)
	if err != nil {
		d.note(err)
		return nil, err
	}
	n := noted{f, d}
	if at, ok := f.(onDisk); ok {
		return struct {
			noted
			anywhere
		}{n, at}, nil
	}
	return &n, nil
}

// open opens a file whose calls go through the lane.
func (d *disk) open(path string) (io.ReadCloser, error) {
	f, err := call(d.lane, path, d.reader.OpenFile)
	if err != nil || d.lane == nil {
		return f, err
	}
	on := onLane{f, d.lane, path}
	if at, ok := f.(onDisk); ok {
		return &struct {
			onLane
			anywhereOnLane
		}{on, anywhereOnLane{at, d.lane, path}}, nil
	}
	return &on, nil
}

// onLane is a file whose calls go through a lane.
type onLane struct {
	file io.ReadCloser
	lane *lane
	path string
}

// mostAtOnce is how many bytes a slow disk has to give before it counts as silent.
const mostAtOnce = 256 << 10

func (o onLane) Read(p []byte) (int, error) {
	if err := o.lane.enter(o.path); err != nil {
		return 0, err
	}
	defer o.lane.leave()
	return o.file.Read(p[:min(len(p), mostAtOnce)])
}

// Close closes the file whatever the lane says.
func (o onLane) Close() error {
	if o.lane.enter(o.path) == nil {
		defer o.lane.leave()
	}
	return o.file.Close()
}

// anywhereOnLane is the rest of a file of the disk's.
type anywhereOnLane struct {
	file anywhere
	lane *lane
	path string
}

func (a anywhereOnLane) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = a.readSome(p[n:], at+int64(n))
		n += more
	}
	return n, err
}

func (a anywhereOnLane) readSome(p []byte, at int64) (int, error) {
	if err := a.lane.enter(a.path); err != nil {
		return 0, err
	}
	defer a.lane.leave()
	return a.file.ReadAt(p[:min(len(p), mostAtOnce)], at)
}

func (a anywhereOnLane) Stat() (fs.FileInfo, error) {
	return call(a.lane, a.path, func(string) (fs.FileInfo, error) { return a.file.Stat() })
}

// Name is the file's path, for which the disk isn't asked.
func (a anywhereOnLane) Name() string { return a.file.Name() }

// SyscallConn gives the file's descriptor. What is asked of it goes through the lane.
func (a anywhereOnLane) SyscallConn() (syscall.RawConn, error) {
	raw, err := a.file.SyscallConn()
	return rawOnLane{raw, a.lane, a.path}, err
}

// rawOnLane is the descriptor of a file whose calls go through a lane.
type rawOnLane struct {
	syscall.RawConn
	lane *lane
	path string
}

func (r rawOnLane) Control(use func(fd uintptr)) error {
	if err := r.lane.enter(r.path); err != nil {
		return err
	}
	defer r.lane.leave()
	return r.RawConn.Control(use)
}

// A database that is no file of the disk's would be read into memory, torn where
// its agent writes it.
var _ anywhere = anywhereOnLane{}

// onDisk is a file of the disk's, which is read anywhere.
type onDisk interface {
	io.ReadCloser
	anywhere
}

type anywhere interface {
	io.ReaderAt
	descriptor
}

type descriptor interface {
	syscall.Conn
	named
}

type named interface {
	Name() string
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
