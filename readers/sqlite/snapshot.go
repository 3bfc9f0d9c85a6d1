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
	"slices"
	"sync"
	"time"
)

// headerSize is the size of the database header on the first page. Two of its bytes are
// the format version for writing and for reading: 2 with a write-ahead log, otherwise
// 1. Its counter counts changes made without a write-ahead log.
const (
	headerSize    = 100
	formatWriting = 18
	formatReading = 19
	counterAt     = 24
)

// clockTick is how long a disk's clock may stand still. A change within that time may
// leave the file's time unchanged.
const clockTick = 20 * time.Millisecond

// snapshot is one committed state of a database: the frames of the -wal up to a commit,
// over the database file.
//
// The agent may write at any time. It writes each page into the -wal first, and copies
// committed pages into the database file later (a checkpoint).
//
// Pages of this state in the -wal are safe while the log continues: SQLite overwrites a
// committed frame only after it starts the log anew, and it writes the new header
// first. A page of this state in the database file is safe while the file is unchanged.
// It is also safe while no later commit in the same log changes the page, or shrinks
// the database below it. Without a log, the file must not change. The pages of a killed
// writer's journal replace pages of the database file, and the log's pages replace
// both.
type snapshot struct {
	db, wal        file             // wal is nil if missing
	journal        *journal         // nil if there is no hot journal
	dbInfo         fs.FileInfo      // of db before the first read
	timeIsReliable bool             // true if the time in dbInfo was old enough to show the next change
	counter        []byte           // change counter of db before the first read
	walHeader      []byte           // header of wal, as far as it exists
	log            *wal             // nil if wal is missing, empty or damaged
	frames         map[uint32]int64 // last frame of each page in wal
	size           int64            // bytes
	pageSize       int64            // bytes; arbitrary without a log and a journal

	preloaded map[uint32][]byte // pages in memory, see preload

	mu      sync.Mutex
	read    pages // pages read from the disk
	inPlace pages // pages read, except those from wal
	failed  error // the disk's first error
	columns map[string][]string

	name string // name in the file system states
	pool *sql.DB
	cacheEntry
}

