package sqlite

import (
	"os"
	"sync"
	"time"
)

// The states (snapshots) read last stay open for a moment. A database with thousands of
// sessions is read by as many calls of View, one after another and several at a time.
// Without the cache, each call would read the -wal and the schema again.
const (
	idleFor  = time.Second
	mostKept = 8
)

var kept struct {
	mu   sync.Mutex
	list []*snapshot // oldest first
}

// use counts the views (calls of View) that use a snapshot. The lock kept.mu guards it.
type use struct {
	views   int
	retired bool // the last view closes the snapshot
	idle    *time.Timer
}

// open returns the current state of the files for one view. If alone is true, no other
// view gets the same snapshot.
func open(p *place, alone bool) (*snapshot, error) {
	db, err := opened(p.db())
	if err != nil {
		return nil, err
	}
	if s := take(db, alone); s != nil {
		if newest, err := s.isNewest(p); newest && err == nil {
			return s, db.Close()
		}
		s.retire()
		s.release()
	}
	s, err := look(p, db)
	if err != nil {
		return nil, err
	}
	if err := s.connect(); err != nil {
		s.closeFiles()
		return nil, err
	}
	s.keep(alone)
	return s, nil
}

// take returns a cached snapshot if the database file is unchanged, and counts one more
// view of it; nil if there is none, or if alone.
func take(db file, alone bool) *snapshot {
	info, err := db.Stat()
	if alone || err != nil {
		return nil
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	for _, s := range kept.list {
		if os.SameFile(s.seen, info) && (s.log != nil || same(s.seen, info)) {
			s.views++
			s.idle.Stop()
			return s
		}
	}
	return nil
}

// keep adds a new snapshot to the cache, unless alone. Its caller counts as its first
// view.
func (s *snapshot) keep(alone bool) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	s.views = 1
	s.idle = time.AfterFunc(idleFor, s.expire)
	s.idle.Stop()
	if _, ok := s.db.(memory); ok || alone {
		s.retired = true
		return
	}
	kept.list = append(kept.list, s)
	if len(kept.list) > mostKept {
		kept.list[0].drop()
	}
}

// release ends a view.
func (s *snapshot) release() {
	kept.mu.Lock()
	defer kept.mu.Unlock()
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
	kept.mu.Lock()
	defer kept.mu.Unlock()
	s.drop()
}

// expire closes a state that has no view.
func (s *snapshot) expire() {
	kept.mu.Lock()
	defer kept.mu.Unlock()
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
	for i := range kept.list {
		if kept.list[i] == s {
			kept.list = append(kept.list[:i], kept.list[i+1:]...)
			break
		}
	}
	if s.views == 0 {
		s.idle.Stop()
		s.close()
	}
}
