package readers

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hindsql/tables"
)

// DefaultLimit is how long a disk may go without an answer.
const DefaultLimit = 10 * time.Second

// Watchdog reads logs, and files beside them, on disks that may never answer: a dead
// network mount, or a blocking file. Each piece of work runs in its own goroutine. If a
// goroutine's call to the disk returns neither a byte nor a name for the limit, the
// Watchdog gives up the goroutine and its results. From then on, hindsql touches
// nothing below the same root on the same device.
//
// A Watchdog is for one run: a sync, or one listing of the roots. A nil Watchdog waits
// forever.
type Watchdog struct {
	limit time.Duration

	wait func(path string) // set by tests to delay a call to the disk; may be nil

	any     atomic.Bool // true if list isn't empty
	mu      sync.Mutex  // guards the fields below
	roots   []string
	list    []Silence
	hidden  []string // folders and links below which the search may have missed logs
	ways    []way
	mounted func(path string) string // see devices; nil until first used
}

// Silence is a device that didn't answer to a search below a root.
type Silence struct {
	Root   string        // absolute
	Path   string        // path of the unanswered call
	Device string        // the system's name of the device; empty if unknown
	Limit  time.Duration // how long the Watchdog waited
	At     time.Time     // when the Watchdog gave up
	Fresh  bool          `json:"-"` // found by this Watchdog, not passed to NewWatchdog
}

// way is a path with symbolic links, and the same path without links (real).
type way struct{ path, real string }

// NoAnswer is the error for a path on a silent device.
type NoAnswer struct{ Silence }

// Error names the unanswered path, the consequence and the remedy.
func (n *NoAnswer) Error() string {
	where := n.Root
	if n.Path == n.Root {
		where = "it"
	}
	return fmt.Sprintf("%s: no answer in %v; the logs below %s on that disk are left out for 5 minutes; look whether the disk works, and hindsql sync tries it again", n.Path, n.Limit, where)
}

// NewWatchdog returns a Watchdog that doesn't touch the devices in known. A limit of
// zero means [DefaultLimit].
func NewWatchdog(limit time.Duration, known []Silence) *Watchdog {
	if limit <= 0 {
		limit = DefaultLimit
	}
	w := &Watchdog{limit: limit, list: known}
	w.any.Store(len(known) > 0)
	return w
}

// Silences lists the silent devices: first the known devices of NewWatchdog, then the
// new ones.
func (w *Watchdog) Silences() []Silence {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// At returns a [*NoAnswer] if a path below a root is on a silent device, otherwise nil.
// It doesn't touch the disk.
func (w *Watchdog) At(root, path string) error {
	if w == nil || !w.any.Load() {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	device := w.device(path)
	for i := range w.list {
		if s := &w.list[i]; s.Device == device && (s.Root == root || root == "" && isBelow(s.Root, path)) {
			return &NoAnswer{*s}
		}
	}
	return nil
}

// Hides reports whether the search may have missed logs at or below a path, because a
// device didn't answer.
func (w *Watchdog) Hides(path string) bool {
	if w == nil || !w.any.Load() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.hidden, func(folder string) bool { return isBelow(folder, path) })
}

func (w *Watchdog) hide(path string) {
	if w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.hidden = append(w.hidden, path)
	}
}

// leads notes that a path with symbolic links is the path real. device later uses the
// note to find the path's device without asking the disk.
func (w *Watchdog) leads(path, real string) {
	if w != nil && path != real {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ways = append(w.ways, way{path, real})
	}
}

// device returns the device of a path, following the links that leads noted.
func (w *Watchdog) device(path string) string {
	if w.mounted == nil {
		w.mounted = devices()
	}
	best := way{}
	for _, known := range w.ways {
		if isBelow(known.path, path) && len(known.path) > len(best.path) {
			best = known
		}
	}
	return w.mounted(best.real + strings.TrimPrefix(path, best.path))
}

// rootOf returns the longest of the searched roots above a path. Outside all roots, the
// result is the path's folder.
func (w *Watchdog) rootOf(path string) (root string) {
	for _, r := range w.roots {
		if isBelow(r, path) && len(r) > len(root) {
			root = r
		}
	}
	return cmp.Or(root, filepath.Dir(path))
}

// searches notes a root.
func (w *Watchdog) searches(root string) {
	if w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.roots = append(w.roots, root)
	}
}

// note adds a silent device: the call at path didn't answer. root may be empty.
func (w *Watchdog) note(root, path string) *NoAnswer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if root == "" {
		root = w.rootOf(path)
	}
	s := Silence{Root: root, Path: path, Device: w.device(path), Limit: w.limit, At: time.Now(), Fresh: true}
	known := slices.IndexFunc(w.list, func(o Silence) bool { return o.Root == s.Root && o.Device == s.Device })
	if known >= 0 {
		return &NoAnswer{w.list[known]}
	}
	w.list = append(w.list, s)
	w.any.Store(true)
	return &NoAnswer{s}
}

// isBelow reports whether a path equals a folder or lies below it.
func isBelow(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(folder, string(filepath.Separator)))
}

// looksInLimit is how often a Watchdog checks for progress before it gives up. It
// counts checks instead of time. If the machine or process slept, time passed without a
// wait for the disk.
const looksInLimit = 10

// watched runs work that touches the disk only through the lane. If the Watchdog gives
// up the work, its result is lost and the error is a [*NoAnswer]. The work must not
// write to shared data.
func watched[T any](w *Watchdog, l *lane, work func(*lane) T) (result T, err error) {
	if w == nil {
		return work(nil), nil
	}
	l.dog = w
	done := make(chan T, 1)
	go func() { done <- work(l) }()
	look := time.NewTicker(w.limit / looksInLimit)
	defer look.Stop()
	for silent, before := 0, l.pulse.beats.Load(); silent < looksInLimit; {
		select {
		case result = <-done:
			return result, nil
		case <-look.C:
		}
		silent++
		if now := l.pulse.beats.Load(); now != before || l.pulse.inside.Load() == 0 {
			silent, before = 0, now
		}
	}
	return result, w.note(l.root, l.giveUp())
}

// Search is [Reader.Search]. A root with a silent device is in odd once.
func (w *Watchdog) Search(r *Reader, in []Place) (logs, odd []Log, err error) { return r.search(w, in) }

// Try is [Reader.Try]. The error may also be a [*NoAnswer], without rows.
func (w *Watchdog) Try(r *Reader, log Log, src tables.Source, before ...tables.Neighbour) (*tables.File, error) {
	type read struct {
		rows *tables.File
		err  error
	}
	if err := w.At(log.Root, log.Path); err != nil {
		return nil, err
	}
	got, err := watched(w, r.lane(log), func(l *lane) read {
		rows, err := r.try(l, log, src, before)
		return read{rows, err}
	})
	if err != nil {
		return nil, err
	}
	return got.rows, got.err
}

// List is [Reader.List]. The error may also be a [*NoAnswer].
func (w *Watchdog) List(r *Reader, log Log) (parts []Part, near []tables.Neighbour, err error) {
	type listed struct {
		parts []Part
		near  []tables.Neighbour
		err   error
	}
	if err := w.At(log.Root, log.Path); err != nil {
		return nil, nil, err
	}
	got, err := watched(w, r.lane(log), func(l *lane) listed {
		parts, near, err := r.list(l, log)
		return listed{parts, near, err}
	})
	if err != nil {
		return nil, nil, err
	}
	return got.parts, got.near, got.err
}
