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

// Watchdog looks at logs, and at what lies beside them, on disks that may never
// answer: a dead network mount, or a file that blocks. Each piece of work runs in
// a goroutine of its own. A goroutine whose call to the disk makes no progress for
// the limit, not a byte and not a name in a folder, is given up with all that it
// had. From then on nothing below the same root on the same device is touched.
//
// A Watchdog is for one run: a sync, or one listing of the roots. A nil Watchdog
// waits forever.
type Watchdog struct {
	limit time.Duration

	wait func(path string) // of tests: a call to the disk waits for it; nil for none

	any     atomic.Bool // there are silences
	mu      sync.Mutex  // guards what follows
	roots   []string
	list    []Silence
	hidden  []string // paths of folders and links below which the search saw nothing, or not all
	ways    []way
	mounted func(path string) string // see devices; nil until it is needed
}

// Silence is a device that gave no answer to a search below a root.
type Silence struct {
	Root   string        // absolute
	Path   string        // what was asked for
	Device string        // the system's name of the device; empty for unknown
	Limit  time.Duration // how long it gave no answer
	At     time.Time     // when it was given up
	Fresh  bool          `json:"-"` // found by this Watchdog, not given to it
}

// way is what a path with symbolic links leads to.
type way struct{ path, real string }

// NoAnswer is the error of what lies on a silent device.
type NoAnswer struct{ Silence }

// Error names what gave no answer, and says what follows.
func (n *NoAnswer) Error() string {
	where := n.Root
	if n.Path == n.Root {
		where = "it"
	}
	return fmt.Sprintf("%s: no answer in %v; the logs below %s on that disk are left out for 5 minutes; look whether the disk works, and hindsql sync tries it again", n.Path, n.Limit, where)
}

// NewWatchdog gives a Watchdog that doesn't touch what is known to be silent. A
// limit of zero is [DefaultLimit].
func NewWatchdog(limit time.Duration, known []Silence) *Watchdog {
	if limit <= 0 {
		limit = DefaultLimit
	}
	w := &Watchdog{limit: limit, list: known}
	w.any.Store(len(known) > 0)
	return w
}

// Silences lists the silent devices: the known ones of NewWatchdog, then the new ones.
func (w *Watchdog) Silences() []Silence {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// At gives the error of a path below a root that lies on a silent device; nil for
// any other path. It doesn't touch the disk.
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

// Hides says whether the search saw nothing of a path, or not all of it, because a
// device was silent.
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

// leads notes where a path with symbolic links leads to, so that its device is
// known without a look at the disk.
func (w *Watchdog) leads(path, real string) {
	if w != nil && path != real {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ways = append(w.ways, way{path, real})
	}
}

// device names the device of a path, as far as the way there is known.
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

// rootOf is the searched root above a path; without one, the folder of the path.
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

// note has a device be silent.
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

// isBelow says whether a path is a folder, or lies below it.
func isBelow(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(folder, string(filepath.Separator)))
}

// looksInLimit is how often a Watchdog looks within its limit. It counts the looks,
// and no time: a machine or process that slept was not waiting for the disk.
const looksInLimit = 10

// watched does work that touches the disk only through the lane. What it gives is
// lost where the work is given up; the error is a [*NoAnswer] then. The work must
// write to no shared data.
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

// Search is [Reader.Search]. Where a device is silent, the root is odd, once.
func (w *Watchdog) Search(r *Reader, in []Place) (logs, odd []Log, err error) { return r.search(w, in) }

// Try is [Reader.Try]. The error may also be a [*NoAnswer]; there are no rows then.
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
