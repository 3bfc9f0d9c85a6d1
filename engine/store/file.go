// Package store manages the store's file on disk: paths, locks between readers and
// writers, and the meaning of errors of disks and of DuckDB.
//
// In: a path, and errors of DuckDB. Out: locks, folders for temporary files, and errors
// such as [Held] and [Damaged]. The package opens no database and knows no table.
//
// Beside the file lie PATH.wal (DuckDB's log), PATH.lock (held by the process that
// syncs; it contains a mark of the file), PATH.turn (held by a writer that waits for
// the file), PATH.new (a draft), PATH.saved (rows of a damaged store), PATH.silent
// (devices that gave no answer), PATH.forgotten (sessions that no sync loads) and
// folders PATH.*.tmp.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
	"hindsql/readers"
)

// File is the file of a store. It need not exist.
type File struct{ Path string }

// Canonical returns the absolute path without symbolic links, the same for all paths of
// a file. The file need not exist.
func Canonical(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real, nil
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path)), nil
	}
	return path, nil
}

// CheckKind returns a [NotAStore] if the path is no regular file, or a file of the
// kernel such as /proc/kmsg: opening it may block forever. A missing file is no error,
// but a folder of its path that is no folder is, and a pipe in place of a lock.
func CheckKind(path string) error {
	if isDevice(path) {
		return &NotAStore{Path: path, Kind: "a name that Windows keeps for a device"}
	}
	f := File{path}
	for _, beside := range []string{f.WAL(), f.lockPath(), f.turnPath()} {
		if err := regular.Check(beside); err != nil {
			return fmt.Errorf("store: %w; remove it, hindsql makes a new one", err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return checkFolder(filepath.Dir(path)) // whoever opens the file says why, or makes it
	}
	if !info.Mode().IsRegular() {
		return &NotAStore{Path: path, Kind: regular.Kind(info.Mode())}
	}
	if system := readers.KernelFileSystem(path); system != "" {
		return &NotAStore{Path: path, Kind: "a file of the " + system + " file system"}
	}
	return nil
}

// checkFolder returns an error if the folder, or a folder above, is a file.
func checkFolder(folder string) error {
	info, err := os.Stat(folder)
	switch above := filepath.Dir(folder); {
	case err == nil && !info.IsDir():
		return fmt.Errorf("store: %s: is no folder, and the store is kept below it; move it away, or name another store with --store", folder)
	case err != nil && above != folder:
		return checkFolder(above)
	}
	return nil
}

// WAL is the path of DuckDB's log of the file.
func (f File) WAL() string { return f.Path + ".wal" }

// Draft is the path at which a new store is made. A sync removes the draft of a killed
// process.
func (f File) Draft() string { return f.Path + ".new" }

// Saved is the path at which a rebuild keeps the readable rows of a damaged store.
func (f File) Saved() string { return f.Path + ".saved" }

// SavedBare is a second name for the damaged store, without a write-ahead log beside it.
func (f File) SavedBare() string { return f.Saved() + ".bare" }

// UnresponsivePath is the path of the list of devices that gave no answer.
func (f File) UnresponsivePath() string { return f.Path + ".silent" }

// ForgottenPath is the path of the list of forgotten sessions.
func (f File) ForgottenPath() string { return f.Path + ".forgotten" }

// LoaderSpill is the folder for the temporary files of a loader.
func (f File) LoaderSpill() string { return f.Path + ".load.tmp" }

// RemoveLeftovers removes drafts and temporary files of killed processes. The caller
// holds the lock of syncs.
func (f File) RemoveLeftovers() error {
	for _, path := range []string{f.Draft(), f.Saved(), f.SavedBare()} {
		if err := Remove(path); err != nil {
			return err
		}
	}
	removeSpills(f.Path)
	return os.RemoveAll(f.LoaderSpill())
}

// MakePrivate takes all rights but the user's from the store's files. DuckDB and older
// builds may have made the files readable for everybody.
func (f File) MakePrivate() {
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm()&0o077 == 0 {
		return
	}
	for _, path := range []string{f.Path, f.WAL(), f.lockPath(), f.turnPath()} {
		_ = os.Chmod(path, 0o600)
	}
}

// MarkOf returns the size and time of a store's file and of its write-ahead log. A mark
// changes with each write. It is empty if neither file exists.
func MarkOf(path string) (mark string) {
	for _, p := range []string{path, File{path}.WAL()} {
		if info, err := os.Stat(p); err == nil {
			mark += fmt.Sprintf("%d %d\n", info.Size(), info.ModTime().UnixNano())
		}
	}
	return mark
}

// RecordMark records a mark of the file's present state. If the mark differs later,
// another program may have written to the file.
func (f File) RecordMark(mark string) {
	if lock, err := os.OpenFile(f.lockPath(), os.O_WRONLY|os.O_TRUNC, 0o600); err == nil {
		_, _ = lock.WriteString(mark)
		_ = lock.Close()
	}
}

// HasMark reports whether RecordMark last recorded this mark.
func (f File) HasMark(mark string) bool {
	recorded, err := regular.Read(f.lockPath(), regular.Own)
	return err == nil && string(recorded) == mark
}

// isOurs reports whether hindsql once wrote a store at the path: the lock file still
// exists. A file without DuckDB's header is a damaged store if the lock file exists,
// and another program's file if not.
func (f File) isOurs() bool { return Exists(f.lockPath()) }

// Exists reports whether the path exists, as a file, folder or link. If the system
// gives another error than "not found", the answer is true.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Remove removes a store and its DuckDB log. Missing files are no error.
func Remove(path string) error {
	for _, p := range []string{path, File{path}.WAL()} {
		if err := atomicfile.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// DamagedName is the path at which a damaged store is kept. Two stores damaged in the
// same second get two names.
func (f File) DamagedName(now time.Time) string {
	first := f.Path + ".damaged-" + now.UTC().Format("2006-01-02T150405Z")
	name := first
	for n := 2; Exists(name); n++ {
		name = fmt.Sprintf("%s-%d", first, n)
	}
	return name
}

// LinkOrMove gives the file a second name, aside, by a hard link. The store keeps its
// name until another file takes its place. On file systems without hard links, LinkOrMove
// moves the file. It also moves DuckDB's log, because DuckDB would apply the log to the
// new store.
func (f File) LinkOrMove(aside string) error {
	err := os.Link(f.Path, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = atomicfile.Rename(f.Path, aside)
	}
	if err != nil {
		return err
	}
	err = atomicfile.Rename(f.WAL(), File{aside}.WAL())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// SameFile reports whether two files are the same file, or both are missing (nil).
func SameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b)
}
