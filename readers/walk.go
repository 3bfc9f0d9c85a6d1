package readers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// walk is one search for logs. It lists several folders at the same time, up to slots.
type walk struct {
	reader *Reader
	dog    *Watchdog
	wait   sync.WaitGroup
	slots  chan struct{}

	mu         sync.Mutex
	folders    map[string]bool // listed folders, by real path
	logs       []Log
	reals      []string        // real paths of logs, in the order of logs
	byReal     map[string]bool // the real paths known to isNewLog, as a set
	unreadable []Log
	unread     map[string]UnreadFiles // by pattern; nil if nobody asks
	errs       []error
	// links are followed last, in order. So the choice between several paths to a file
	// doesn't depend on chance.
	links []link
}

type link struct{ root, rel string }

// slots is how many folders are listed at the same time.
const slots = 4

func newWalk(r *Reader, dog *Watchdog) *walk {
	return &walk{reader: r, dog: dog, slots: make(chan struct{}, slots), folders: map[string]bool{}, byReal: map[string]bool{}}
}

func (w *walk) searchRoot(root string) {
	w.dog.addRoot(root)
	seen := w.resolve(root, root)
	switch {
	case seen.isUnresponsive(w, root):
		return
	case seen.err != nil:
		w.addError(seen.err)
		return
	case !seen.info.IsDir():
		w.addLinked(filepath.Dir(root), filepath.Base(root))
		return
	}
	for _, under := range w.reader.Under {
		if !strings.Contains(under, "*") {
			w.addLinked(root, under)
			continue
		}
		for _, rel := range w.glob(root, under) {
			w.addLinked(root, rel)
		}
	}
}

// target is what a path leads to.
type target struct {
	real   string // path without links
	info   fs.FileInfo
	broken bool // the path leads to nothing, in a circle, or onto a kernel file system
	err    error
}

// resolve follows the links of a path.
func (w *walk) resolve(root, path string) target {
	found, err := runWatched(w.dog, newLane(root), func(l *lane) (target, error) {
		real, err := l.resolve(path)
		found := target{broken: err != nil, err: err}
		if err == nil {
			found.real = real
			found.info, found.err = call(l, real, os.Stat)
		}
		return found, nil
	})
	if err != nil {
		return target{err: err}
	}
	w.dog.addLink(path, found.real)
	return found
}

// isUnresponsive reports whether following the path failed because of an unresponsive
// device (a disk that didn't answer). It then records that the search can't see files
// below the path.
func (s *target) isUnresponsive(w *walk, path string) bool {
	is := errors.As(s.err, new(*NoAnswer))
	if is {
		w.dog.addHidden(path)
	}
	return is
}

// glob returns the paths below a root that match a pattern of Under.
func (w *walk) glob(root, under string) []string {
	found, err := runWatched(w.dog, newLane(root), func(l *lane) ([]string, error) {
		found, _ := fs.Glob(laneFS{os.DirFS(root), l, root}, under)
		return found, nil
	})
	if err != nil {
		w.dog.addHidden(root)
	}
	return found
}

func (w *walk) followLinks() {
	for len(w.links) > 0 {
		links := w.links
		w.links = nil
		slices.SortFunc(links, func(a, b link) int { return strings.Compare(a.root+"/"+a.rel, b.root+"/"+b.rel) })
		for _, l := range links {
			w.addLinked(l.root, l.rel)
			w.wait.Wait()
		}
	}
}

// addLinked adds what a path leads to that may contain a symbolic link: a folder, a log,
// or an unreadable entry.
func (w *walk) addLinked(root, rel string) {
	path := filepath.Join(root, filepath.FromSlash(rel))
	seen := w.resolve(root, path)
	var kernels *kernelLinkError
	switch info := seen.info; {
	case seen.isUnresponsive(w, path):
	case errors.As(seen.err, &kernels):
		if kernels.path = path; kernels.isFolder || w.reader.IsLog(rel) {
			w.addUnreadable(Log{Root: root, Rel: rel, Path: path, Err: kernels}, false)
		}
	case seen.broken:
		w.addUnreadable(Log{Root: root, Rel: rel, Path: path, Err: withPath(path, seen.err)}, true)
	case seen.err != nil:
		w.addUnreadable(Log{Root: root, Rel: rel, Path: path, Err: seen.err}, true)
	case info.IsDir():
		w.walkFolder(root, rel, seen.real)
	case !w.reader.IsLog(rel):
	case !info.Mode().IsRegular():
		w.addUnreadable(Log{Root: root, Rel: rel, Path: path, Err: &NotAFile{path, info.Mode().Type()}}, false)
	default:
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.isNewLog(seen.real) {
			w.add(Log{Root: root, Rel: rel, Path: path, Size: info.Size(), ModifiedAt: info.ModTime()}, seen.real)
		}
	}
}