// newSnapshot returns the current state of the files. From then on, the snapshot closes db.
// The error is ErrWritten if the files aren't in a committed state.
func newSnapshot(p *opener, db file) (*snapshot, error) {
	s, err := trySnapshot(p, db)
	if err == nil && s.mayMissChange() {
		time.Sleep(clockTick)
		s.closeLogs()
		if s, err = trySnapshot(p, db); err == nil && s.mayMissChange() {
			s.closeLogs()
			err = ErrWritten
		}
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// mayMissChange reports whether the next change might not be noticed: only the database
// file's time could show it, and the disk's clock may not have advanced since the
// file's last change.
func (s *snapshot) mayMissChange() bool { return s.log == nil && !s.timeIsReliable }

func trySnapshot(p *opener, db file) (_ *snapshot, err error) {
	s := &snapshot{db: db, frames: map[uint32]int64{}, pageSize: 4096}
	defer func() {
		if err != nil {
			s.closeLogs()
		}
	}()
	if s.dbInfo, err = db.Stat(); err != nil {
		return nil, err
	}
	s.timeIsReliable = age(s.dbInfo) >= clockTick
	if s.journal, err = p.openJournal(db); err != nil {
		return nil, err
	}
	if s.counter, err = readChangeCounter(db); err != nil {
		return nil, err
	}
	s.size = s.dbInfo.Size()
	if err := s.rollBack(p); err != nil {
		return nil, err
	}
	if s.wal, err = p.openOptional(walSuffix); s.wal == nil || err != nil {
		return s, err
	}
	if s.walHeader, err = readStart(s.wal, walHeaderSize); err != nil || s.size == 0 {
		return s, err // SQLite ignores a log beside an empty database
	}
	if s.log, err = parseWALHeader(s.walHeader); s.log == nil || err != nil {
		return s, err
	}
	now, err := db.Stat() // older logs are copied into db by now
	if err != nil {
		return s, err
	}
	if !s.rolledBack() {
		s.size = now.Size()
	} else if s.pageSize != s.log.pageSize {
		return s, fmt.Errorf("damaged: the pages of its %s have %d bytes, those of its %s %d", journalSuffix, s.pageSize, walSuffix, s.log.pageSize)
	}
	s.pageSize = s.log.pageSize
	return s, s.indexFrames()
}

// indexFrames records the frames of the write-ahead log, which replace pages of the
// database file.
func (s *snapshot) indexFrames() error {
	err := s.log.readCommits(s.wal, func(_ uint32, frames []frame) {
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

// readChangeCounter returns the counter that a transaction without a write-ahead log
// raises.
func readChangeCounter(db file) ([]byte, error) {
	head, err := readStart(db, counterAt+4)
	return head[min(counterAt, len(head)):], err
}

// ReadAt reads from the database in this state.
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
		s.recordError(err)
		return n, err
	}
	clearWALFlags(p, from)
	if short {
		err = io.EOF
	}
	return n, err
}

// readPage reads up to the end of a page, from memory, the log, the journal or the
// database file.
func (s *snapshot) readPage(p []byte, from int64) (n int, err error) {
	page, within := uint32(from/s.pageSize)+1, from%s.pageSize
	p = p[:min(int64(len(p)), s.pageSize-within)]
	if held, ok := s.preloaded[page]; ok {
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
		return readZeroFilled(s.wal, p, s.log.offsetOf(index)+within)
	}
	if at, ok := s.journal.offsetOf(page); ok {
		return readZeroFilled(s.journal.file, p, at+within)
	}
	return readZeroFilled(s.db, p, from)
}

// readZeroFilled fills p from a file. A page beyond the end of the file reads as zeros,
// as in SQLite: it was never written. If a log has become too short, the zeros are
// wrong; isConsistent then reports that the files are no longer in this state.
func readZeroFilled(f file, p []byte, from int64) (int, error) {
	n, err := f.ReadAt(p, from)
	if n == len(p) || errors.Is(err, io.EOF) {
		clear(p[n:])
		return len(p), nil
	}
	return n, err
}

// clearWALFlags changes the header bytes to say that the database needs no write-ahead
// log: this state already includes the log's frames.
func clearWALFlags(p []byte, from int64) {
	for _, at := range []int64{formatWriting, formatReading} {
		if i := at - from; i >= 0 && i < int64(len(p)) && p[i] == 2 {
			p[i] = 1
		}
	}
}

func (s *snapshot) recordError(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}

// isConsistent reports whether everything read so far belonged to this state. To find
// out, it looks at the files again after the reads.
func (s *snapshot) isConsistent(p *opener) (bool, error) {
	s.mu.Lock()
	nothing := s.read.count == 0
	s.mu.Unlock()
	if nothing {
		return true, nil // all reads came from memory
	}
	return s.isCurrent(p, s.spoils)
}

// isNewestState reports whether the files are still in this state.
func (s *snapshot) isNewestState(p *opener) (bool, error) {
	return s.isCurrent(p, func(bool, uint32, []frame) bool { return true })
}

// isCurrent reports whether the files still hold this state. It calls other for each
// commit made since. If other returns true, the commit spoiled the state, and isCurrent
// returns false.
func (s *snapshot) isCurrent(p *opener, other func(unchanged bool, pages uint32, frames []frame) bool) (bool, error) {
	if _, ok := s.db.(memory); ok {
		return true, nil
	}
	there, unchanged, err := s.compareFiles(p)
	if !there || err != nil || !unchanged && s.log == nil {
		return false, err
	}
	wal, err := p.openOptional(walSuffix)
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
		err := later.readCommits(wal, func(pages uint32, frames []frame) { spoiled = spoiled || other(unchanged, pages, frames) })
		if err != nil {
			return false, err
		}
	}
	head, err := readStart(wal, walHeaderSize) // read last: an unchanged header proves that no frame was overwritten
	return !spoiled && bytes.Equal(head, s.walHeader), err
}

// compareFiles compares the database file with dbInfo. there means: the file and the journal
// are the same, and no live process is in a transaction without a log. unchanged means:
// the file's time and counter prove that no process wrote to the file.
func (s *snapshot) compareFiles(p *opener) (there, unchanged bool, err error) {
	db, err := asFile(p.openDB())
	if err != nil {
		return false, false, err
	}
	defer db.Close()
	now, err := db.Stat()
	if err != nil || !os.SameFile(now, s.dbInfo) {
		return false, false, err
	}
	journal, err := p.openJournal(db)
	if errors.Is(err, ErrWritten) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	defer journal.close()
	if !s.journal.isSame(journal) {
		return false, false, nil
	}
	counter, err := readChangeCounter(db)
	return true, s.timeIsReliable && isUnchanged(now, s.dbInfo) && bytes.Equal(counter, s.counter), err
}

// spoils reports whether a later commit may have changed pages that were read from the
// database file: a checkpoint copied the commit's pages over them, or the commit cut
// them off. unchanged says that the file seems unchanged. On Windows this isn't
// trusted, because Windows may show a file's new time only after the file is closed.
func (s *snapshot) spoils(unchanged bool, pages uint32, frames []frame) bool {
	if unchanged && runtime.GOOS != "windows" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(frames, func(f frame) bool { return s.inPlace.has(f.page) }) || pages < s.inPlace.last
}

func (s *snapshot) closeFiles() {
	s.db.Close()
	s.closeLogs()
}

func (s *snapshot) closeLogs() {
	s.journal.close()
	if s.wal != nil {
		s.wal.Close()
	}
}
