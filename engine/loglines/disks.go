package loglines

import (
	"encoding/json"
	"os"
	"slices"
	"sync"
	"time"

	"hindsql/engine/store"
	"hindsql/internal/regular"
	"hindsql/readers"
)

// A sync waits for a disk that gives no answer, up to a time limit. The disk is then
// recorded in a file beside the store, and later syncs leave the disk alone for a while.

// leftAlone is how long later syncs leave an unresponsive disk alone.
const leftAlone = 5 * time.Minute

// Disks looks at logs, and remembers the devices that give no answer.
type Disks struct {
	at      store.File
	answers func() time.Duration // how long a disk may take to answer; zero for the default

	mutex      sync.Mutex
	lines      *readers.Watchdog // see LinesDog
	linesSince time.Time
}

// NewDisks returns the Disks of a store. answers gives the time that a disk may take, see
// [readers.NewWatchdog].
func NewDisks(at store.File, answers func() time.Duration) *Disks {
	return &Disks{at: at, answers: answers}
}

// Watchdog returns a watchdog for logs. The watchdog knows the devices that were
// unresponsive a moment ago, unless retry is set.
func (d *Disks) Watchdog(retry bool) *readers.Watchdog {
	var known []readers.UnresponsiveDisk
	if !retry {
		known = d.readUnresponsive(time.Now())
	}
	return readers.NewWatchdog(d.answers(), known)
}

// LinesDog returns the watchdog for single lines of logs. The same watchdog is used for
// five minutes, the time after which an unresponsive device is tried again.
func (d *Disks) LinesDog() *readers.Watchdog {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if now := time.Now(); d.lines == nil || now.Sub(d.linesSince) >= leftAlone {
		d.lines, d.linesSince = d.Watchdog(false), now
	}
	return d.lines
}

// OpenLog opens a log of which single lines are read.
func (d *Disks) OpenLog(path string) (*readers.File, error) {
	return d.LinesDog().OpenWith(path, readers.OpenFile)
}

// readUnresponsive reads the recorded devices that are still to be left alone. An entry
// with a time in the future was written before the clock was set back, and is dropped.
// If the file can't be read, the list is empty.
func (d *Disks) readUnresponsive(now time.Time) (list []readers.UnresponsiveDisk) {
	text, err := regular.Read(d.at.UnresponsivePath(), regular.Own)
	if err != nil || json.Unmarshal(text, &list) != nil {
		return nil
	}
	return slices.DeleteFunc(list, func(s readers.UnresponsiveDisk) bool { return s.At.After(now) || now.Sub(s.At) >= leftAlone })
}

// Record records the devices that gave no answer, and returns a warning for each.
func (d *Disks) Record(dog *readers.Watchdog) (warnings []error) {
	list := dog.UnresponsiveDisks()
	fresh := false
	for _, s := range list {
		fresh = fresh || s.Fresh
		warnings = append(warnings, &readers.NoAnswer{UnresponsiveDisk: s})
	}
	switch {
	case len(list) == 0:
		_ = os.Remove(d.at.UnresponsivePath())
	case fresh:
		// If the write fails, the next sync waits for the disk again.
		if text, err := json.Marshal(list); err == nil {
			_ = os.WriteFile(d.at.UnresponsivePath(), text, 0o600)
		}
	}
	return warnings
}
