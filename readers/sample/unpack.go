package sample

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hindsql/internal/pattern"
)

// Unpack writes the sample into hindsql's folder of a cache, by default the user's. It
// returns the home folder, and the path of a store for the home. Samples of earlier days
// whose stores aren't open are removed.
func (d Days) Unpack(cache string, isOpen func(store string) bool) (home, store string, err error) {
	if !filepath.IsAbs(cache) {
		if cache, err = os.UserCacheDir(); err != nil {
			return "", "", fmt.Errorf("%w; the sample is written to the user's cache folder, name it with XDG_CACHE_HOME", err)
		}
	}
	folder, err := d.Folder(filepath.Join(cache, "hindsql"))
	if err != nil {
		return "", "", err
	}
	if home, err = d.Write(folder); err != nil {
		return "", "", fmt.Errorf("%w; the sample is written to the user's cache folder, name another with XDG_CACHE_HOME", err)
	}
	removeEarlier(folder, isOpen)
	return home, storeIn(folder), nil
}

func storeIn(folder string) string { return filepath.Join(folder, "hindsql.duckdb") }

// removeEarlier removes the samples of earlier days and their stores. A sample in use by
// a process, such as hindsql web since yesterday, stays until a later command. So does a
// sample used within the last minute: a process may be about to open the store.
func removeEarlier(folder string, isOpen func(store string) bool) {
	for _, old := range earlier(folder) {
		info, err := os.Stat(old)
		if err == nil && time.Since(info.ModTime()) > time.Minute && !isOpen(storeIn(old)) {
			_ = os.RemoveAll(old)
		}
	}
}

// dated matches the folder of a moved sample.
var dated = pattern.Lazy(prefix + `[0-9a-f]{8}-(\d{4}-\d\d-\d\d)$`)

// earlier returns the folders beside the folder with a sample of an earlier last day, of
// any build. It leaves out samples of the day as written.
func earlier(folder string) (folders []string) {
	is := dated.FindStringSubmatch(folder)
	if is == nil {
		return nil
	}
	all, _ := os.ReadDir(filepath.Dir(folder))
	for _, entry := range all {
		if m := dated.FindStringSubmatch(entry.Name()); m != nil && m[1] < is[1] {
			folders = append(folders, filepath.Join(filepath.Dir(folder), entry.Name()))
		}
	}
	return folders
}
