package schedule

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Prune removes old files of a report, and returns the removed paths. The newest keep
// files stay; a keep of 0 keeps all. By the journal, Prune removes only files that a
// run of this report wrote, and whose names begin with the report's name.
func Prune(j Journal, name string, keep int) (removed []string, err error) {
	if keep == 0 {
		return nil, nil
	}
	runs, err := j.Runs(name)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for i := len(runs) - 1; i >= 0; i-- {
		path := runs[i].Output
		switch {
		case path == "" || kept[path] || !runs[i].finished():
			continue
		case len(kept) < keep:
			kept[path] = true
			continue
		case !strings.HasPrefix(filepath.Base(path), name+"-") || !filepath.IsAbs(path):
			continue
		}
		switch err := os.Remove(path); {
		case err == nil:
			removed = append(removed, path)
		case !errors.Is(err, fs.ErrNotExist):
			return removed, err
		}
	}
	return removed, nil
}
