// Package atomicfile writes files whole or not at all, and shortens paths for people.
// Any package may use it, because it imports only the standard library. No log is
// written with this package.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// File is a file under a temporary name in the target's folder until its content is
// complete. Temporary files left by a killed process are removed when the next file is
// created in the folder.
type File struct {
	*os.File
	target string // empty if written in place
}

// Create opens a file for writing, with mode 0600, in an existing folder. For a
// symbolic link, its target is replaced and the link stays. An existing path that is no
// regular file, such as /dev/null, is written in place.
func Create(path string) (*File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &File{f, ""}, err
	}
	sweep(filepath.Dir(path))
	f, err := create(filepath.Dir(path))
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
		err = fmt.Errorf("%s: %w", path, wrong.Err) // the user doesn't know the temporary name
	}
	return &File{f, path}, err
}

// Commit gives the file its final name.
func (f *File) Commit() error {
	defer keepLock(f.File)() // otherwise another process could sweep the closed file
	err := f.Close()
	if err == nil && f.target != "" {
		err = Rename(f.Name(), f.target)
	}
	return err
}

// CommitNew gives the file its final name. If the name is taken, CommitNew returns
// fs.ErrExist. Of several processes at once, exactly one succeeds.
func (f *File) CommitNew() error {
	defer keepLock(f.File)()
	err := f.Close()
	if err == nil {
		err = os.Link(f.Name(), f.target)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = f.withoutLinks()
	}
	if lost := Remove(f.Name()); err == nil && !errors.Is(lost, fs.ErrNotExist) {
		err = lost
	}
	return err
}

// withoutLinks is CommitNew on a disk without links. Two processes at the same moment
// may both succeed; then the last file stays.
func (f *File) withoutLinks() error {
	if _, err := os.Lstat(f.target); err == nil {
		return fs.ErrExist
	}
	return Rename(f.Name(), f.target)
}

// Abandon removes an uncommitted file.
func (f *File) Abandon() {
	f.Close()
	if f.target != "" {
		_ = Remove(f.Name())
	}
}

// Write writes a file by [Create] and Commit.
func Write(path string, text []byte) error { return write(path, fillWith(text), (*File).Commit) }

// WriteBy writes a file by a function. The file appears only if the function succeeds.
func WriteBy(path string, fill func(io.Writer) error) error {
	return write(path, fill, (*File).Commit)
}

// WriteNew writes a new file. It returns fs.ErrExist if path exists.
func WriteNew(path string, text []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	return write(path, fillWith(text), (*File).CommitNew)
}

func fillWith(text []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(text); return err }
}

func write(path string, fill func(io.Writer) error, commit func(*File) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if err := fill(f); err != nil {
		return err
	}
	return commit(f)
}

// MakePrivate makes a regular file, perhaps written by an older build, accessible to its
// user only. Other kinds of files stay unchanged.
func MakePrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, 0o600)
}

// busyPatience is how long Rename and Remove wait for another program. Virus scanners
// and indexers open a new file for a moment.
const busyPatience = 2 * time.Second

// Rename is os.Rename. On Windows, it waits up to two seconds while another program has
// one of the files open.
func Rename(from, to string) error { return retryBusy(func() error { return os.Rename(from, to) }) }

// Remove is os.Remove. On Windows, it waits up to two seconds while another program has
// the file open.
func Remove(path string) error { return retryBusy(func() error { return os.Remove(path) }) }

// retryBusy calls try until it returns no error of [IsBusy], or the patience runs out.
func retryBusy(try func() error) error {
	err := try()
	if !IsBusy(err) {
		return err
	}
	until := time.Now().Add(busyPatience)
	for wait := time.Millisecond; IsBusy(err) && time.Now().Before(until); wait = min(2*wait, 50*time.Millisecond) {
		time.Sleep(wait)
		err = try()
	}
	return err
}

// Unfinished is the prefix of temporary names of incomplete files.
const Unfinished = ".hindsql-"

// create makes and locks a temporary file. Another process's sweep removes unlocked
// files, maybe also the new file before create locks it. Then create tries again. On
// disks without locks no sweep takes place.
func create(folder string) (f *os.File, err error) {
	for range mostSwept {
		if f, err = os.CreateTemp(folder, Unfinished+"*"); err != nil {
			return f, err
		}
		if err := lockFile(f); err == nil && isStill(f) || err != nil && !errors.Is(err, errHeld) {
			return f, nil
		}
		f.Close()
	}
	return os.CreateTemp(folder, Unfinished+"*")
}

// mostSwept is how often create tries. On a busy machine with eight writers, sweeps
// removed five new files in a row.
const mostSwept = 1000

// errHeld is returned for a file locked by another process.
var errHeld = errors.New("held by another process")

// isStill reports whether the file still exists under its name.
func isStill(f *os.File) bool {
	here, err := f.Stat()
	there, lost := os.Lstat(f.Name())
	return err == nil && lost == nil && os.SameFile(here, there)
}

// sweep removes the unfinished files of killed processes from a folder.
func sweep(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if matched, _ := filepath.Match(Unfinished+"[0-9]*", e.Name()); matched && e.Type().IsRegular() {
			sweepFile(filepath.Join(folder, e.Name()))
		}
	}
}
