//go:build unix

package sqlite_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// spilling makes a transaction write into the database file long before its end.
const spilling = "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; "

// half starts an agent (a process that writes the database) and leaves it in the middle
// of a transaction. The returned function kills it.
func half(t *testing.T, path, statements string) (kill func()) {
	t.Helper()
	cmd, _, _ := readStart(t, path, spilling+statements)
	done := false
	kill = func() {
		if !done {
			done = true
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	t.Cleanup(kill)
	return kill
}

// torn creates a database whose writer was killed in the middle of a transaction.
func torn(t *testing.T, before, statements string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db := writer(t, path)
	run(t, db, before, "CREATE TABLE t(id INTEGER PRIMARY KEY, x)", "CREATE INDEX i ON t(x)")
	insert(t, db, 6)
	db.Close()
	half(t, path, statements)()
	if info, err := os.Stat(path + "-journal"); err != nil || info.Size() < 1024 {
		t.Fatal("no journal was left", err)
	}
	return path
}

const change = "BEGIN; UPDATE t SET x = hex(randomblob(300)); DELETE FROM t WHERE id % 3 = 0; INSERT INTO t(x) SELECT hex(randomblob(2000)) FROM t; "

// TestHotJournal: if the writer of a database was killed in a transaction, View reads
// what SQLite itself reads after its rollback. The files stay unchanged.
func TestHotJournal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string][2]string{
		"ordinary":                      {"", change},
		"small pages":                   {"PRAGMA page_size = 512", change},
		"large pages":                   {"PRAGMA page_size = 65536", change},
		"not synced":                    {"", "PRAGMA synchronous = 0; " + change},
		"a journal that persists":       {"", "PRAGMA journal_mode = persist; UPDATE t SET x = 1; " + change},
		"one that is cut":               {"", "PRAGMA journal_mode = truncate; UPDATE t SET x = 1; " + change},
		"fewer pages":                   {"PRAGMA auto_vacuum = 2", "BEGIN; DELETE FROM t WHERE id > 2; PRAGMA incremental_vacuum; UPDATE t SET x = hex(randomblob(90000))"},
		"another schema":                {"", "BEGIN; DROP TABLE t; CREATE TABLE more(x); INSERT INTO more VALUES (hex(randomblob(90000)))"},
		"a savepoint":                   {"", "BEGIN; SAVEPOINT a; UPDATE t SET x = hex(randomblob(3000)); ROLLBACK TO a; " + strings.TrimPrefix(change, "BEGIN; ")},
		"written by one that has a WAL": {"PRAGMA journal_mode = wal", "PRAGMA journal_mode = delete; " + change},
	} {
		path := torn(t, test[0], test[1])
		before := listing(t, filepath.Dir(path))
		wantTruth(t, name, path)
		if got := rows(onDisk(path)); !strings.HasPrefix(got, "1:") {
			t.Errorf("%s: %.200s", name, got)
		}
		if after := listing(t, filepath.Dir(path)); after != before {
			t.Errorf("%s: before:\n%safter:\n%s", name, before, after)
		}
		if held := locks(t, path); held != "" {
			t.Errorf("%s: holds locks: %s", name, held)
		}
	}
}

// TestFirstTransaction: a database without any commit is empty.
func TestFirstTransaction(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	half(t, path, "BEGIN; CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t(x) VALUES (hex(randomblob(90000)))")()
	wantTruth(t, "the first transaction", path)
}

