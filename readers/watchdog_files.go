package readers

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"hindsql/tables"
)

// mostSettings is the most bytes that ReadFile reads.
const mostSettings = 1 << 20

// ReadFile reads a file of an agent's settings, at most 1 MiB, from a disk that may
// never answer. The error is a [*NotAFile] if the path isn't a regular file, and a
// [*NoAnswer] if the disk doesn't answer.
func ReadFile(path string) ([]byte, error) {
	return runWatched(NewWatchdog(0, nil), newLane(""), func(l *lane) ([]byte, error) {
		d := disk{reader: &Reader{}, lane: l}
		f, err := d.open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, mostSettings))
	})
}

// File is an open log on a disk that may never answer. A call without an answer ends
// with a [*NoAnswer], and so do all later calls.
type File struct {
	dog    *Watchdog
	path   string
	stream io.ReadCloser
	file   diskReader // nil if a reader unpacks the log
}

// OpenWith opens a file with the open function.
func (w *Watchdog) OpenWith(path string, open func(path string) (*os.File, error)) (*File, error) {
	f, err := callWatched(w, path, func() (*os.File, error) { return open(path) })
	if err != nil {
		return nil, err
	}
	return &File{w, path, f, f}, nil
}

// Open is [Reader.OpenFile].
func (w *Watchdog) Open(r *Reader, path string) (io.ReadCloser, error) {
	f, err := callWatched(w, path, func() (io.ReadCloser, error) { return r.OpenFile(path) })
	if err != nil {
		return nil, err
	}
	return &File{w, path, f, nil}, nil
}

// callWatched runs one call to the disk.
func callWatched[T any](w *Watchdog, path string, of func() (T, error)) (T, error) {
	return runWatched(w, newLane(""), func(l *lane) (T, error) {
		return call(l, path, func(string) (T, error) { return of() })
	})
}

// Read uses its own buffer, because a call that was given up may still fill the buffer
// later.
func (f *File) Read(p []byte) (int, error) {
	some, err := callWatched(f.dog, f.path, func() ([]byte, error) {
		own := make([]byte, min(len(p), mostAtOnce))
		n, err := f.stream.Read(own)
		return own[:n], err
	})
	return copy(p, some), err
}

// ReadAt reads all of p, as [io.ReaderAt] requires.
func (f *File) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) && err == nil {
		var some []byte
		own, from := make([]byte, min(len(p)-n, mostAtOnce)), at+int64(n)
		some, err = callWatched(f.dog, f.path, func() ([]byte, error) {
			n, err := f.file.ReadAt(own, from)
			return own[:n], err
		})
		n += copy(p[n:], some)
	}
	return n, err
}

// Stat is [os.File.Stat].
func (f *File) Stat() (fs.FileInfo, error) { return callWatched(f.dog, f.path, f.file.Stat) }

// Close closes the file without waiting for the disk.
func (f *File) Close() error {
	go f.stream.Close()
	return nil
}

// MayExist reports whether a path exists. On an unresponsive disk, the path counts as
// existing.
func (w *Watchdog) MayExist(path string) bool {
	_, err := w.lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// SurelyExists reports whether a path exists. On an unresponsive disk, the path counts
// as missing.
func (w *Watchdog) SurelyExists(path string) bool {
	_, err := w.lstat(path)
	return err == nil
}

func (w *Watchdog) lstat(path string) (fs.FileInfo, error) {
	return callWatched(w, path, func() (fs.FileInfo, error) { return os.Lstat(path) })
}

// CanRead reports whether a log can be opened and its first byte read.
func (w *Watchdog) CanRead(r *Reader, log Log) bool {
	opened, err := runWatched(w, r.lane(log), func(l *lane) (bool, error) {
		d := disk{reader: r, lane: l}
		file, err := d.open(log.Path)
		if err != nil {
			return false, err
		}
		defer file.Close()
		if _, err = file.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
			return true, nil
		}
		return true, err
	})
	return opened && err == nil
}

// PathState is the result of a stat of a path.
type PathState struct {
	tables.Neighbour
	Known bool // false on an unresponsive device
}

// statsAtOnce is how many paths are looked at in parallel.
const statsAtOnce = 4

// StatAll stats paths, several at a time.
func (w *Watchdog) StatAll(paths []string) []PathState {
	all := make([]PathState, len(paths))
	var wait sync.WaitGroup
	for from := range min(statsAtOnce, len(paths)) {
		wait.Go(func() {
			for i := from; i < len(paths); {
				for _, now := range w.statEach(paths, i) {
					all[i] = now
					i += statsAtOnce
				}
			}
		})
	}
	wait.Wait()
	return all
}

// statEach looks at every fourth path, beginning with index from. It stops after the
// first path on an unresponsive device. It returns at least one result.
func (w *Watchdog) statEach(paths []string, from int) (list []PathState) {
	one := func(l *lane, path string) (PathState, bool) {
		now, err := statNeighbour(l, path)
		unresponsive := errors.As(err, new(*NoAnswer)) || errors.Is(err, errAbandoned)
		return PathState{now, !unresponsive}, unresponsive
	}
	done := make(chan PathState, len(paths)/statsAtOnce+1)
	_, err := runWatched(w, newLane(""), func(l *lane) (bool, error) {
		for i := from; i < len(paths); i += statsAtOnce {
			now, unresponsive := one(l, paths[i])
			done <- now
			if unresponsive {
				break
			}
		}
		return true, nil
	})
	for range len(done) {
		list = append(list, <-done)
	}
	if err != nil {
		list = append(list, PathState{})
	}
	return list
}

// CheckRoot returns a [*NoAnswer] if something below the root is on an unresponsive device,
// otherwise nil.
func (w *Watchdog) CheckRoot(root string) error {
	for _, s := range w.UnresponsiveDisks() {
		if s.Root == root {
			return &NoAnswer{s}
		}
	}
	return nil
}
