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

	"hindsql/readers"
)

// The rollback journal, as https://sqlite.org/fileformat2.html#the_rollback_journal
// has it, and SQLite's src/pager.c (pager_playback) reads it: before a page of the
// database file is changed, the journal has the page as it was. A journal is
// segments of a header, which fills a sector, and records of a page's number, the
// page and a checksum. A commit takes the first header away. A journal with a
// header that nobody writes is hot: a writer was killed, and the database file may
// hold half of a transaction.
const (
	journalMagic      = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	journalHeaderSize = 28
	smallestJournal   = 512 // bytes, below which SQLite looks for no header
	smallestSector    = 32
	largestSector     = 65536
	allRecords        = 0xffffffff // in place of their number: those up to the journal's end
	summedEach        = 200        // bytes of a page, of which the checksum counts a single byte
)

// pendingByte is where SQLite's locks of a database file begin. The page there is
// in no journal.
const (
	pendingByte = 1 << 30
	lockBytes   = 2 + 510 // PENDING, RESERVED and the range of SHARED
)

// longestName is that of a super-journal, in bytes.
const longestName = 512

// abandoned is the age at which a journal counts as left by a killed writer, where
// nobody can be asked who holds a lock of the database.
const abandoned = time.Minute

// journal is a rollback journal with a header, which no process writes.
type journal struct {
	file  file
	head  []byte
	seen  fs.FileInfo
	pages map[uint32]int64 // where each page stands in file
	// Of the database before the transaction. pageSize is 0 where SQLite would put
	// nothing back.
	pageSize int64
	size     int64 // bytes
}

// journal opens the journal of the database. It is nil if there is no journal, or if
// the journal has no header. The error is an [ErrWritten] while a process writes it.
func (p *place) journal(db file) (_ *journal, err error) {
	f, err := p.optional(journalSuffix)
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
	if j.seen, err = f.Stat(); err != nil {
		return nil, err
	}
	if j.head, err = start(f, journalHeaderSize); err != nil {
		return nil, err
	}
	if now.Size() == 0 || !bytes.HasPrefix(j.head, []byte(journalMagic)) {
		return nil, f.Close()
	}
	if written, known := locked(db); written || !known && age(j.seen) < abandoned {
		return nil, &inTransaction{ErrWritten, now, min(age(now), age(j.seen))}
	}
	return j, nil
}

// rollBack lays the pages of the journal over the database file.
func (s *snapshot) rollBack(p *place) error {
	if s.journal == nil {
		return nil
	}
	err := s.journal.lay(p, s.db)
	if s.rolledBack() {
		s.size, s.pageSize = s.journal.size, s.journal.pageSize
	}
	return err
}

// rolledBack says whether the journal has this state's size, and some of its pages.
func (s *snapshot) rolledBack() bool { return s.journal != nil && s.journal.pageSize > 0 }

func age(info fs.FileInfo) time.Duration { return time.Since(info.ModTime()).Abs() }

func (j *journal) close() {
	if j != nil {
		j.file.Close()
	}
}

// is says whether a later look met the same journal, or no journal both times.
func (j *journal) is(later *journal) bool {
	if j == nil || later == nil {
		return j == later
	}
	return same(j.seen, later.seen) && bytes.Equal(j.head, later.head)
}

// at is where a page stands in the journal; false if the journal lacks the page.
func (j *journal) at(page uint32) (int64, bool) {
	if j == nil {
		return 0, false
	}
	at, ok := j.pages[page]
	return at, ok
}

// lay finds the pages that the journal puts back, as SQLite would: up to its end,
// or to a record that was not written whole.
func (j *journal) lay(p *place, db file) error {
	if counts, err := j.counts(p, db); !counts || err != nil {
		return err
	}
	sector := int64(smallestJournal)
	for from, size := int64(0), j.seen.Size(); from+sector <= size; {
		head := make([]byte, journalHeaderSize)
		if n, err := j.file.ReadAt(head, from); n < len(head) {
			return unlessEnd(err)
		}
		if !bytes.HasPrefix(head, []byte(journalMagic)) {
			return nil
		}
		if from == 0 {
			var err error
			if sector, err = j.begin(head, db); sector == 0 || err != nil {
				return err
			}
		}
		more, err := j.segment(head, from+sector, sector)
		if more == 0 || err != nil {
			return err
		}
		from = (more + sector - 1) / sector * sector
	}
	return nil
}

