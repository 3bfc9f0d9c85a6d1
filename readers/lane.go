package readers

import (
	"errors"
	"sync"
	"sync/atomic"
)

// lane is through which one piece of work calls the disk, so that a [Watchdog] sees
// whether the calls go on. A nil lane is one that nobody watches.
type lane struct {
	dog   *Watchdog
	root  string // empty where the path tells it
	pulse *pulse

	closed atomic.Bool // the work was given up
	mu     sync.Mutex
	path   string // of the last call
}

// pulse shows progress of calls to the disk.
type pulse struct {
	inside atomic.Int64 // calls that didn't return yet
	beats  atomic.Int64 // calls that began or returned, and steps within them
}

func newLane(root string) *lane { return &lane{root: root, pulse: &pulse{}} }

// pulses has a pulse for each log with parts, by the log's path. Readers of two parts
// share open files, so their calls can't be told apart: if one part is silent, the
// whole log is.
var pulses sync.Map

// lane is that of a log.
func (r *Reader) lane(log Log) *lane {
	l := newLane(log.Root)
	if r.Parts != nil {
		shared, _ := pulses.LoadOrStore(log.Path, l.pulse)
		l.pulse = shared.(*pulse)
	}
	return l
}

// errGivenUp is the error of work that nobody waits for any more.
var errGivenUp = errors.New("given up: the disk gave no answer")

// enter begins a call to the disk, which leave ends. Where there is an error the
// disk is not to be called: a [*NoAnswer] for a path on a silent device.
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

// step tells of progress within a call, and whether the work still counts.
func (l *lane) step() bool {
	if l == nil {
		return true
	}
	l.pulse.beats.Add(1)
	return !l.closed.Load()
}

// giveUp has the disk not be called any more, and gives the path of the last call.
func (l *lane) giveUp() string {
	l.closed.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}

// call is enter, a call and leave.
func call[T any](l *lane, path string, of func(string) (T, error)) (result T, err error) {
	if err := l.enter(path); err != nil {
		return result, err
	}
	defer l.leave()
	return of(path)
}
