package push

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hindsql/engine/fleet/landing"
	"hindsql/internal/lists"
	"hindsql/internal/regular"
)

// shipment is the set of files for the next manifest: files already at the target, and
// new files to send.
type shipment struct {
	folder string              // folder for new files
	number int                 // number of new files
	base   *landing.Manifest   // manifest of the files known to lie at the target; nil if unknown
	files  map[string]*newFile // by path below the prefix
}

// newFile is a file of the landing.
type newFile struct {
	landing.File
	local string // path of a new file here; empty if the file lies at the target
}

// nextFile returns the path for another new file.
func (s *shipment) nextFile() string {
	s.number++
	return filepath.Join(s.folder, fmt.Sprintf("%d.parquet", s.number))
}

// keep adds a file that already lies at the target.
func (s *shipment) keep(path string) bool {
	if s.base == nil {
		return false
	}
	n := slices.IndexFunc(s.base.Files, func(f landing.File) bool { return f.Path == path })
	if n < 0 {
		return false
	}
	s.files[path] = &newFile{File: s.base.Files[n]}
	return true
}

// isSuperseded reports whether the target's manifest lists a file with this path as
// superseded. A committer may soon delete the file.
func (s *shipment) isSuperseded(path string) bool {
	return s.base != nil && slices.ContainsFunc(s.base.Superseded, func(f landing.Former) bool { return f.Path == path })
}

// add adds a new file, and notes its size and sum.
func (s *shipment) add(f landing.File, local string) (file *newFile, err error) {
	if f.Bytes, f.Sum, err = sizeOf(local); err == nil {
		file = &newFile{f, local}
		s.files[f.Path] = file
	}
	return file, err
}

// sizeOf returns a file's size in bytes, and its SHA-256.
func sizeOf(path string) (size int64, sum string, err error) {
	r, err := regular.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer r.Close()
	h := sha256.New()
	size, err = io.Copy(h, r)
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// all returns the files for the manifest.
func (s *shipment) all() []landing.File {
	return lists.Map(slices.Sorted(maps.Keys(s.files)), func(path string) landing.File { return s.files[path].File })
}

// newFiles returns the files to send.
func (s *shipment) newFiles() (list []*newFile) {
	for _, f := range s.files {
		if f.local != "" {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *newFile) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// superseded returns former files that may still lie at the target. A manifest lists
// them for the longest time at most.
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

// sendersToBucket is how many files are sent to a bucket at once. A folder takes one,
// because creating a file there sweeps unfinished files of the same process.
const sendersToBucket = 4

// sending puts new files to the target while other files are made: waiting for a disk or
// a network takes no processor.
type sending struct {
	*pushing
	ctx   context.Context
	stop  context.CancelFunc
	queue chan *newFile
	end   func()
	mutex sync.Mutex
	err   error // the first
}

// startSending starts the senders. The caller has to call finish, or stop and end.
func (p *pushing) startSending(ctx context.Context) *sending {
	s := &sending{pushing: p, queue: make(chan *newFile, 100)}
	s.ctx, s.stop = context.WithCancel(ctx)
	senders := sendersToBucket
	if p.Target.Folder != "" {
		senders = 1
	}
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for f := range s.queue { // also after an error, so that add never waits in vain
				if s.ctx.Err() == nil {
					s.fail(s.sendFile(f))
				}
			}
		})
	}
	s.end = sync.OnceFunc(func() { close(s.queue); all.Wait() })
	return s
}

// fail keeps the first error, and stops the sending.
func (s *sending) fail(err error) {
	if err == nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.err = cmp.Or(s.err, err)
	s.stop()
}

// add has a file sent.
func (s *sending) add(f *newFile) { s.queue <- f }

// failure returns the error that stopped the sending.
func (s *sending) failure() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err != nil {
		return fmt.Errorf("%s: %w; what was pushed there before counts still", s.Target.URL, s.err)
	}
	return s.ctx.Err()
}

// finish waits until all files are sent.
func (s *sending) finish() error {
	s.end()
	return s.failure()
}

// sendFile sends a file.
func (s *sending) sendFile(f *newFile) error {
	r, err := regular.Open(f.local)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := s.Target.Put(s.ctx, s.prefix+"/"+f.Path, r, f.Bytes); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	return nil
}
