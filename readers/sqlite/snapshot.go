package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"
)

// headerSize is the database header's, on its first page. Of it: the version of
// the format that writing and reading ask for, 2 for a write-ahead log and 1
// otherwise, and a counter of the changes made without such a log.
const (
	headerSize    = 100
	formatWriting = 18
	formatReading = 19
	counterAt     = 24
)

// A disk's clock may stand still for this long: what changed within it may look
// unchanged.
const clockTick = 20 * time.Millisecond

// snapshot is one committed state of a database: the frames of the -wal up to a
// commit, over the database file.
//
// The agent may write all the while. It writes each page into the -wal first, and
// copies it into the database file only when committed (a checkpoint). So the
// pages that this state has in the -wal are safe while that log goes on: a frame
// of a commit is written over only after the log was begun anew, with another
// header, and that is written first. A page that it has in the database file is
// safe while that file is unchanged, or while no later commit has it in the same
// log, nor makes the database too small for it. And where there is no log, the
// file must not change. The pages of a journal that a killed writer left lie over
// those of the database file, and below the log's.
type snapshot struct {
	db, wal  file             // wal is nil where there is none
	journal  *journal         // nil where there is none that counts
	seen     fs.FileInfo      // of db, before any of it was read
	dated    bool             // the time in seen was old enough to show the next change
	counter  []byte           // of db, likewise
	head     []byte           // of wal, as much as there is of its header
	log      *wal             // nil where wal counts for nothing
	frames   map[uint32]int64 // where each page stands in wal: its last frame
	size     int64            // bytes
	pageSize int64            // bytes; without a log any will do

	held map[uint32][]byte // pages in memory, see hold

	mu      sync.Mutex
	read    pages // those that were read from the disk
	inPlace pages // those of them that came from db
	failed  error // the first that the disk gave
	columns map[string][]string

	name string // in our file system
	pool *sql.DB
	use
}

// look takes the state that the files are in now, and has db from then on. The
// error is ErrWritten while they are in none.
func look(p *place, db file) (*snapshot, error) {
	s, err := glance(p, db)
	if err == nil && s.young() {
		time.Sleep(clockTick)
		s.closeBeside()
		if s, err = glance(p, db); err == nil && s.young() {
			s.closeBeside()
			err = ErrWritten
		}
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// young says whether nothing but the database file's time could show its next
// change, and the clock that gave it may not have moved on yet.
func (s *snapshot) young() bool { return s.log == nil && !s.dated }

func glance(p *place, db file) (_ *snapshot, err error) {
	s := &snapshot{db: db, frames: map[uint32]int64{}, pageSize: 4096}
	defer func() {
		if err != nil {
			s.closeBeside()
		}
	}()
	if s.seen, err = db.Stat(); err != nil {
		return nil, err
	}
	s.dated = age(s.seen) >= clockTick
	if s.journal, err = p.journal(db); err != nil {
		return nil, err
	}
	if s.counter, err = changes(db); err != nil {
		return nil, err
	}
	s.size = s.seen.Size()
	if err := s.rollBack(p); err != nil {
		return nil, err
	}
	if s.wal, err = p.optional(walSuffix); s.wal == nil || err != nil {
		return s, err
	}
	if s.head, err = start(s.wal, walHeaderSize); err != nil || s.size == 0 {
		return s, err // beside an empty database SQLite takes no log for its own
	}
	if s.log, err = beginning(s.head); s.log == nil || err != nil {
		return s, err
	}
	now, err := db.Stat() // with all that older logs had
	if err != nil {
		return s, err
	}
	if !s.rolledBack() {
		s.size = now.Size()
	} else if s.pageSize != s.log.pageSize {
		return s, fmt.Errorf("damaged: the pages of its %s have %d bytes, those of its %s %d", journalSuffix, s.pageSize, walSuffix, s.log.pageSize)
	}
	s.pageSize = s.log.pageSize
	return s, s.lay()
}

// lay lays the frames of the log over the database.
func (s *snapshot) lay() error {
	err := s.log.commits(s.wal, func(_ uint32, frames []frame) {
		for _, f := range frames {
			s.frames[f.page] = f.index
		}
	})
	if err != nil || s.log.pages == 0 {
		return err
	}
	s.size = int64(s.log.pages) * s.log.pageSize
	head := make([]byte, headerSize)
	if _, err := s.ReadAt(head, 0); err != nil {
		return err
	}
	own := headPageSize(head)
	if own != s.log.pageSize && bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return fmt.Errorf("damaged: its pages have %d bytes, those of its %s %d", own, walSuffix, s.log.pageSize)
	}
	return nil
}

// changes is the counter that each transaction without a write-ahead log raises.
func changes(db file) ([]byte, error) {
	head, err := start(db, counterAt+4)
	return head[min(counterAt, len(head)):], err
}

// ReadAt reads the database as this state has it.
func (s *snapshot) ReadAt(p []byte, from int64) (n int, err error) {
	if from >= s.size {
		return 0, io.EOF
	}
	short := int64(len(p)) > s.size-from
	if short {
		p = p[:s.size-from]
	}
	for n < len(p) && err == nil {
		var more int
		more, err = s.readPage(p[n:], from+int64(n))
		n += more
	}
	if err != nil {
		s.fail(err)
		return n, err
	}
	withoutLog(p, from)
	if short {
		err = io.EOF
	}
	return n, err
}

// readPage reads up to a page's end, from the log, the journal or the database file.
func (s *snapshot) readPage(p []byte, from int64) (n int, err error) {
	page, within := uint32(from/s.pageSize)+1, from%s.pageSize
	p = p[:min(int64(len(p)), s.pageSize-within)]
	if held, ok := s.held[page]; ok {
		return copy(p, held[within:]), nil
	}
	index, inLog := s.frames[page]
	s.mu.Lock()
	s.read.add(page)
	if !inLog {
		s.inPlace.add(page)
	}
	s.mu.Unlock()
	if inLog {
		return read(s.wal, p, s.log.at(index)+within)
	}
	if at, ok := s.journal.at(page); ok {
		return read(s.journal.file, p, at+within)
	}
	return read(s.db, p, from)
}

// read fills p from a file. A page that the database file doesn't reach to was
// never written, and is taken for zeros, as SQLite does; a log that has become
// too short is no longer this state's.
func read(f file, p []byte, from int64) (int, error) {
	n, err := f.ReadAt(p, from)
	if n == len(p) || errors.Is(err, io.EOF) {
		clear(p[n:])
		return len(p), nil
	}
	return n, err
}

// withoutLog has the database say that it needs no write-ahead log: this state
// has its frames.
func withoutLog(p []byte, from int64) {
	for _, at := range []int64{formatWriting, formatReading} {
		if i := at - from; i >= 0 && i < int64(len(p)) && p[i] == 2 {
			p[i] = 1
		}
	}
}

func (s *snapshot) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}

