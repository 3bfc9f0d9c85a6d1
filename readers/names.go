package readers

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
)

// names lists a folder below the root. It notes the folder as a file that was read: if
// a name is added, removed or changed later, the folder's time changes, and with it the
// log.
func (n *neighbourhood) names(rel string) ([]string, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, nil
	}
	_, err := n.look(path, true)
	if err == nil {
		var names []string
		if names, err = namesIn(n.disk.lane, path); err == nil {
			return names, nil
		}
	}
	if passes(err) {
		n.fails(path, err)
	}
	return nil, leaving(err)
}

// namesAside lists a folder as names does, but doesn't note it.
func (n *neighbourhood) namesAside(rel string) ([]string, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, nil
	}
	names, err := namesIn(n.disk.lane, path)
	return names, leaving(err)
}

// namesIn returns the sorted names in a folder.
func namesIn(l *lane, path string) (names []string, err error) {
	if err := l.enter(path); err != nil {
		return nil, err
	}
	defer l.leave()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for err == nil && l.step() {
		var some []string
		some, err = f.Readdirnames(namesAtOnce)
		names = append(names, some...)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return names, err
}

// leaving returns the error, or nil if the error says that the folder doesn't exist.
func leaving(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
