package readers

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"hindsql/tables"
)

// Exists reports whether a path exists. If a silent disk doesn't tell, the path counts
// as still existing.
func (w *Watchdog) Exists(path string) bool {
	err, silent := w.lstat(path)
	return silent != nil || !errors.Is(err, fs.ErrNotExist)
}

// Finds reports whether a path exists. If a silent disk doesn't tell, the path counts as
// missing.
func (w *Watchdog) Finds(path string) bool {
	err, silent := w.lstat(path)
	return silent == nil && err == nil
}

func (w *Watchdog) lstat(path string) (err, silent error) {
	return watched(w, newLane(""), func(l *lane) error {
		_, err := call(l, path, os.Lstat)
		return err
	})
}

// Opens reports whether a log can be opened and its first byte read.
func (w *Watchdog) Opens(r *Reader, log Log) bool {
	opens, silent := watched(w, r.lane(log), func(l *lane) bool {
		d := disk{reader: r, lane: l}
		file, err := d.open(log.Path)
		if err != nil {
			return false
		}
		defer file.Close()
		_, err = file.Read(make([]byte, 1))
		return err == nil || errors.Is(err, io.EOF)
	})
	return opens && silent == nil
}

// Looked is the result of a look at a path.
type Looked struct {
	tables.Neighbour
	Known bool // false on a silent device
}

// looksAtOnce is how many paths are looked at in parallel.
const looksAtOnce = 4

// LookAll looks at paths as [Look] does.
func (w *Watchdog) LookAll(paths []string) []Looked {
	all := make([]Looked, len(paths))
	var wait sync.WaitGroup
	for from := range min(looksAtOnce, len(paths)) {
		wait.Go(func() {
			for i := from; i < len(paths); {
				for _, now := range w.lookEach(paths, i) {
					all[i] = now
					i += looksAtOnce
				}
			}
		})
	}
	wait.Wait()
	return all
}

// lookEach looks at every fourth path, beginning with index from. It stops after the
// first path on a silent device. It returns at least one result.
func (w *Watchdog) lookEach(paths []string, from int) (list []Looked) {
	one := func(l *lane, path string) (Looked, bool) {
		now, err := look(l, path)
		silent := errors.As(err, new(*NoAnswer)) || errors.Is(err, errGivenUp)
		return Looked{now, !silent}, silent
	}
	done := make(chan Looked, len(paths)/looksAtOnce+1)
	_, err := watched(w, newLane(""), func(l *lane) bool {
		for i := from; i < len(paths); i += looksAtOnce {
			now, silent := one(l, paths[i])
			done <- now
			if silent {
				break
			}
		}
		return true
	})
	for range len(done) {
		list = append(list, <-done)
	}
	if err != nil {
		list = append(list, Looked{Neighbour: tables.Neighbour{}})
	}
	return list
}

// SilentRoot returns a [*NoAnswer] if something below the root is on a silent device,
// otherwise nil.
func (w *Watchdog) SilentRoot(root string) error {
	for _, s := range w.Silences() {
		if s.Root == root {
			return &NoAnswer{s}
		}
	}
	return nil
}
