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

// defaultLimit is how long a disk may go without an answer.
const defaultLimit = 10 * time.Second

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
	list    []UnresponsiveDisk
	hidden  []string // folders and links below which the search may have missed logs
	linked  []linkedPath
	mounted func(path string) string // see devices; nil until first used
}

// UnresponsiveDisk is a device that didn't answer to a search below a root.
type UnresponsiveDisk struct {
	Root   string        // absolute
	Path   string        // path of the unanswered call
	Device string        // the system's name of the device; empty if unknown
	Limit  time.Duration // how long the Watchdog waited
	At     time.Time     // when the Watchdog gave up
	Fresh  bool          `json:"-"` // found by this Watchdog, not passed to NewWatchdog
}

// linkedPath is a path with symbolic links, and the same path without links (real).
type linkedPath struct{ path, real string }

// NoAnswer is the error for a path on an unresponsive device.
type NoAnswer struct{ UnresponsiveDisk }

// Error names the unanswered path, the consequence and the remedy.
func (n *NoAnswer) Error() string {
	where := n.Root
	if n.Path == n.Root {
		where = "it"
	}
	return fmt.Sprintf("%s: no answer in %v; the logs below %s on that disk are left out for 5 minutes; look whether the disk works, and hindsql sync tries it again", n.Path, n.Limit, where)
}

// NewWatchdog returns a Watchdog that doesn't touch the devices in known. A limit of
// zero means [defaultLimit].
func NewWatchdog(limit time.Duration, known []UnresponsiveDisk) *Watchdog {
	if limit <= 0 {
		limit = defaultLimit
	}
	w := &Watchdog{limit: limit, list: known}
	w.any.Store(len(known) > 0)
	return w
}

// UnresponsiveDisks lists the unresponsive disks: first the known devices of
// NewWatchdog, then the new ones.
func (w *Watchdog) UnresponsiveDisks() []UnresponsiveDisk {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// CheckPath returns a [*NoAnswer] if a path below a root is on an unresponsive device,
// otherwise nil. It doesn't touch the disk.
func (w *Watchdog) CheckPath(root, path string) error {
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

// MayMissLogs reports whether the search may have missed logs at or below a path, because a
// device didn't answer.
func (w *Watchdog) MayMissLogs(path string) bool {
	if w == nil || !w.any.Load() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.hidden, func(folder string) bool { return isBelow(folder, path) })
}

func (w *Watchdog) addHidden(path string) {
	if w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.hidden = append(w.hidden, path)
	}
}

// addLink records that a path with symbolic links is the path real. device later uses the
// record to find the path's device without asking the disk.
func (w *Watchdog) addLink(path, real string) {
	if w != nil && path != real {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.linked = append(w.linked, linkedPath{path, real})
	}
}

// device returns the device of a path, following the links that addLink recorded.
func (w *Watchdog) device(path string) string {
	if w.mounted == nil {
		w.mounted = devices()
	}
	best := linkedPath{}
	for _, known := range w.linked {
		if isBelow(known.path, path) && len(known.path) > len(best.path) {
			best = known
		}
	}
	return w.mounted(best.real + strings.TrimPrefix(path, best.path))
}

// mount is the mount point and the device of a file system.
type mount struct{ point, device string }

// deviceIn returns a function that names the device of an absolute path without
// symbolic links. The function asks the list of mounts and not the disk, because a dead
// disk would not answer. If the list names a mount point twice, the last entry is used.
func deviceIn(mounts []mount) func(path string) string {
	return func(path string) string {
		best := mount{}
		for _, m := range mounts {
			if isBelow(m.point, path) && len(m.point) >= len(best.point) {
				best = m
			}
		}
		return best.device
	}
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

// addRoot records a root.
func (w *Watchdog) addRoot(root string) {
	if w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.roots = append(w.roots, root)
	}
}

// addUnresponsive adds an unresponsive device: the call at path didn't answer. root may
// be empty.
func (w *Watchdog) addUnresponsive(root, path string) *NoAnswer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if root == "" {
		root = w.rootOf(path)
	}
	s := UnresponsiveDisk{Root: root, Path: path, Device: w.device(path), Limit: w.limit, At: time.Now(), Fresh: true}
	known := slices.IndexFunc(w.list, func(o UnresponsiveDisk) bool { return o.Root == s.Root && o.Device == s.Device })
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

// checksInLimit is how often a Watchdog checks for progress before it gives up. It
// counts checks instead of time. If the machine or process slept, time passed without a
// wait for the disk.
const checksInLimit = 10

// runWatched runs work that touches the disk only through the lane. If the Watchdog gives
// up the work, its result is lost and the error is a [*NoAnswer]. The work must not
// write to shared data.
func runWatched[T any](w *Watchdog, l *lane, work func(*lane) (T, error)) (result T, err error) {
	if w == nil {
		return work(nil)
	}
	type outcome struct {
		result T
		err    error
	}
	l.dog = w
	done := make(chan outcome, 1)
	go func() {
		result, err := work(l)
		done <- outcome{result, err}
	}()
	look := time.NewTicker(w.limit / checksInLimit)
	defer look.Stop()
	for missed, before := 0, l.pulse.beats.Load(); missed < checksInLimit; {
		select {
		case ended := <-done:
			return ended.result, ended.err
		case <-look.C:
		}
		missed++
		if now := l.pulse.beats.Load(); now != before || l.pulse.inside.Load() == 0 {
			missed, before = 0, now
		}
	}
	return result, w.addUnresponsive(l.root, l.abandon())
}

// Search is [Reader.Search]. A root with an unresponsive device is in unreadable once.
func (w *Watchdog) Search(r *Reader, in []Place) (logs, unreadable []Log, err error) {
	return r.search(w, in)
}

// TryLoad is [Reader.TryLoad]. The error may also be a [*NoAnswer], without rows.
func (w *Watchdog) TryLoad(r *Reader, log Log, src tables.Source, before ...tables.Neighbour) (*tables.File, error) {
	if err := w.CheckPath(log.Root, log.Path); err != nil {
		return nil, err
	}
	return runWatched(w, r.lane(log), func(l *lane) (*tables.File, error) { return r.try(l, log, src, before) })
}

// List is [Reader.List]. The error may also be a [*NoAnswer].
func (w *Watchdog) List(r *Reader, log Log) (parts []Part, near []tables.Neighbour, err error) {
	type listed struct {
		parts []Part
		near  []tables.Neighbour
	}
	if err := w.CheckPath(log.Root, log.Path); err != nil {
		return nil, nil, err
	}
	got, err := runWatched(w, r.lane(log), func(l *lane) (listed, error) {
		parts, near, err := r.list(l, log)
		return listed{parts, near}, err
	})
	return got.parts, got.near, err
}