// TestDamagedJournal: a journal that is cut, damaged, invalid or another database's
// gives the same rows as in SQLite.
func TestDamagedJournal(t *testing.T) {
	whole.Test(t, "damages a file at many places, 0.8 s of processor time")
	t.Parallel()
	path := torn(t, "PRAGMA page_size = 512", change)
	journal, err := os.ReadFile(path + "-journal")
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(torn(t, "PRAGMA page_size = 1024", change) + "-journal")
	if err != nil {
		t.Fatal(err)
	}
	with := func(what string, journal []byte) {
		if err := os.WriteFile(path+"-journal", journal, 0o644); err != nil {
			t.Fatal(err)
		}
		wantTruth(t, what, path)
	}
	if n := bytes.Count(journal, journal[:8]); n < 2 {
		t.Errorf("the journal has %d segments, want several", n)
	}
	with("another database's", other)
	with("empty", nil)
	with("text", bytes.Repeat([]byte("no journal\n"), 900))
	with("zeros", make([]byte, 9000))
	with("with a header of zeros", append(make([]byte, 28), journal[28:]...))
	with("with a mere header", journal[:512])
	with("with half a header", journal[:200])
	for at := 0; at < len(journal); at += 4 + at/5 {
		with(fmt.Sprintf("cut at byte %d", at), journal[:at])
		flipped := bytes.Clone(journal)
		flipped[at] ^= 0x10
		with(fmt.Sprintf("flipped at byte %d", at), flipped)
	}
	for _, field := range []int{8, 16, 20, 24} {
		for _, value := range []uint32{0, 1, 3, 512, 1024, 65536, 0xffffffff} {
			if field == 16 && value == 0xffffffff {
				continue // SQLite's rollback would make a database of 2 TB from the copy
			}
			changed := bytes.Clone(journal)
			binary.BigEndian.PutUint32(changed[field:], value)
			with(fmt.Sprintf("with %d at byte %d", value, field), changed)
		}
	}
}

// TestSuperJournal: a database holds half of a transaction over several databases. If
// the super-journal exists, the transaction is rolled back. If it is gone, the
// transaction counts as committed. If it would lie in another folder, View returns an
// error.
func TestSuperJournal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		there, elsewhere bool
		want             string
	}{
		"there":     {there: true, want: "1:"},
		"gone":      {want: "error"}, // the transaction counts as committed, and this database has half of it
		"elsewhere": {elsewhere: true, want: "error: x.db: half of a transaction over several databases"},
	} {
		path := torn(t, "", change)
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		if test.elsewhere {
			folder = t.TempDir()
		}
		super := filepath.Join(folder, "y.db-mj0123AB9CD")
		journal, err := os.OpenFile(path+"-journal", os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = journal.Write(superName(super))
			err = errors.Join(err, journal.Close())
		}
		if test.there {
			err = errors.Join(err, os.WriteFile(super, []byte("x"), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
		in := onDisk(path)
		in.OpenUnwatched = func(rel string) (io.ReadCloser, error) { return os.Open(filepath.Join(filepath.Dir(path), rel)) }
		got := rows(in)
		if want := truthAt(t, path); !test.elsewhere && got != want && !(strings.HasPrefix(want, "error") && strings.HasPrefix(got, "error")) {
			t.Errorf("%s: read %.200q, SQLite itself %.200q", name, got, want)
		}
		if !strings.HasPrefix(got, test.want) && name != "gone" {
			t.Errorf("%s: %.200q", name, got)
		}
	}
}

// superName returns the end of a journal with the name of a super-journal.
func superName(name string) []byte {
	end := []byte{0x40, 0, 0, 0} // in the place of a page's number
	sum := uint32(0)
	for _, c := range []byte(name) {
		sum += uint32(c)
	}
	end = append(end, name...)
	end = binary.BigEndian.AppendUint32(end, uint32(len(name)))
	end = binary.BigEndian.AppendUint32(end, sum)
	return append(end, 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7)
}

// TestInTransaction: View waits for the end of a short transaction. In a long
// transaction, View returns an error after one look at the database.
func TestInTransaction(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	db := writer(t, path)
	run(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
	insert(t, db, 3)
	db.Close()
	want := rows(onDisk(path))
	kill := half(t, path, change)
	looks := 0
	in := onDisk(path)
	open := in.Open
	in.Open = func() (io.ReadCloser, error) { looks++; return open() }
	for _, what := range []string{"just begun", "long"} {
		looks = 0
		err := sqlite.View(in, func(*sqlite.DB) error { return nil })
		if !errors.As(err, new(*readers.Unread)) || !errors.Is(err, sqlite.ErrWritten) {
			t.Errorf("in the middle of a transaction, %s: %v", what, err)
		}
	}
	if looks != 1 {
		t.Errorf("a long transaction was looked at %d times", looks)
	}
	kill()
	if got := rows(onDisk(path)); got != want {
		t.Errorf("its writer killed: %.300s, want %.300s", got, want)
	}
	wantTruth(t, "its writer killed", path)
}