// begin takes what the first header says of the database. The sector is 0 where
// the header is none.
func (j *journal) begin(head []byte, db file) (sector int64, err error) {
	sector, pageSize := int64(binary.BigEndian.Uint32(head[20:])), int64(binary.BigEndian.Uint32(head[24:]))
	if pageSize == 0 { // as the oldest versions wrote it
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

// pageSizeOf is the size of a page as the database file says it.
func pageSizeOf(db file) (int64, error) {
	head, err := start(db, headerSize)
	if err != nil || len(head) < headerSize {
		return 4096, err
	}
	if size := headPageSize(head); isPageSize(size) {
		return size, nil
	}
	return 4096, nil
}

// headPageSize is the size of a page, as a database header has it.
func headPageSize(head []byte) int64 {
	if size := int64(head[16])<<8 | int64(head[17]); size != 1 {
		return size
	}
	return largestPage
}

// segment takes the records behind one header. more is the offset where the records
// end, or 0 if the journal ends there.
func (j *journal) segment(head []byte, from, sector int64) (more int64, err error) {
	record := make([]byte, 4+j.pageSize+4)
	count, nonce := int64(binary.BigEndian.Uint32(head[8:])), binary.BigEndian.Uint32(head[12:])
	if count == allRecords {
		count = (j.seen.Size() - sector) / int64(len(record))
	}
	in := bufio.NewReaderSize(io.NewSectionReader(j.file, from, j.seen.Size()-from), 256<<10)
	for at := from; ; at += int64(len(record)) {
		if count--; count < 0 {
			return at, nil
		}
		if _, err := io.ReadFull(in, record); err != nil {
			return 0, unlessEnd(err)
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

// journalSum is a record's checksum.
func journalSum(nonce uint32, page []byte) uint32 {
	for i := len(page) - summedEach; i > 0; i -= summedEach {
		nonce += uint32(page[i])
	}
	return nonce
}

// unlessEnd is nil for the error of a file's end, and any other error as it is.
func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// counts says whether the journal is to be rolled back. A transaction over several
// databases has a super-journal: once the super-journal is deleted, the transaction
// is committed.
func (j *journal) counts(p *place, db file) (bool, error) {
	name, err := j.superJournal()
	if name == "" || err != nil {
		return err == nil, err
	}
	if at := folderOf(db); at == "" || filepath.Dir(name) != at {
		return false, fmt.Errorf("half of a transaction over several databases; whether it was committed is told by %q, which is not looked at there", name)
	}
	f, err := p.beside(filepath.Base(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// superName is how SQLite names super-journals: 3.54 takes no other name for one.
var superName = readers.Lazy(`-mj[0-9a-fA-F]{6}9[0-9a-fA-F]{2}$`)

// superJournal is the name that the journal ends with: the name, its length, its
// checksum, and the magic; empty for none.
func (j *journal) superJournal() (string, error) {
	end := j.seen.Size() - 16
	tail := make([]byte, 16)
	if end < 0 {
		return "", nil
	}
	if n, err := j.file.ReadAt(tail, end); n < len(tail) {
		return "", unlessEnd(err)
	}
	length := int64(binary.BigEndian.Uint32(tail))
	if string(tail[8:]) != journalMagic || length == 0 || length > min(longestName, end) {
		return "", nil
	}
	name := make([]byte, length)
	if n, err := j.file.ReadAt(name, end-length); n < len(name) {
		return "", unlessEnd(err)
	}
	var signed, unsigned uint32 // C's char is either
	for _, c := range name {
		signed += uint32(int32(int8(c)))
		unsigned += uint32(c)
	}
	if sum := binary.BigEndian.Uint32(tail[4:]); sum != signed && sum != unsigned || !superName.Match(name) {
		return "", nil
	}
	return string(name), nil
}
