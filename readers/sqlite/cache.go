package sqlite

import (
	"os"
	"sync"
	"time"
)

// The states that were read last stay open for a moment: a database of thousands
// of sessions is read by as many views, one after the other and several at a
// time, and each would else go through the -wal and the schema.
const (
	idleFor  = time.Second
	mostKept = 8
)

var kept struct {
	mu   sync.Mutex
	list []*snapshot // the oldest first
}

// use counts the views of a snapshot. It is kept.mu's.
type use struct {
	views   int
	retired bool // closed by its last view
	idle    *time.Timer
}

// open gives the state that the files are in now, for one view, which may have to
// have it alone.
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

// take finds a state of an unchanged file, and has one more view of it.
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

// keep keeps a state for other views, the one that asked for it being the first.
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

// retire gives a state to no further view.
func (s *snapshot) retire() {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	s.drop()
}

// expire closes a state that was not looked at for a while.
func (s *snapshot) expire() {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if s.views == 0 {
		s.drop()
	}
}

// drop takes a state from the list, and closes it unless a view has it.
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
