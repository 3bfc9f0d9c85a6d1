package sqlite

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"hindsql/internal/pattern"
)

// The rollback journal, according to
// https://sqlite.org/fileformat2.html#the_rollback_journal and to SQLite's reader
// pager_playback in src/pager.c. Before SQLite changes a page of the database file, it
// copies the old page to the journal. A journal is a row of segments. A segment has a
// header, which fills a sector, and records. A record is a page's number, the page and
// a checksum. A commit erases the first header. A journal that has a header, and no
// process writing it, is hot: its writer was killed, and the database file may hold
// half of a transaction.
const (
	journalMagic      = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	journalHeaderSize = 28
	smallestJournal   = 512 // bytes; SQLite ignores the header of a shorter journal
	smallestSector    = 32
	largestSector     = 65536
	allRecords        = 0xffffffff // a header's number of records that means: up to the journal's end
	summedEach        = 200        // the checksum adds one of this many bytes of a page
)

// pendingByte is the offset of SQLite's locks in a database file. The journal never
// holds the page at this offset.
const (
	pendingByte = 1 << 30
	lockBytes   = 2 + 510 // PENDING, RESERVED and the range of SHARED
)

// longestName is the longest name of a super-journal in bytes.
const longestName = 512

// abandoned is the age at which a journal counts as left by a killed writer, if the
// system can't tell who holds a lock of the database.
const abandoned = time.Minute

// journal is a rollback journal with a header that no process writes.
type journal struct {
	file  file
	head  []byte
	info  fs.FileInfo
	pages map[uint32]int64 // offset of each page in file
	// Of the database before the transaction. pageSize is 0 if SQLite would restore no
	// page.
	pageSize int64
	size     int64 // bytes
}

// openJournal opens the journal of the database. It is nil if there is no journal, or if
// the journal has no header. The error is an [ErrWritten] while a process writes it.
func (p *opener) openJournal(db file) (_ *journal, err error) {
	f, err := p.openOptional(journalSuffix)
	if f == nil || err != nil {
		return nil, err
	}
	j := &journal{file: f, pages: map[uint32]int64{}}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	now, err := db.Stat()
	if err != nil {
		return nil, err
	}
	if j.info, err = f.Stat(); err != nil {
		return nil, err
	}
	if j.head, err = readStart(f, journalHeaderSize); err != nil {
		return nil, err
	}
	if now.Size() == 0 || !bytes.HasPrefix(j.head, []byte(journalMagic)) {
		return nil, f.Close()
	}
	if written, known := isLocked(db); written || !known && age(j.info) < abandoned {
		return nil, &inTransaction{ErrWritten, now, min(age(now), age(j.info))}
	}
	return j, nil
}

// rollBack makes the pages of the journal replace those of the database file.
func (s *snapshot) rollBack(p *opener) error {
	if s.journal == nil {
		return nil
	}
	err := s.journal.indexPages(p, s.db)
	if s.rolledBack() {
		s.size, s.pageSize = s.journal.size, s.journal.pageSize
	}
	return err
}

// rolledBack reports whether the journal decides this state's size and some of its
// pages.
func (s *snapshot) rolledBack() bool { return s.journal != nil && s.journal.pageSize > 0 }

func age(info fs.FileInfo) time.Duration { return time.Since(info.ModTime()).Abs() }

func (j *journal) close() {
	if j != nil {
		j.file.Close()
	}
}

// isSame reports whether later is the same journal. It is also true if both are nil: there
// was no journal at either look.
func (j *journal) isSame(later *journal) bool {
	if j == nil || later == nil {
		return j == later
	}
	return isUnchanged(j.info, later.info) && bytes.Equal(j.head, later.head)
}

// offsetOf returns the offset of a page in the journal, or false if the journal lacks the
// page.
func (j *journal) offsetOf(page uint32) (int64, bool) {
	if j == nil {
		return 0, false
	}
	at, ok := j.pages[page]
	return at, ok
}

// indexPages records the offset of each page restored by the journal. As in SQLite, the
// journal ends at its last byte or at an incomplete record.
func (j *journal) indexPages(p *opener, db file) error {
	if counts, err := j.isUncommitted(p, db); !counts || err != nil {
		return err
	}
	sector := int64(smallestJournal)
	for from, size := int64(0), j.info.Size(); from+sector <= size; {
		head := make([]byte, journalHeaderSize)
		if n, err := j.file.ReadAt(head, from); n < len(head) {
			return ignoreEOF(err)
		}
		if !bytes.HasPrefix(head, []byte(journalMagic)) {
			return nil
		}
		if from == 0 {
			var err error
			if sector, err = j.parseHeader(head, db); sector == 0 || err != nil {
				return err
			}
		}
		more, err := j.readSegment(head, from+sector, sector)
		if more == 0 || err != nil {
			return err
		}
		from = (more + sector - 1) / sector * sector
	}
	return nil
}

