package export

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/internal/lockfile"
	"hindsql/tables"
)

// folder is the folder of an export in progress.
type folder struct {
	path, stage string
	root        *os.Root // path; names and links can't lead out of this root
	lock        *lockfile.Lock
	had         manifest // manifest of the last export
	next        manifest
}

// openFolder locks the folder, and removes leftovers of a killed export. Anyone may
// write to the folder, so the export follows no link out of the folder.
func openFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := &folder{path: dir, stage: filepath.Join(dir, stageName), root: root, next: manifest{map[string]exportedTable{}}}
	if err := d.lockStage(); err != nil {
		root.Close()
		return nil, err
	}
	if err := errors.Join(d.sweep(), readManifest(d.root, manifestName, &d.had)); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// lockStage makes the temporary folder, and takes its lock. It replaces links in their
// places.
func (d *folder) lockStage() error {
	lock := path.Join(stageName, "lock")
	for _, name := range []string{stageName, lock} {
		if info, err := d.root.Lstat(name); err == nil && info.IsDir() != (name == stageName) || err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if err := d.root.Remove(name); err != nil {
				return err
			}
		}
		if err := d.root.Mkdir(stageName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	var err error
	if d.lock, err = lockfile.New(filepath.Join(d.path, filepath.FromSlash(lock))); err != nil {
		return err
	}
	locked, err := d.lock.TryLock()
	if err == nil && !locked {
		err = fmt.Errorf("%s: another process is exporting into it; try again", d.path)
	}
	return err
}

// sweep empties the temporary folder, except for the lock.
func (d *folder) sweep() error {
	entries, err := os.ReadDir(d.stage)
	for _, e := range entries {
		if e.Name() != "lock" {
			err = errors.Join(err, d.root.RemoveAll(path.Join(stageName, e.Name())))
		}
	}
	return err
}

func (d *folder) close() {
	_ = d.root.RemoveAll(stageName)
	_ = d.lock.Unlock()
	_ = d.root.RemoveAll(stageName) // the first attempt fails on systems that can't remove open files
	_ = d.root.Close()
}

// known returns the last export's entry for an item. Other options of the last export
// are an error.
func (d *folder) known(it *item) (exportedTable, error) {
	had, ok := d.had.Tables[it.name]
	switch {
	case !ok || had.Schema != tables.SchemaHash():
		return exportedTable{}, nil
	case had.Options.String() != it.options.String():
		return had, &OtherOptions{d.path, it.name, had.Options.String(), it.options.String()}
	}
	return had, nil
}

// hasFiles reports whether all files of a partition exist.
func (d *folder) hasFiles(p *exportedPartition) bool {
	return !slices.ContainsFunc(p.Files, func(f string) bool { return !exists(d.root, f) })
}

func (d *folder) diskPath(file string) string { return filepath.Join(d.path, filepath.FromSlash(file)) }

// collect adds the staged files of a table to their partitions.
func (d *folder) collect(name string, partitions map[string]*exportedPartition) error {
	files, err := filesBelow(filepath.Join(d.stage, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	for _, f := range files {
		partition := cmp.Or(partitions[f], partitions[path.Dir(f)])
		if partition == nil {
			return fmt.Errorf("%s: %s was written, and is no partition that was asked for", name, f)
		}
		partition.Files = append(partition.Files, name+"/"+f)
	}
	return nil
}

// filesBelow lists the files below a folder, slash-separated and relative to it.
func filesBelow(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	return files, err
}

// publish moves the staged files into place, and removes files of the same tables that
// are no longer part of the export. Files of other exports stay, and foreign files are
// never replaced.
func (d *folder) publish(report *Report) error {
	old := d.had.files()
	var made []string
	for f := range d.next.files() {
		if !exists(d.root, staged(f)) {
			report.Unchanged++
			continue
		}
		if made = append(made, f); !old[f] && exists(d.root, f) {
			return fmt.Errorf("%s: there already, and not from an export; move it away, or choose another folder", d.diskPath(f))
		}
	}
	if err := d.writeInterimManifest(); err != nil {
		return err
	}
	for _, f := range made {
		if err := d.move(f, report); err != nil {
			return err
		}
	}
	keep := d.next.files()
	for f := range old {
		if !keep[f] {
			report.Removed++
			d.remove(f)
		}
	}
	return d.save(d.next)
}

// writeInterimManifest writes a manifest before the files move into place. The manifest lists the
// old and the new files of each partition, because a kill during the moves leaves a
// mixture. Tables that aren't exported again stay, except the tables of imports by
// older versions.
func (d *folder) writeInterimManifest() error {
	between := manifest{map[string]exportedTable{}}
	for name, meant := range d.next.Tables {
		between.Tables[name] = entryWhileMoving(d.had.Tables[name], meant)
	}
	for name, t := range d.had.Tables {
		if _, again := d.next.Tables[name]; again {
			continue
		}
		if between.Tables[name] = t; !strings.HasPrefix(name, "internal/") {
			d.next.Tables[name] = t
		}
	}
	return d.save(between)
}

// staged returns the temporary path of a file.
func staged(file string) string { return path.Join(stageName, file) }

// move moves a staged file into place. The file and new folders are accessible only to
// the user. Existing folders keep their permissions.
func (d *folder) move(file string, report *Report) error {
	info, err := d.root.Stat(staged(file))
	if err != nil {
		return err
	}
	report.Files++
	report.Bytes += info.Size()
	if err := d.root.Chmod(staged(file), 0o600); err != nil {
		return err
	}
	if err := d.root.MkdirAll(path.Dir(file), 0o700); err != nil {
		return err
	}
	return d.root.Rename(staged(file), file)
}

// remove removes a file, and parent folders that are left empty.
func (d *folder) remove(file string) {
	for f := file; f != "."; f = path.Dir(f) {
		if d.root.Remove(f) != nil && f != file {
			return
		}
	}
}

// save writes m as the manifest.
func (d *folder) save(m manifest) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	made := staged(strings.TrimPrefix(manifestName, "."))
	if err := d.root.WriteFile(made, text, 0o600); err != nil {
		return err
	}
	return d.root.Rename(made, manifestName)
}

// exists reports whether a file or folder exists, or may exist.
func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
