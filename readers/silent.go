package readers

import (
	"io/fs"
	"path/filepath"
)

// laneFS is a folder on the disk. Its calls to the disk go through a lane.
type laneFS struct {
	fs.FS
	lane *lane
	root string
}

// ReadDir implements [fs.ReadDirFS].
func (f laneFS) ReadDir(name string) ([]fs.DirEntry, error) {
	return call(f.lane, f.path(name), func(string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS, name) })
}

// Stat implements [fs.StatFS].
func (f laneFS) Stat(name string) (fs.FileInfo, error) {
	return call(f.lane, f.path(name), func(string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) })
}

func (f laneFS) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// tellSilent adds one entry for each root with a silent device (a disk that didn't
// answer) to the odd entries of the search. The entry stands for all logs of the root
// on the device.
func (w *walk) tellSilent(in []Place) {
	for _, place := range in {
		for _, s := range w.dog.Silences() {
			if s.Root == place.Path {
				w.odd(Log{Root: place.Path, Rel: ".", Path: place.Path, Err: &NoAnswer{s}}, false)
				break
			}
		}
	}
}
