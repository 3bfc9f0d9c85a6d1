package readers

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// lane carries the disk calls of one piece of work: reading one log or part, or one
// search. Each call begins with beginCall and ends with endCall. So a [Watchdog] sees
// whether the disk still answers. A nil lane isn't watched.
type lane struct {
	dog   *Watchdog
	root  string // if empty, the Watchdog finds the root from the path
	pulse *pulse

	closed atomic.Bool // true after abandon
	mu     sync.Mutex
	path   string // of the last call
}

// pulse shows whether calls to the disk make progress. It counts their begins, steps
// and ends.
type pulse struct {
	inside atomic.Int64 // calls that haven't returned
	beats  atomic.Int64 // begins and returns of calls, and steps within them
}

func newLane(root string) *lane { return &lane{root: root, pulse: &pulse{}} }

// pulses holds a pulse for each log that has parts, by the log's path. Several lanes
// read parts of one log through the same open files, so their calls can't be told
// apart. They share one pulse: if the disk doesn't answer for one part, all parts of
// the log count as unanswered.
var pulses sync.Map

// lane returns a new lane for reading a log.
func (r *Reader) lane(log Log) *lane {
	l := newLane(log.Root)
	if r.Parts != nil {
		shared, _ := pulses.LoadOrStore(log.Path, l.pulse)
		l.pulse = shared.(*pulse)
	}
	return l
}

// errAbandoned is the error of a disk call whose work the Watchdog gave up earlier.
var errAbandoned = errors.New("given up: the disk gave no answer")

// beginCall begins a call to the disk at a path, and endCall ends it. If beginCall
// returns an error, the caller must not call the disk. The error is a [*NoAnswer] if
// the path is on an unresponsive device, which didn't answer earlier.
func (l *lane) beginCall(path string) error {
	if l == nil {
		return nil
	}
	if l.closed.Load() {
		return errAbandoned
	}
	if err := l.dog.CheckPath(l.root, path); err != nil {
		return err
	}
	l.mu.Lock()
	l.path = path
	l.mu.Unlock()
	l.pulse.beats.Add(1)
	l.pulse.inside.Add(1)
	if l.dog.wait != nil {
		l.dog.wait(path)
	}
	return nil
}

func (l *lane) endCall() {
	if l != nil {
		l.pulse.inside.Add(-1)
		l.pulse.beats.Add(1)
	}
}

// step notes progress within a long call. It returns false if the Watchdog gave up the
// work.
func (l *lane) step() bool {
	if l == nil {
		return true
	}
	l.pulse.beats.Add(1)
	return !l.closed.Load()
}

// abandon makes all further calls on this lane fail. It returns the path of the last
// call.
func (l *lane) abandon() string {
	l.closed.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}

// call calls the function of with path, between beginCall and endCall.
func call[T any](l *lane, path string, of func(string) (T, error)) (result T, err error) {
	if err := l.beginCall(path); err != nil {
		return result, err
	}
	defer l.endCall()
	return of(path)
}

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
