package readers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"hindsql/internal/regular"
)

// NotAFile is the error for a pipe, socket, device, folder or circle of links that has a
// log's name. The reader never opens one: opening a pipe would wait for a writer.
type NotAFile struct {
	Path string
	Kind fs.FileMode // type bits only
}

// Error names the path and its kind.
func (n *NotAFile) Error() string {
	return fmt.Sprintf("%s: %s, not a log; left alone", n.Path, regular.Kind(n.Kind))
}

// OpenFile is [regular.Open] for logs and the files beside them: its error is a
// [*NotAFile] of this package.
func OpenFile(path string) (*os.File, error) {
	f, err := regular.Open(path)
	if other := (*regular.NotAFile)(nil); errors.As(err, &other) {
		err = &NotAFile{path, other.Kind}
	}
	return f, err
}

// disk opens a log and the files beside it. It keeps the first failure.
type disk struct {
	reader *Reader
	lane   *lane
	failed error // the first failure
}

// openRecorded opens a file, and records failures to open or read it.
func (d *disk) openRecorded(path string) (io.ReadCloser, error) {
	f, err := d.open(path)
	if err != nil {
		d.recordFailure(err)
		return nil, err
	}
	n := recordingFile{f, d}
	if at, ok := f.(diskReader); ok {
		return struct {
			recordingFile
			diskReader
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
	if at, ok := f.(diskReader); ok {
		return &struct {
			onLane
			diskReaderOnLane
		}{on, diskReaderOnLane{at, d.lane, path}}, nil
	}
	return &on, nil
}

// onLane is a file whose calls go through a lane.
type onLane struct {
	file io.ReadCloser
	lane *lane
	path string
}

// mostAtOnce is how many bytes a disk must return before the Watchdog sees progress.
const mostAtOnce = 256 << 10

func (o onLane) Read(p []byte) (int, error) {
	if err := o.lane.beginCall(o.path); err != nil {
		return 0, err
	}
	defer o.lane.endCall()
	return o.file.Read(p[:min(len(p), mostAtOnce)])
}

// Close closes the file even if the lane was given up.
func (o onLane) Close() error {
	if o.lane.beginCall(o.path) == nil {
		defer o.lane.endCall()
	}
	return o.file.Close()
}

// diskReaderOnLane adds the other methods of a file on the disk. Their calls go through
// the lane, too.
type diskReaderOnLane struct {
	file diskReader
	lane *lane
	path string
}

func (a diskReaderOnLane) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = a.readSome(p[n:], at+int64(n))
		n += more
	}
	return n, err
}

func (a diskReaderOnLane) readSome(p []byte, at int64) (int, error) {
	if err := a.lane.beginCall(a.path); err != nil {
		return 0, err
	}
	defer a.lane.endCall()
	return a.file.ReadAt(p[:min(len(p), mostAtOnce)], at)
}

func (a diskReaderOnLane) Stat() (fs.FileInfo, error) {
	return call(a.lane, a.path, func(string) (fs.FileInfo, error) { return a.file.Stat() })
}

// Name returns the file's path without asking the disk.
func (a diskReaderOnLane) Name() string { return a.file.Name() }

// SyscallConn returns the file's descriptor. Calls on the descriptor go through the
// lane.
func (a diskReaderOnLane) SyscallConn() (syscall.RawConn, error) {
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
	if err := r.lane.beginCall(r.path); err != nil {
		return err
	}
	defer r.lane.endCall()
	return r.RawConn.Control(use)
}

// diskReaderOnLane must have all these methods. Otherwise package sqlite would read a
// database into memory, and the copy would be inconsistent if the agent writes
// meanwhile.
var _ diskReader = diskReaderOnLane{}

// diskReader has the methods of a file on the disk, besides those of [io.ReadCloser].
type diskReader interface {
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

// OpenFile opens a log, or a file beside a log, by the reader's own Open if set.
func (r *Reader) OpenFile(path string) (io.ReadCloser, error) {
	if r.Open != nil {
		return r.Open(path)
	}
	f, err := OpenFile(path)
	if err != nil {
		return nil, err // not f: a nil *os.File in the interface would not be nil
	}
	return f, nil
}

func (d *disk) recordFailure(err error) {
	if d.failed == nil && isTemporary(err) {
		d.failed = err
	}
}

// isTemporary reports whether a disk error is temporary and a later read may succeed. An
// error for an impossible file name is permanent. Impossible names occur because
// readers build the names of files beside a log from the log's content.
func isTemporary(err error) bool {
	is := func(lasting error) bool { return errors.Is(err, lasting) }
	lasting := []error{io.EOF, fs.ErrNotExist, syscall.ENOTDIR, syscall.EINVAL, fs.ErrInvalid}
	return err != nil && !slices.ContainsFunc(lasting, is) && !slices.ContainsFunc(permanentErrors, is)
}

// recordingFile is a file whose read errors are recorded with the log. A reader may
// take a read error for the end of the file, and go on without an error.
type recordingFile struct {
	io.ReadCloser
	disk *disk
}

func (n recordingFile) Read(p []byte) (int, error) {
	count, err := n.ReadCloser.Read(p)
	if err != nil {
		n.disk.recordFailure(err)
	}
	return count, err
}
