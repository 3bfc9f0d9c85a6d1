package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Unfinished is what the names of files begin with that aren't complete.
const Unfinished = ".hindsql-"

// create makes a file under a new name, and holds the file until it is closed. A
// sweep removes files that no process holds, and may remove the new file before
// create holds it; then create makes the next one. A disk without locks has no sweep.
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

// mostSwept is how many files may be swept away before they are held. With eight
// writers on a busy machine five in a row were.
const mostSwept = 1000

// errHeld is the error of a file that somebody else holds.
var errHeld = errors.New("held by another process")

// isStill says that the file has its name yet.
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

func sweepFile(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if hold(f) == nil && isStill(f) {
		os.Remove(path)
	}
}