// parseHeader reads page size and database size from the first header. It returns the
// size of a sector; 0 if the header is invalid.
func (j *journal) parseHeader(head []byte, db file) (sector int64, err error) {
	sector, pageSize := int64(binary.BigEndian.Uint32(head[20:])), int64(binary.BigEndian.Uint32(head[24:]))
	if pageSize == 0 { // the oldest SQLite versions write 0
		if pageSize, err = pageSizeOf(db); err != nil {
			return 0, err
		}
	}
	if !isPageSize(pageSize) || sector < smallestSector || sector > largestSector || sector&(sector-1) != 0 {
		return 0, nil
	}
	j.pageSize, j.size = pageSize, int64(binary.BigEndian.Uint32(head[16:]))*pageSize
	return sector, nil
}

// pageSizeOf returns the page size that the database file states, or 4096.
func pageSizeOf(db file) (int64, error) {
	head, err := readStart(db, headerSize)
	if err != nil || len(head) < headerSize {
		return 4096, err
	}
	if size := headPageSize(head); isPageSize(size) {
		return size, nil
	}
	return 4096, nil
}

// headPageSize returns the page size in a database header.
func headPageSize(head []byte) int64 {
	if size := int64(head[16])<<8 | int64(head[17]); size != 1 {
		return size
	}
	return largestPage
}

// readSegment reads the records after one header. It returns the offset after the last
// record, where the next header may follow; 0 if the journal ends in this segment.
func (j *journal) readSegment(head []byte, from, sector int64) (more int64, err error) {
	record := make([]byte, 4+j.pageSize+4)
	count, nonce := int64(binary.BigEndian.Uint32(head[8:])), binary.BigEndian.Uint32(head[12:])
	if count == allRecords {
		count = (j.info.Size() - sector) / int64(len(record))
	}
	in := bufio.NewReaderSize(io.NewSectionReader(j.file, from, j.info.Size()-from), 256<<10)
	for at := from; ; at += int64(len(record)) {
		if count--; count < 0 {
			return at, nil
		}
		if _, err := io.ReadFull(in, record); err != nil {
			return 0, ignoreEOF(err)
		}
		page, data := binary.BigEndian.Uint32(record), record[4:4+j.pageSize]
		if page == 0 || int64(page) == pendingByte/j.pageSize+1 {
			return 0, nil
		}
		if int64(page) > j.size/j.pageSize {
			continue
		}
		if binary.BigEndian.Uint32(record[4+j.pageSize:]) != journalSum(nonce, data) {
			return 0, nil
		}
		j.pages[page] = at + 4
	}
}

// journalSum returns a record's checksum.
func journalSum(nonce uint32, page []byte) uint32 {
	for i := len(page) - summedEach; i > 0; i -= summedEach {
		nonce += uint32(page[i])
	}
	return nonce
}

// ignoreEOF returns nil if err only means that the file ended, otherwise err.
func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// isUncommitted reports whether SQLite would restore the journal's pages. It wouldn't
// if the transaction was committed: a transaction over several databases has a
// super-journal, and is committed by deleting it.
func (j *journal) isUncommitted(p *opener, db file) (bool, error) {
	name, err := j.readSuperJournal()
	if name == "" || err != nil {
		return err == nil, err
	}
	if at := folderOf(db); at == "" || filepath.Dir(name) != at {
		return false, fmt.Errorf("half of a transaction over several databases; whether it was committed is told by %q, which is not looked at there", name)
	}
	f, err := p.openInFolder(filepath.Base(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// superName matches SQLite's names for super-journals. SQLite 3.54 accepts no other
// name.
var superName = pattern.Lazy(`-mj[0-9a-fA-F]{6}9[0-9a-fA-F]{2}$`)

// readSuperJournal returns the name of the super-journal, or the empty string. The journal
// ends with the name, its length, its checksum and the magic.
func (j *journal) readSuperJournal() (string, error) {
	end := j.info.Size() - 16
	tail := make([]byte, 16)
	if end < 0 {
		return "", nil
	}
	if n, err := j.file.ReadAt(tail, end); n < len(tail) {
		return "", ignoreEOF(err)
	}
	length := int64(binary.BigEndian.Uint32(tail))
	if string(tail[8:]) != journalMagic || length == 0 || length > min(longestName, end) {
		return "", nil
	}
	name := make([]byte, length)
	if n, err := j.file.ReadAt(name, end-length); n < len(name) {
		return "", ignoreEOF(err)
	}
	var signed, unsigned uint32 // C's char may be signed or unsigned
	for _, c := range name {
		signed += uint32(int32(int8(c)))
		unsigned += uint32(c)
	}
	if sum := binary.BigEndian.Uint32(tail[4:]); sum != signed && sum != unsigned || !superName.Match(name) {
		return "", nil
	}
	return string(name), nil
}
