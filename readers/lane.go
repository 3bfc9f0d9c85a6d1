package readers

import (
	"errors"
	"sync"
	"sync/atomic"
)

// lane carries one piece of work's calls to the disk, to let a [Watchdog] see whether
// they make progress. A nil lane isn't watched.
type lane struct {
	dog   *Watchdog
	root  string // if empty, the Watchdog finds the root from the path
	pulse *pulse

	closed atomic.Bool // true after giveUp
	mu     sync.Mutex
	path   string // of the last call
}

// pulse counts calls to the disk to show their progress.
type pulse struct {
	inside atomic.Int64 // calls that haven't returned
	beats  atomic.Int64 // begins and returns of calls, and steps within them
}

func newLane(root string) *lane { return &lane{root: root, pulse: &pulse{}} }

// pulses has a pulse for each log with parts, by the log's path. Readers of two parts
// share open files, so their calls can't be told apart: if one part is silent, the
// whole log is.
var pulses sync.Map

// lane returns the lane of a log.
func (r *Reader) lane(log Log) *lane {
	l := newLane(log.Root)
	if r.Parts != nil {
		shared, _ := pulses.LoadOrStore(log.Path, l.pulse)
		l.pulse = shared.(*pulse)
	}
	return l
}

// errGivenUp is the error of work that the Watchdog gave up.
var errGivenUp = errors.New("given up: the disk gave no answer")

// enter begins a call to the disk, and leave ends it. If enter returns an error, the
// caller must not call the disk. The error is a [*NoAnswer] if the path is on a silent
// device.
func (l *lane) enter(path string) error {
	if l == nil {
		return nil
	}
	if l.closed.Load() {
		return errGivenUp
	}
	if err := l.dog.At(l.root, path); err != nil {
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

func (l *lane) leave() {
	if l != nil {
		l.pulse.inside.Add(-1)
		l.pulse.beats.Add(1)
	}
}

// step counts progress within a call. It returns false if the work was given up.
func (l *lane) step() bool {
	if l == nil {
		return true
	}
	l.pulse.beats.Add(1)
	return !l.closed.Load()
}

// giveUp stops further calls to the disk, and returns the path of the last call.
func (l *lane) giveUp() string {
	l.closed.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}

// call runs one function between enter and leave.
func call[T any](l *lane, path string, of func(string) (T, error)) (result T, err error) {
	if err := l.enter(path); err != nil {
		return result, err
	}
	defer l.leave()
	return of(path)
}
