package files

import (
	"os"
	"path/filepath"
)

// Unfinished is what the names of files begin with that aren't complete.
const Unfinished = ".hindsql-"

// create makes a file under a name of its own, which is held until it is closed:
// that tells it from one that a killed process left.
func create(folder string) (f *os.File, err error) {
	for range 5 {
		if f, err = os.CreateTemp(folder, Unfinished+"*"); err != nil || hold(f) && isStill(f) {
			return f, err
		}
		f.Close() // somebody swept it away before it was held
	}
	return os.CreateTemp(folder, Unfinished+"*")
}

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
	if hold(f) && isStill(f) {
		os.Remove(path)
	}
}
