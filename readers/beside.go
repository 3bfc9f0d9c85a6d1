package readers

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hindsql/tables"
)

// BesideLimit is the largest file, in bytes, that Beside reads into memory.
const BesideLimit = 64 << 20

// neighbourhood is what lies below a log's root, and which of it the log's
// reader asked for.
type neighbourhood struct {
	root string
	met  []tables.Neighbour
}

func (n *neighbourhood) read(rel string) ([]byte, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, fs.ErrNotExist
	}
	// The look comes before the reading: what is written in between is seen as
	// a change by the next sync.
	now, err := n.look(path, true)
	if err != nil {
		return nil, err
	}
	if now.Size > BesideLimit {
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that are read; left out", rel, now.Size, BesideLimit)
	}
	return os.ReadFile(path)
}

func (n *neighbourhood) exists(rel string) bool {
	path, ok := n.path(rel)
	if !ok {
		return false
	}
	_, err := n.look(path, false)
	return err == nil
}

func (n *neighbourhood) path(rel string) (path string, ok bool) {
	rel = filepath.FromSlash(rel)
	return filepath.Join(n.root, rel), filepath.IsLocal(rel)
}

// look notes what lies at a path.
func (n *neighbourhood) look(path string, read bool) (tables.Neighbour, error) {
	now, err := look(path)
	now.WasRead = read
	n.met = append(n.met, now)
	return now, err
}

// Look says what lies at a path now. What can't be looked at counts as not
// there, until it can.
func Look(path string) tables.Neighbour {
	now, _ := look(path)
	return now
}

func look(path string) (tables.Neighbour, error) {
	info, err := os.Stat(path)
	if err != nil {
		return tables.Neighbour{Path: path}, err
	}
	return tables.Neighbour{Path: path, Exists: true, Size: info.Size(), ModifiedAt: info.ModTime()}, nil
}
