package atomicfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Real returns a path without symbolic links. If the file system ignores case, names
// are spelt as in their folders, so all spellings of a folder become one. The missing
// part of a path keeps its spelling.
func Real(path string) string { return NewReals().Of(path) }

// Reals computes real paths and caches the spelling of folders.
type Reals struct {
	paths    map[string]string
	caseless map[string]bool // folders that ignore the case of names
}

// NewReals returns an empty cache.
func NewReals() *Reals { return &Reals{map[string]string{}, map[string]bool{}} }

// Of returns the real path of a path: see [Real].
func (r *Reals) Of(path string) string {
	above, name := filepath.Dir(path), filepath.Base(path)
	if above == path || !filepath.IsAbs(path) {
		return path
	}
	real, ok := r.paths[path]
	if !ok {
		real = r.in(r.Of(above), name)
		r.paths[path] = real
	}
	return real
}

// in returns the real path of a name in a folder.
func (r *Reals) in(folder, name string) string {
	path := filepath.Join(folder, name)
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return path
	case info.Mode()&os.ModeSymlink == 0 && r.isCaseless(folder, name, info):
		return filepath.Join(folder, entryOf(folder, name, info))
	case info.Mode()&os.ModeSymlink == 0:
		return path
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return r.Of(to)
	}
	return path
}

// isCaseless reports whether the folder ignores the case of names. One name decides for
// the whole folder.
func (r *Reals) isCaseless(folder, name string, info os.FileInfo) bool {
	is, ok := r.caseless[folder]
	if ok {
		return is
	}
	for _, to := range []func(rune) rune{unicode.ToUpper, unicode.ToLower} {
		if other := strings.Map(to, name); other != name {
			found, err := os.Lstat(filepath.Join(folder, other))
			is = err == nil && os.SameFile(found, info)
			r.caseless[folder] = is
			break
		}
	}
	return is
}

// entryOf returns the folder's spelling of a name; name itself if the folder lists that
// spelling.
func entryOf(folder, name string, info os.FileInfo) string {
	f, err := os.Open(folder)
	if err != nil {
		return name
	}
	defer f.Close()
	entries, _ := f.Readdirnames(-1)
	if slices.Contains(entries, name) {
		return name
	}
	for _, entry := range entries {
		other, err := os.Lstat(filepath.Join(folder, entry))
		if strings.EqualFold(entry, name) && err == nil && os.SameFile(other, info) {
			return entry
		}
	}
	return name
}

// Short shortens a path below the home folder with ~. An empty home shortens nothing.
func Short(home, path string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// Long returns the path named by an argument. A leading ~, left alone by shells after a
// =, becomes the home folder. An empty home expands nothing.
func Long(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return home + rest
	}
	return path
}

// WithoutLinks returns a path without symbolic links, resolved down to the last
// existing folder.
func WithoutLinks(p string) string {
	real, err := filepath.EvalSymlinks(p)
	if above := filepath.Dir(p); err != nil && above != p {
		return filepath.Join(WithoutLinks(above), filepath.Base(p))
	} else if err != nil {
		return p
	}
	return real
}
