package readers

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

// names lists a folder below the root, and notes it as a file that was read: a
// folder's time is that of the last name that came, went or changed.
func (n *neighbourhood) names(rel string) ([]string, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, nil
	}
	_, err := n.look(path, true)
	if err == nil {
		var names []string
		if names, err = namesIn(path); err == nil {
			return names, nil
		}
	}
	if passes(err) {
		n.fails(path, err)
	}
	return nil, leaving(err)
}

// namesAside is names without a note.
func (n *neighbourhood) namesAside(rel string) ([]string, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, nil
	}
	names, err := namesIn(path)
	return names, leaving(err)
}

// namesIn are the names in a folder, in order.
func namesIn(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// leaving is the error but where it says that there is no such folder.
func leaving(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
