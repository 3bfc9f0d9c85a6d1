package readers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// Place is a root that is searched for logs, and who named it.
type Place struct {
	Path string
	From string // "--root", the variable's name, or "default"
}

// Places lists the reader's roots: those of flags, else those of the
// environment, else the defaults.
func (r *Reader) Places(host Host, flags []string) []Place {
	if len(flags) > 0 {
		return places(flags, "--root")
	}
	if r.Env != "" {
		if v := host.Getenv(r.Env); v != "" {
			return places(below(strings.Split(v, ","), r.EnvSub), r.Env)
		}
	}
	return places(r.Roots(host), "default")
}

// below joins each path that isn't blank with the folder.
func below(paths []string, sub string) []string {
	for i, p := range paths {
		if p = strings.TrimSpace(p); p != "" && sub != "" {
			paths[i] = filepath.Join(p, sub)
		}
	}
	return paths
}

func places(paths []string, from string) []Place {
	var list []Place
	for _, p := range paths {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		if abs, err := filepath.Abs(p); err == nil {
			p = abs
		}
		list = append(list, Place{p, from})
	}
	return list
}

// Find lists the reader's logs below the places, each file once however many
// links lead to it, in the order of their paths. A place that isn't there is
// no error; a folder that can't be listed is, and the rest is listed all the
// same.
func (r *Reader) Find(in []Place) ([]Log, error) {
	w := &walk{reader: r, seen: map[string]bool{}, slots: make(chan struct{}, 4)}
	for _, place := range in {
		w.root(place.Path)
		w.wait.Wait()
	}
	w.followLinks()
	sort.Slice(w.logs, func(i, j int) bool { return w.logs[i].Path < w.logs[j].Path })
	return w.logs, errors.Join(w.errs...)
}

// walk is one search. Folders are listed side by side, at most as many at a
// time as there are slots.
type walk struct {
	reader *Reader
	wait   sync.WaitGroup
	slots  chan struct{}

	mu   sync.Mutex
	seen map[string]bool // real paths of files and folders
	logs []Log
	errs []error
	// links are followed after everything else, in order, so that which of
	// several paths to a file is taken doesn't hang on chance.
	links []link
}

type link struct{ root, rel string }

func (w *walk) root(root string) {
	info, err := os.Stat(root)
	if err != nil {
		w.fail(root, err)
		return
	}
	if !info.IsDir() {
		w.linked(filepath.Dir(root), filepath.Base(root))
		return
	}
	for _, under := range w.reader.Under {
		if !strings.Contains(under, "*") {
			w.linked(root, under)
			continue
		}
		found, _ := fs.Glob(os.DirFS(root), under)
		for _, rel := range found {
			w.linked(root, rel)
		}
	}
}

func (w *walk) followLinks() {
	for len(w.links) > 0 {
		links := w.links
		w.links = nil
		sort.Slice(links, func(i, j int) bool { return links[i].root+"/"+links[i].rel < links[j].root+"/"+links[j].rel })
		for _, l := range links {
			w.linked(l.root, l.rel)
			w.wait.Wait()
		}
	}
}

// linked looks at a path that may be, or lie behind, a symbolic link.
func (w *walk) linked(root, rel string) {
	p := filepath.Join(root, filepath.FromSlash(rel))
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		w.fail(p, err)
		return
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		w.fail(p, err)
	case info.IsDir():
		w.folder(root, rel, real)
	default:
		w.file(root, rel, real, info)
	}
}

// folder lists the folder rel, whose real path, free of links, is given.
func (w *walk) folder(root, rel, real string) {
	if !w.first(real) {
		return
	}
	w.wait.Go(func() {
		w.slots <- struct{}{}
		entries, err := os.ReadDir(real)
		for _, e := range entries {
			w.entry(root, path.Join(rel, e.Name()), filepath.Join(real, e.Name()), e)
		}
		<-w.slots
		w.fail(real, err)
	})
}

func (w *walk) entry(root, rel, real string, e fs.DirEntry) {
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		w.mu.Lock()
		w.links = append(w.links, link{root, rel})
		w.mu.Unlock()
	case e.IsDir():
		w.folder(root, rel, real)
	case w.reader.IsLog(rel):
		info, err := e.Info()
		if err != nil {
			w.fail(real, err)
			return
		}
		w.file(root, rel, real, info)
	}
}

func (w *walk) file(root, rel, real string, info fs.FileInfo) {
	if !w.reader.IsLog(rel) || !info.Mode().IsRegular() || !w.first(real) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logs = append(w.logs, Log{Root: root, Rel: rel, Path: filepath.Join(root, filepath.FromSlash(rel)), Info: info})
}

// first says whether a real path is met for the first time.
func (w *walk) first(real string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[real] {
		return false
	}
	w.seen[real] = true
	return true
}

func (w *walk) fail(p string, err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	w.mu.Lock()
	w.errs = append(w.errs, fmt.Errorf("%s: %w", w.reader.Agent, err))
	w.mu.Unlock()
}
