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

// tidies says that superseded files are this machine's to delete: in a folder
// that nobody commits from.
func (p *pushing) tidies() bool {
	if p.Target.Folder == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(p.Target.Folder, filepath.FromSlash(landing.Root), landing.CommitterName))
	return errors.Is(err, fs.ErrNotExist)
}

// tidyUnchanged is tidy after a push that wrote nothing, where there is something
// to delete.
func (p *pushing) tidyUnchanged(ctx context.Context, manifest *landing.Manifest) error {
	if p.DryRun || !slices.ContainsFunc(manifest.Superseded, p.isOver) {
		return nil
	}
	return p.tidy(ctx, manifest)
}

// isOver says that nobody who reads a former manifest waits for the file any more.
func (p *pushing) isOver(f landing.Former) bool { return p.Now().Sub(f.Since) >= graceOfFiles }

// tidy deletes what no manifest has named for a day. What can't be deleted now is
// deleted by a later push.
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
	err := p.Target.List(ctx, p.prefix, func(e landing.Entry) error {
		name := strings.TrimPrefix(e.Name, p.prefix+"/")
		if landing.IsFile(name) && !keep[name] && e.ModifiedAt.Before(before) {
			old = append(old, e.Name)
		}
		return nil
	})
	for _, name := range old {
		if p.Target.Remove(ctx, name) == nil {
			p.report.Removed++
		}
	}
	p.sweep(before)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_ = err // a folder that can't be listed is tidied another day
	return nil
}

// sweep removes what killed pushes left half written before a moment.
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
