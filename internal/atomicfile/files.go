// Package atomicfile writes files that are there whole or not at all, and shortens
// paths for people. It is a leaf, which every room may use; no log is ever
// written by it.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is a file that appears under its name when it is complete. Until then it
// has another name, in the same folder. What a killed process leaves there goes
// when the next file is created in the folder.
type File struct {
	*os.File
	target string // empty when it is written in place
}

// Create opens a file for writing, with mode 0600; its folder is to be there. A
// symbolic link stays one: what it leads to is replaced. What is there and no
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
		err = fmt.Errorf("%s: %w", path, wrong.Err) // the user knows nothing of the other name
	}
	return &File{f, path}, err
}

// Commit gives the file its name.
func (f *File) Commit() error {
	defer keep(f.File)() // else another process takes it for what a killed one left
	err := f.Close()
	if err == nil && f.target != "" {
		err = os.Rename(f.Name(), f.target)
	}
	return err
}

// CommitNew gives the file its name, unless that is taken: the error is
// fs.ErrExist then. Of several processes that do so at once one succeeds.
func (f *File) CommitNew() error {
	defer keep(f.File)()
	err := f.Close()
	if err == nil {
		err = os.Link(f.Name(), f.target)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = f.withoutLinks()
	}
	if lost := os.Remove(f.Name()); err == nil && !errors.Is(lost, fs.ErrNotExist) {
		err = lost
	}
	return err
}

// withoutLinks is CommitNew where the disk has no links: two processes that look
// at the same moment may both succeed, and the last one's stays.
func (f *File) withoutLinks() error {
	if _, err := os.Lstat(f.target); err == nil {
		return fs.ErrExist
	}
	return os.Rename(f.Name(), f.target)
}

// Abandon drops what was written, unless it was committed.
func (f *File) Abandon() {
	f.Close()
	if f.target != "" {
		os.Remove(f.Name())
	}
}

// Write writes a file as [Create] does.
func Write(path string, text []byte) error { return write(path, text, (*File).Commit) }

// WriteNew writes a file that isn't there yet; the error is fs.ErrExist where it is.
func WriteNew(path string, text []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	return write(path, text, (*File).CommitNew)
}

func write(path string, text []byte, commit func(*File) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return commit(f)
}

// Tighten has a file, which may be an older build's, be its user's alone. What is
// no regular file stays as it is.
func Tighten(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, 0o600)
}

// Short writes a path below the home folder with ~. An empty home is none.
func Short(home, path string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// Long is the path that an argument names: ~ at its beginning, which shells
// leave alone after a =, is the home folder. An empty home is none.
func Long(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return home + rest
	}
	return path
}

// WithoutLinks is a path without symbolic links, as far down as there is anything.
func WithoutLinks(p string) string {
	real, err := filepath.EvalSymlinks(p)
	if above := filepath.Dir(p); err != nil && above != p {
		return filepath.Join(WithoutLinks(above), filepath.Base(p))
	} else if err != nil {
		return p
	}
	return real
}
