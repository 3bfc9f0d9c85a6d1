// Package regular opens and reads regular files, for all packages. A pipe, a socket, a
// device or a folder under a file's name is an error, and so is a text above a limit. A
// link counts as its target.
//
// In: paths. Out: files and texts, or an [*fs.PathError] that names the path and the
// reason. The package writes nothing.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// The largest texts that [Read] returns, in bytes. Other people fill a repository. In
// the user's own folders, an agent's settings of 238 MB have been seen.
const (
	InRepository = 16 << 20
	Own          = 512 << 20
)

// NotAFile is the reason for a path that is no regular file.
type NotAFile struct {
	Kind fs.FileMode // type bits only; ModeSymlink for a circle of links
}

// Error names the kind.
func (n *NotAFile) Error() string { return Kind(n.Kind) + ", not a file" }

func notAFile(path string, kind fs.FileMode) error {
	return &fs.PathError{Op: "open", Path: path, Err: &NotAFile{kind}}
}

// Kind names the type of a path that isn't a regular file.
func Kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a circle of symbolic links"
	case mode.IsDir():
		return "a folder"
	}
	return "no regular file"
}

// TooLarge is the reason for a text above the limit.
type TooLarge struct{ Most int64 } // bytes

// Error names the limit.
func (t *TooLarge) Error() string {
	return fmt.Sprintf("larger than %d MB, the most that is read", t.Most>>20)
}

func tooLarge(path string, most int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: &TooLarge{most}}
}

// Open opens a regular file for reading. Open never waits, even if a pipe has replaced
// the file since it was found: the type is looked at after the file is open. For any
// other type the error is a [*NotAFile].
func Open(path string) (*os.File, error) {
	f, err := openShared(path)
	return checked(path, f, err)
}

// OpenIn is [Open] for a file below a root. No link leads out of the root.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return checked(filepath.Join(root.Name(), name), f, err)
}

func checked(path string, f *os.File, err error) (*os.File, error) {
	switch {
	case errors.Is(err, syscall.ENXIO):
		return nil, notAFile(path, fs.ModeSocket)
	case isCircle(err):
		return nil, notAFile(path, fs.ModeSymlink)
	case err != nil:
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notAFile(path, info.Mode().Type())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// IsMissing reports whether an error means a path that doesn't exist, or that can't exist.
func IsMissing(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EINVAL}, func(none error) bool { return errors.Is(err, none) })
}

// Check returns a [*NotAFile] if a path exists and is no regular file. Check is for
// files that a library opens, such as locks.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return notAFile(path, info.Mode().Type())
	}
	return nil
}

// Read returns the text of a regular file. A text of more than most bytes is a
// [*TooLarge].
func Read(path string, most int64) ([]byte, error) {
	if err := Check(path); err != nil { // to open a device may start something
		return nil, err
	}
	f, err := Open(path)
	return textOf(path, f, err, most)
}

// ReadIn is [Read] for a file below a root. No link leads out of the root.
func ReadIn(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := OpenIn(root, name)
	return textOf(name, f, err, most)
}

func textOf(path string, f *os.File, err error, most int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, tooLarge(path, most)
	}
	text := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	n, err := text.ReadFrom(io.LimitReader(f, most+1)) // the kernel's files have no size, and others may grow
	if err == nil && n > most {
		err = tooLarge(path, most)
	}
	return text.Bytes(), err
}

// ReadNamed returns the text of a file that the user named on a command line. The file
// may be a pipe, for example of a shell's <(command), and has no limit.
func ReadNamed(path string) ([]byte, error) { return os.ReadFile(path) }

// Dir is [os.DirFS] for a folder of the user's own. [fs.ReadFile] reads its files by
// [Read].
func Dir(folder string) fs.FS { return dir{os.DirFS(folder), folder} }

type dir struct {
	fs.FS
	path string
}

// ReadFile reads a file of the folder.
func (d dir) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return Read(filepath.Join(d.path, filepath.FromSlash(name)), Own)
}
