package readers

import (
	"io/fs"
	"path/filepath"
)

// laneFS is a folder of the disk's whose calls go through a lane.
type laneFS struct {
	fs.FS
	lane *lane
	root string
}

// ReadDir is that of [fs.ReadDirFS].
func (f laneFS) ReadDir(name string) ([]fs.DirEntry, error) {
	return call(f.lane, f.path(name), func(string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS, name) })
}

// Stat is that of [fs.StatFS].
func (f laneFS) Stat(name string) (fs.FileInfo, error) {
	return call(f.lane, f.path(name), func(string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) })
}

func (f laneFS) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// tellSilent has each root with a silent device be odd, once: what is said of it
// stands for all of the root's logs on that device.
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
