package push

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/engine/fleet/landing"
	"hindsql/internal/atomicfile"
)

// tidies reports whether this machine deletes its superseded files: only in a folder
// without a committer.
func (p *pushing) tidies() bool {
	if p.Target.Folder == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(p.Target.Folder, filepath.FromSlash(landing.Root), landing.CommitterName))
	return errors.Is(err, fs.ErrNotExist)
}

// tidyUnchanged deletes superseded files after a push without changes.
func (p *pushing) tidyUnchanged(ctx context.Context, manifest *landing.Manifest) error {
	if p.DryRun || !slices.ContainsFunc(manifest.Superseded, p.isOver) {
		return nil
	}
	return p.tidy(ctx, manifest)
}

// isOver reports whether no reader of a former manifest needs the file any more.
func (p *pushing) isOver(f landing.Former) bool { return p.Now().Sub(f.Since) >= graceOfFiles }

// tidy deletes files that no manifest has named for a day. A later push retries files
// that can't be deleted now.
func (p *pushing) tidy(ctx context.Context, manifest *landing.Manifest) error {
	if !p.tidies() {
		return nil
	}
	keep := map[string]bool{landing.ManifestName: true, landing.TombstoneName: true}
	for _, f := range manifest.Files {
		keep[f.Path] = true
	}
	for _, f := range manifest.Superseded {
		if !p.isOver(f) {
			keep[f.Path] = true
		}
	}
	var old []string
	before := p.Now().Add(-graceOfFiles)
	_ = p.Target.List(ctx, p.prefix, func(e landing.Entry) error {
		name := strings.TrimPrefix(e.Name, p.prefix+"/")
		if landing.IsFile(name) && !keep[name] && e.ModifiedAt.Before(before) {
			old = append(old, e.Name)
		}
		return nil
	}) // a later push tidies a folder that can't be listed
	for _, name := range old {
		if p.Target.Remove(ctx, name) == nil {
			p.report.Removed++
		}
	}
	p.sweep(before)
	return ctx.Err()
}

// sweep removes unfinished files that killed pushes left before the given time.
func (p *pushing) sweep(before time.Time) {
	root := filepath.Join(p.Target.Folder, filepath.FromSlash(p.prefix))
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasPrefix(e.Name(), atomicfile.Unfinished) {
			if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
				_ = os.Remove(path)
			}
		}
		return nil
	})
}
