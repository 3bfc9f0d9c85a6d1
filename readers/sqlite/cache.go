package sqlite

import (
	"os"
	"slices"
	"sync"
	"time"
)

// The states (snapshots) read last stay open for a moment. A database with thousands of
// sessions is read by as many calls of View, one after another and several at a time.
// Without the cache, each call would read the -wal and the schema again.
const (
	idleFor    = time.Second
	mostCached = 8
)

var cache struct {
	mu   sync.Mutex
	list []*snapshot // oldest first
}

// cacheEntry counts the views (calls of View) that use a snapshot. The lock
// cache.mu guards it.
type cacheEntry struct {
	views   int
	retired bool // the last view closes the snapshot
	idle    *time.Timer
}

// open returns the current state of the files for one view. If alone is true, no other
// view gets the same snapshot.
func open(p *opener, alone bool) (*snapshot, error) {
	db, err := asFile(p.openDB())
	if err != nil {
		return nil, err
	}
	if s := acquireCached(db, alone); s != nil {
		if newest, err := s.isNewestState(p); newest && err == nil {
			return s, db.Close()
		}
		s.retire()
		s.release()
	}
	s, err := newSnapshot(p, db)
	if err != nil {
		return nil, err
	}
	if err := s.connect(); err != nil {
		s.closeFiles()
		return nil, err
	}
	s.addToCache(alone)
	return s, nil
}

// acquireCached returns a cached snapshot if the database file is unchanged, and counts
// one more view of it; nil if there is none, or if alone.
func acquireCached(db file, alone bool) *snapshot {
	info, err := db.Stat()
	if alone || err != nil {
		return nil
	}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	for _, s := range cache.list {
		if os.SameFile(s.dbInfo, info) && (s.log != nil || isUnchanged(s.dbInfo, info)) {
			s.views++
			s.idle.Stop()
			return s
		}
	}
	return nil
}

// addToCache adds a new snapshot to the cache, unless alone. Its caller counts as its first
// view.
func (s *snapshot) addToCache(alone bool) {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	s.views = 1
	s.idle = time.AfterFunc(idleFor, s.expire)
	s.idle.Stop()
	if _, ok := s.db.(memory); ok || alone {
		s.retired = true
		return
	}
	cache.list = append(cache.list, s)
	if len(cache.list) > mostCached {
		cache.list[0].drop()
	}
}

// release ends a view.
func (s *snapshot) release() {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if s.views--; s.views > 0 {
		return
	}
	if s.retired {
		s.close()
		return
	}
	s.idle.Reset(idleFor)
}

// retire removes a snapshot from the cache, so no further view gets it.
func (s *snapshot) retire() {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	s.drop()
}

// expire closes a state that has no view.
func (s *snapshot) expire() {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if s.views == 0 {
		s.drop()
	}
}

// drop removes a state from the list, and closes the state unless a view uses it.
func (s *snapshot) drop() {
	if s.retired {
		return
	}
	s.retired = true
	cache.list = slices.DeleteFunc(cache.list, func(other *snapshot) bool { return other == s })
	if s.views == 0 {
		s.idle.Stop()
		s.close()
	}
}
