package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

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
		if err := hold(f); err == nil && isStill(f) || err != nil && !errors.Is(err, errHeld) {
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
