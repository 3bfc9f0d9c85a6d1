package readers

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// Place is a root to search for logs, and the flag or variable it came from.
type Place struct {
	Path string
	From string // "--root", the variable's name, or "default"
}

// Places lists the reader's roots: from flags if given, otherwise from the environment
// variable if set, otherwise the defaults.
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

// below joins each non-blank path with sub.
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

// Find lists the reader's logs below the places, sorted by path. If several links lead
// to a file, Find lists it once. A missing place is no error. If a folder can't be
// listed, Find returns an error and still lists the other logs.
func (r *Reader) Find(in []Place) ([]Log, error) {
	logs, _, err := r.Search(in)
	return logs, err
}

// Search is Find with one more result: unreadable holds entries that can't be read, but
// have the name of a log or of a folder with logs. They are sorted, and each has an
// Err.
func (r *Reader) Search(in []Place) (logs, unreadable []Log, err error) { return r.search(nil, in) }

func (r *Reader) search(dog *Watchdog, in []Place) (logs, unreadable []Log, err error) {
	return newWalk(r, dog).search(in)
}

func (w *walk) search(in []Place) (logs, unreadable []Log, err error) {
	for _, place := range in {
		w.searchRoot(place.Path)
		w.wait.Wait()
	}
	w.followLinks()
	w.addUnresponsiveRoots(in)
	slices.SortFunc(w.logs, func(a, b Log) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(w.unreadable, func(a, b Log) int { return strings.Compare(a.Path, b.Path) })
	w.unreadable = slices.CompactFunc(w.unreadable, func(a, b Log) bool { return a.Path == b.Path })
	w.logs = w.reader.withoutPacked(w.logs)
	return w.logs, w.unreadable, errors.Join(w.errs...)
}

// withoutPacked leaves out the compressed logs that also lie there uncompressed.
func (r *Reader) withoutPacked(logs []Log) []Log {
	if r.Packed == "" || !slices.ContainsFunc(logs, func(l Log) bool { return strings.HasSuffix(l.Path, r.Packed) }) {
		return logs
	}
	plain := make(map[string]bool, len(logs))
	for i := range logs {
		plain[logs[i].Path] = true
	}
	return slices.DeleteFunc(logs, func(l Log) bool {
		name, isPacked := strings.CutSuffix(l.Path, r.Packed)
		return isPacked && plain[name]
	})
}

// Host describes the machine, to find a reader's default roots.
type Host struct {
	OS     string // a runtime.GOOS value
	Home   string
	Getenv func(string) string
}

// ConfigFolder returns the folder that holds programs' settings on this OS.
func (h Host) ConfigFolder() string {
	switch h.OS {
	case "darwin":
		return filepath.Join(h.Home, "Library", "Application Support")
	case "windows":
		return cmp.Or(h.Getenv("APPDATA"), filepath.Join(h.Home, "AppData", "Roaming"))
	}
	return h.XDGConfig()
}

// XDGConfig returns the settings folder on Linux. Some programs use it on every OS.
func (h Host) XDGConfig() string {
	return cmp.Or(h.Getenv("XDG_CONFIG_HOME"), filepath.Join(h.Home, ".config"))
}
