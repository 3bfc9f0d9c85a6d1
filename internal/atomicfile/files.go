// Package atomicfile writes files whole or not at all, and shortens paths for people.
// Any package may use it, because it imports only the standard library. No log is
// written with this package.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	defer keep(f.File)() // otherwise another process could sweep the closed file
	err := f.Close()
	if err == nil && f.target != "" {
		err = Rename(f.Name(), f.target)
	}
	return err
}

// CommitNew gives the file its final name. If the name is taken, CommitNew returns
// fs.ErrExist. Of several processes at once, exactly one succeeds.
func (f *File) CommitNew() error {
	defer keep(f.File)()
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
func Write(path string, text []byte) error { return write(path, text, (*File).Commit) }

// WriteNew writes a new file. It returns fs.ErrExist if path exists.
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

// Tighten makes a regular file, perhaps written by an older build, accessible to its
// user only. Other kinds of files stay unchanged.
func Tighten(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, 0o600)
}

// Short shortens a path below the home folder with ~. An empty home shortens nothing.
func Short(home, path string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// Long returns the path named by an argument. A leading ~, left alone by shells after a
// =, becomes the home folder. An empty home expands nothing.
func Long(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return home + rest
	}
	return path
}

// WithoutLinks returns a path without symbolic links, resolved down to the last
// existing folder.
func WithoutLinks(p string) string {
	real, err := filepath.EvalSymlinks(p)
	if above := filepath.Dir(p); err != nil && above != p {
		return filepath.Join(WithoutLinks(above), filepath.Base(p))
	} else if err != nil {
		return p
	}
	return real
}
