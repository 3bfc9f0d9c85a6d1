package push

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/engine/fleet/landing"
)

// shipment is the files that the next manifest names: those that lie at the target,
// and those that are made here and are to be sent.
type shipment struct {
	folder string            // where they are made
	number int               // of files made
	base   *landing.Manifest // what is known to lie at the target; nil for nothing
	files  map[string]*made  // by their path below the prefix
}

// made is a file of the landing.
type made struct {
	landing.File
	local string // where it was made; empty for one that lies at the target
}

// nextFile is where a file is made.
func (s *shipment) nextFile() string {
	s.number++
	return filepath.Join(s.folder, fmt.Sprintf("%d.parquet", s.number))
}

// keep takes a file that lies at the target.
func (s *shipment) keep(path string) bool {
	if s.base == nil {
		return false
	}
	n := slices.IndexFunc(s.base.Files, func(f landing.File) bool { return f.Path == path })
	if n < 0 {
		return false
	}
	s.files[path] = &made{File: s.base.Files[n]}
	return true
}

// isSuperseded says that a file of the path was superseded at the target: it may be
// about to be deleted.
func (s *shipment) isSuperseded(path string) bool {
	return s.base != nil && slices.ContainsFunc(s.base.Superseded, func(f landing.Former) bool { return f.Path == path })
}

// add takes a file that was made, with the size and the sum that it has.
func (s *shipment) add(f landing.File, local string) (err error) {
	if f.Bytes, f.Sum, err = sizeOf(local); err == nil {
		s.files[f.Path] = &made{f, local}
	}
	return err
}

// sizeOf is how many bytes a file has, and their SHA-256.
func sizeOf(path string) (size int64, sum string, err error) {
	r, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer r.Close()
	h := sha256.New()
	size, err = io.Copy(h, r)
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// all are the files as the manifest names them.
func (s *shipment) all() (list []landing.File) {
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		list = append(list, s.files[path].File)
	}
	return list
}

// made are the files that are to be sent.
func (s *shipment) made() (list []*made) {
	for _, f := range s.files {
		if f.local != "" {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *made) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// superseded are files of former manifests that may be there still. A manifest says
// so for the longest time at most.
func (s *shipment) superseded(now time.Time, longest time.Duration) (list []landing.Former) {
	if s.base == nil {
		return nil
	}
	for _, f := range s.base.Superseded {
		if s.files[f.Path] == nil && now.Sub(f.Since) < longest {
			list = append(list, f)
		}
	}
	for _, f := range s.base.Files {
		if s.files[f.Path] == nil {
			list = append(list, landing.Former{Path: f.Path, Since: now})
		}
	}
	return list
}
