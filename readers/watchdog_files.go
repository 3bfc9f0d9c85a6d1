package readers

import (
	"io"
	"io/fs"
	"os"
)

// mostSettings is the most bytes that ReadFile reads.
const mostSettings = 1 << 20

// ReadFile reads a file of an agent's settings, at most 1 MiB, from a disk that may
// never answer. The error is a [*NotAFile] if the path isn't a regular file, and a
// [*NoAnswer] if the disk doesn't answer.
func ReadFile(path string) ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	got, err := watched(NewWatchdog(0, nil), newLane(""), func(l *lane) read {
		d := disk{reader: &Reader{}, lane: l}
		f, err := d.open(path)
		if err != nil {
			return read{nil, err}
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, mostSettings))
		return read{text, err}
	})
	if err != nil {
		return nil, err
	}
	return got.text, got.err
}

// File is an open log on a disk that may never answer. A call without an answer ends
// with a [*NoAnswer], and so do all later calls.
type File struct {
	dog    *Watchdog
	path   string
	stream io.ReadCloser
	file   anywhere // nil if a reader unpacks the log
}

// Watched opens a file with the open function.
func (w *Watchdog) Watched(path string, open func(path string) (*os.File, error)) (*File, error) {
	f, err := through(w, path, func() (*os.File, error) { return open(path) })
	if err != nil {
		return nil, err
	}
	return &File{w, path, f, f}, nil
}

// Open is [Reader.OpenFile].
func (w *Watchdog) Open(r *Reader, path string) (io.ReadCloser, error) {
	f, err := through(w, path, func() (io.ReadCloser, error) { return r.OpenFile(path) })
	if err != nil {
		return nil, err
	}
	return &File{w, path, f, nil}, nil
}

// through runs one call to the disk.
func through[T any](w *Watchdog, path string, of func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	got, err := watched(w, newLane(""), func(l *lane) result {
		value, err := call(l, path, func(string) (T, error) { return of() })
		return result{value, err}
	})
	if err != nil {
		return got.value, err
	}
	return got.value, got.err
}

// Read uses its own buffer, because a call that was given up may still fill the buffer
// later.
func (f *File) Read(p []byte) (int, error) {
	some, err := through(f.dog, f.path, func() ([]byte, error) {
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
		some, err = through(f.dog, f.path, func() ([]byte, error) {
			n, err := f.file.ReadAt(own, from)
			return own[:n], err
		})
		n += copy(p[n:], some)
	}
	return n, err
}

// Stat is [os.File.Stat].
func (f *File) Stat() (fs.FileInfo, error) { return through(f.dog, f.path, f.file.Stat) }

// Close closes the file without waiting for the disk.
func (f *File) Close() error {
	go f.stream.Close()
	return nil
}
