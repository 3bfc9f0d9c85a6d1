package landing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

// folder is a target on a local, network or synchronised disk.
type folder struct{ path string }

func openFolder(p string) *Target {
	d := &folder{p}
	return &Target{URL: p, Folder: p, Place: atomicfile.WithoutLinks(p), Put: d.put, Get: d.get, List: d.list, Folders: d.folders, Remove: d.remove}
}

// diskPath returns a file's path on disk. Names that lead out of the folder are errors.
func (d *folder) diskPath(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name {
		return "", fmt.Errorf("%q: no name of a file in %s", name, d.path)
	}
	return filepath.Join(d.path, filepath.FromSlash(name)), nil
}

// put writes a temporary file next to the final path, then renames the file.
func (d *folder) put(_ context.Context, name string, r io.Reader, size int64) error {
	p, err := d.diskPath(name)
	if err != nil {
		return err
	}
	others, err := d.makeFolder(path.Dir(name))
	if err != nil {
		return err
	}
	f, err := atomicfile.Create(p)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if others != 0 {
		if err := f.Chmod(0o600 | others&0o044); err != nil {
			return err
		}
	}
	n, err := io.Copy(f, r)
	if err == nil && n != size {
		err = fmt.Errorf("%s: %d bytes of %d", p, n, size)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return err
	}
	return f.Commit()
}

// makeFolder creates the parent folders of a file, for the owner alone. If other users
// may write to the target itself, they may also read each other's files and create
// folders for their machines. makeFolder returns the permissions of other users in the
// target.
func (d *folder) makeFolder(name string) (others fs.FileMode, err error) {
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return 0, err
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return 0, err
	}
	for _, class := range []fs.FileMode{0o070, 0o007} {
		if info.Mode()&class&0o022 != 0 {
			others |= info.Mode() & class
		}
	}
	made := ""
	for part := range strings.SplitSeq(name, "/") {
		made = path.Join(made, part)
		p := filepath.Join(d.path, filepath.FromSlash(made))
		if err := os.Mkdir(p, 0o700); errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return 0, err
		}
		allowed := others
		if strings.HasPrefix(made, Root+"/") {
			allowed &= 0o055 // a machine's own folder
		}
		if info, err = os.Stat(p); err == nil && allowed != 0 {
			err = os.Chmod(p, info.Mode()&fs.ModeSetgid|0o700|allowed)
		}
		if err != nil {
			return 0, err
		}
	}
	return others, nil
}

// within opens a file or folder of the target. It follows no link out of the target,
// not even a link made a moment ago, because other users may write there.
func (d *folder) within(name string, open func(root *os.Root, name string) (*os.File, error)) (*os.File, error) {
	if _, err := d.diskPath(name); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return open(root, filepath.FromSlash(name))
}

// get opens a regular file. It refuses a named pipe, because reading would block.
func (d *folder) get(_ context.Context, name string) (io.ReadCloser, error) {
	f, err := d.within(name, regular.OpenIn)
	if err != nil {
		return nil, err // not f: a nil *os.File in the interface would not be nil
	}
	return f, nil
}

// list walks the folder. It skips everything except regular files.
func (d *folder) list(ctx context.Context, below string, visit func(Entry) error) error {
	if _, err := d.diskPath(below); err != nil {
		return err
	}
	root, err := os.OpenRoot(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), below, func(name string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		return visit(Entry{name, info.Size(), info.ModTime()})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// folders lists the folders in a folder.
func (d *folder) folders(_ context.Context, in string) (names []string, err error) {
	f, err := d.within(in, func(root *os.Root, name string) (*os.File, error) {
		return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe in a folder's place doesn't block
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// remove deletes the file, and its folder if empty.
func (d *folder) remove(_ context.Context, name string) error {
	p, err := d.diskPath(name)
	if err != nil {
		return err
	}
	if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(filepath.Dir(p)) // fails if the folder has other files
	return nil
}