// stood says whether all that was read so far was of this state: a look at the
// files that comes after.
func (s *snapshot) stood(p *place) (bool, error) {
	s.mu.Lock()
	nothing := s.read.count == 0
	s.mu.Unlock()
	if nothing {
		return true, nil // but from memory
	}
	return s.compare(p, s.spoiled)
}

// isNewest says whether it is the state that the files are in.
func (s *snapshot) isNewest(p *place) (bool, error) {
	return s.compare(p, func(bool, uint32, []frame) bool { return true })
}

// compare says whether the files are those of this state, but for later commits,
// of which other may say that they are too much.
func (s *snapshot) compare(p *place, other func(unchanged bool, pages uint32, frames []frame) bool) (bool, error) {
	if _, ok := s.db.(memory); ok {
		return true, nil
	}
	there, unchanged, err := s.sameFile(p)
	if !there || err != nil || !unchanged && s.log == nil {
		return false, err
	}
	wal, err := p.optional(walSuffix)
	if err != nil {
		return false, err
	}
	if wal == nil {
		return s.wal == nil, nil
	}
	defer wal.Close()
	spoiled := false
	if s.log != nil {
		later := *s.log
		err := later.commits(wal, func(pages uint32, frames []frame) { spoiled = spoiled || other(unchanged, pages, frames) })
		if err != nil {
			return false, err
		}
	}
	head, err := start(wal, walHeaderSize) // last: only while it stands, no frame is written over
	return !spoiled && bytes.Equal(head, s.head), err
}

// sameFile says whether the database is still that file, outside a transaction of
// anybody who is alive, and whether its time shows that nobody wrote to it.
func (s *snapshot) sameFile(p *place) (there, unchanged bool, err error) {
	db, err := opened(p.db())
	if err != nil {
		return false, false, err
	}
	defer db.Close()
	now, err := db.Stat()
	if err != nil || !os.SameFile(now, s.seen) {
		return false, false, err
	}
	journal, err := p.journal(db)
	if errors.Is(err, ErrWritten) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	defer journal.close()
	if !s.journal.is(journal) {
		return false, false, nil
	}
	counter, err := changes(db)
	return true, s.dated && same(now, s.seen) && bytes.Equal(counter, s.counter), err
}

// spoiled says whether a later commit has pages that were read from the database
// file, into which a checkpoint may have copied them since, or whether it cut
// them off. Windows may show a file's new time only when it is closed.
func (s *snapshot) spoiled(unchanged bool, pages uint32, frames []frame) bool {
	if unchanged && runtime.GOOS != "windows" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range frames {
		if s.inPlace.has(f.page) {
			return true
		}
	}
	return pages < s.inPlace.last
}

func (s *snapshot) closeFiles() {
	s.db.Close()
	s.closeBeside()
}

func (s *snapshot) closeBeside() {
	s.journal.close()
	if s.wal != nil {
		s.wal.Close()
	}
}
