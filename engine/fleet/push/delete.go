package push

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/atomicfile"
)

// graceOfFiles is how long an unnamed file stays for readers of the former manifest.
// graceOfFormer is how long a manifest lists a superseded file that this machine
// doesn't delete itself.
const (
	graceOfFiles  = 24 * time.Hour
	graceOfFormer = 90 * 24 * time.Hour
)

// deletesSuperseded reports whether this machine deletes its superseded files: only in
// a folder without a committer.
func (p *pushing) deletesSuperseded() bool {
	if p.Target.Folder == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(p.Target.Folder, filepath.FromSlash(landing.Root), landing.CommitterName))
	return errors.Is(err, fs.ErrNotExist)
}

// deleteIfUnchanged deletes superseded files after a push without changes.
func (p *pushing) deleteIfUnchanged(ctx context.Context, manifest *landing.Manifest) error {
	if p.DryRun || !slices.ContainsFunc(manifest.Superseded, p.isExpired) {
		return nil
	}
	return p.deleteSuperseded(ctx, manifest)
}

// isExpired reports whether no reader of a former manifest needs the file any more.
func (p *pushing) isExpired(f landing.Former) bool { return p.Now().Sub(f.Since) >= graceOfFiles }

// deleteSuperseded deletes files that no manifest has named for a day. A later push
// retries files that can't be deleted now.
func (p *pushing) deleteSuperseded(ctx context.Context, manifest *landing.Manifest) error {
	if !p.deletesSuperseded() {
		return nil
	}
	keep := map[string]bool{landing.ManifestName: true, landing.TombstoneName: true}
	for _, f := range manifest.Files {
		keep[f.Path] = true
	}
	for _, f := range manifest.Superseded {
		if !p.isExpired(f) {
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

// Forget replaces everything the machine pushed with a tombstone. If no committer reads
// the folder, Forget deletes the machine's files and returns their number. Otherwise
// the committer deletes them. Later pushes fail until one with Consent.
func Forget(ctx context.Context, st *engine.Store, o Options) (removed int, err error) {
	p, unlock, err := begin(ctx, st, o)
	if err != nil {
		return 0, err
	}
	defer unlock()
	there, err := p.readRemote(ctx)
	if err != nil {
		return 0, err
	}
	if err := p.compare(there); err != nil { // another machine pushed with this id
		return 0, err
	}
	if there.sum == "" && there.tombstone == nil && !there.forbidden && p.was.Manifest == nil && !p.hasFiles(ctx) {
		return 0, fmt.Errorf("%s: nothing of this machine lies there, and nothing is to be forgotten; see that it is spelled so", p.Target.URL)
	}
	stone := landing.Tombstone{Machine: p.machine, ForgottenAt: p.Now().UTC(), Consent: p.was.Consent}
	if there.manifest != nil {
		stone.Consent = there.manifest.Consent
	}
	stone.All = there.manifest == nil && p.was.Manifest == nil
	text, err := json.MarshalIndent(stone, "", " ")
	if err != nil {
		return 0, err
	}
	p.resetState() // the state no longer says what was pushed
	p.was.Forgotten, p.was.Consent = true, stone.Consent
	if err := p.was.save(p.statePath()); err != nil {
		return 0, err
	}
	if err := p.Target.Put(ctx, p.prefix+"/"+landing.TombstoneName, bytes.NewReader(text), int64(len(text))); err != nil {
		return 0, fmt.Errorf("%s: %w", p.Target.URL, err)
	}
	if p.deletesSuperseded() {
		removed, err = p.deleteAll(ctx)
	}
	return removed, err
}

// hasFiles reports whether the machine has files at the target, for example from a
// killed push.
func (p *pushing) hasFiles(ctx context.Context) bool {
	found := errors.New("found")
	err := p.Target.List(ctx, p.prefix, func(landing.Entry) error { return found })
	return err != nil // also true if the listing failed
}

// deleteAll deletes all of the machine's files except the tombstone. The manifest goes
// first, so no reader looks for deleted files.
func (p *pushing) deleteAll(ctx context.Context) (removed int, err error) {
	var names []string
	err = p.Target.List(ctx, p.prefix, func(e landing.Entry) error {
		switch strings.TrimPrefix(e.Name, p.prefix+"/") {
		case landing.TombstoneName:
		case landing.ManifestName:
			names = slices.Insert(names, 0, e.Name)
		default:
			names = append(names, e.Name)
		}
		return nil
	})
	p.sweep(p.Now().Add(time.Hour)) // no other push of the machine writes: the lock is held
	for _, name := range names {
		if err == nil {
			if err = p.Target.Remove(ctx, name); err == nil {
				removed++
			}
		}
	}
	return removed, err
}