// walkFolder lists the folder rel, unless it was listed before. real is its path without
// links.
func (w *walk) walkFolder(root, rel, real string) {
	w.mu.Lock()
	listed := w.folders[real]
	w.folders[real] = true
	w.mu.Unlock()
	if listed {
		return
	}
	w.wait.Go(func() {
		w.slots <- struct{}{}
		defer func() { <-w.slots }()
		path := filepath.Join(root, filepath.FromSlash(rel))
		entries, err := runWatched(w.dog, newLane(root), func(l *lane) ([]entry, error) {
			return list(l, real, func(name string) bool {
				below := relIn(rel, name)
				return w.reader.IsLog(below) || w.countUnread(below)
			})
		})
		if errors.As(err, new(*NoAnswer)) {
			w.dog.addHidden(path)
			return
		}
		w.addUnreadable(Log{Root: root, Rel: rel, Path: path, Err: err}, true)
		w.addEntries(root, rel, real, entries)
	})
}

// addEntries adds a folder's entries, and walks its subfolders.
func (w *walk) addEntries(root, rel, real string, entries []entry) {
	path := filepath.Join(root, filepath.FromSlash(rel))
	w.mu.Lock()
	for _, e := range entries {
		below := relIn(rel, e.name)
		switch {
		case e.err != nil:
			w.addUnreadableLocked(Log{Root: root, Rel: below, Path: inFolder(path, e.name), Err: e.err}, true)
		case e.kind&fs.ModeSymlink != 0:
			w.links = append(w.links, link{root, below})
		case e.kind.IsRegular():
			w.addListed(Log{Root: root, Rel: below, Size: e.size, ModifiedAt: e.modifiedAt}, path, real, e.name)
		case !e.kind.IsDir():
			at := inFolder(path, e.name)
			w.addUnreadableLocked(Log{Root: root, Rel: below, Path: at, Err: &NotAFile{at, e.kind}}, false)
		}
	}
	w.mu.Unlock()
	for _, e := range entries {
		if e.kind.IsDir() && e.err == nil {
			w.walkFolder(root, relIn(rel, e.name), inFolder(real, e.name))
		}
	}
}

// addListed adds a log that was found by listing a folder. Each folder is listed only
// once, so the log can be known already only if a link or a pattern led to the file
// itself.
func (w *walk) addListed(l Log, path, real, name string) {
	reached := inFolder(real, name)
	if w.byReal[reached] {
		return
	}
	if l.Path = reached; path != real {
		l.Path = inFolder(path, name)
	}
	w.add(l, reached)
}

func (w *walk) add(l Log, real string) {
	w.logs, w.reals = append(w.logs, l), append(w.reals, real)
}

// isNewLog reports whether a log that a link or a pattern led to is new. To check this,
// it puts all logs found so far into the set byReal. Mostly they are few, because named
// files come before folders, and links are rare.
func (w *walk) isNewLog(real string) bool {
	for _, known := range w.reals[len(w.byReal):] {
		w.byReal[known] = true
	}
	return !w.byReal[real]
}

// addUnreadable adds an entry that can't be read but has the name of a log or of a
// folder with logs. If warned is true, the search's error includes the entry's. A
// missing file is ignored.
func (w *walk) addUnreadable(l Log, warned bool) {
	w.mu.Lock()
	w.addUnreadableLocked(l, warned)
	w.mu.Unlock()
}

func (w *walk) addUnreadableLocked(l Log, warned bool) {
	if l.Err == nil || errors.Is(l.Err, fs.ErrNotExist) {
		return
	}
	w.unreadable = append(w.unreadable, l)
	if warned {
		w.addErrorLocked(l.Err)
	}
}

// withPath adds the path of a broken link to an error that doesn't name a path.
func withPath(path string, err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("%s: a circle of symbolic links, or too many of them", path)
}

func (w *walk) addError(err error) {
	w.mu.Lock()
	w.addErrorLocked(err)
	w.mu.Unlock()
}

func (w *walk) addErrorLocked(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.errs = append(w.errs, fmt.Errorf("%s: %w", w.reader.Agent, err))
	}
}

// addUnresponsiveRoots adds one entry for each root with an unresponsive device (a disk
// that didn't answer) to the unreadable entries of the search. The entry stands for all
// logs of the root on the device.
func (w *walk) addUnresponsiveRoots(in []Place) {
	for _, place := range in {
		for _, s := range w.dog.UnresponsiveDisks() {
			if s.Root == place.Path {
				w.addUnreadable(Log{Root: place.Path, Rel: ".", Path: place.Path, Err: &NoAnswer{s}}, false)
				break
			}
		}
	}
}

// relIn returns the path below the root of a name in the folder rel.
func relIn(rel, name string) string {
	if rel == "." {
		return name
	}
	return rel + "/" + name
}

// inFolder returns the path of a name in a folder.
func inFolder(folder, name string) string {
	if strings.HasSuffix(folder, string(filepath.Separator)) { // the folder is the root of a disk
		return folder + name
	}
	return folder + string(filepath.Separator) + name
}

// kernelLinkError is the error of a link to a file system whose files the kernel generates,
// such as /proc.
type kernelLinkError struct {
	path, system string
	isFolder     bool
}

// Error names the file system.
func (o *kernelLinkError) Error() string {
	return fmt.Sprintf("%s: leads onto a %s file system, where the kernel makes up files; the link is not followed", o.path, o.system)
}
