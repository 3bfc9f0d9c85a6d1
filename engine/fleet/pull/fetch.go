package pull

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hindsql/engine/fleet/landing"
	"hindsql/engine/store"
)

// fetched holds the files with rows of changed logs, by table.
type fetched map[string][]local

// local is a file of the landing, with the path of its copy on this machine.
type local struct {
	landing.File
	path string
}

// fetch copies the files with changed rows into a temporary folder, and checks each
// file against the manifest and the bounds. Files may differ while the folder is still
// being copied or synchronised.
func (p *pulling) fetch(ctx context.Context, m *landing.Manifest, c change) (found fetched, drop func(), err error) {
	if err := p.Bounds.manifest(m); err != nil {
		return nil, nil, err
	}
	dir, drop, err := store.Scratch("pull")
	if err != nil {
		return nil, nil, err
	}
	needed := map[int]bool{}
	for _, l := range c.come {
		for _, n := range l.Files {
			needed[n] = true
		}
	}
	found = fetched{}
	for n, f := range m.Files {
		if !needed[n] {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.parquet", n))
		if err := p.fetchOne(ctx, m.Machine, f, path); err != nil {
			drop()
			return nil, nil, err
		}
		found[f.Table] = append(found[f.Table], local{f, path})
	}
	if err := p.Bounds.check(ctx, p.st, found); err != nil {
		drop()
		return nil, nil, err
	}
	return found, drop, nil
}

func (p *pulling) fetchOne(ctx context.Context, machine string, f landing.File, path string) error {
	prefix, err := landing.Prefix(machine)
	if err != nil {
		return err
	}
	r, err := p.Target.Get(ctx, prefix+"/"+f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: missing; it may still be on its way", f.Path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	defer r.Close()
	w, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer w.Close()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(r, f.Bytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", f.Path, err)
	case n != f.Bytes:
		return fmt.Errorf("%s: is not of %d bytes; it may still be on its way", f.Path, f.Bytes)
	case hex.EncodeToString(h.Sum(nil)) != f.Sum:
		return fmt.Errorf("%s: is not what the manifest names; it may still be on its way", f.Path)
	}
	return w.Close()
}
