package sqlite_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"hindsql/internal/posix"
	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// onDisk returns a database file as a log.
func onDisk(path string) *readers.Input {
	open := func(path string) (io.ReadCloser, error) { return os.Open(path) }
	return &readers.Input{
		Rel:           filepath.Base(path),
		Open:          func() (io.ReadCloser, error) { return open(path) },
		OpenCompanion: func(suffix string) (io.ReadCloser, error) { return open(path + suffix) },
	}
}

// writer opens the agent's connection.
func writer(t *testing.T, path string, pragmas ...string) *sql.DB {
	t.Helper()
	for i, p := range pragmas {
		path += map[bool]string{true: "?", false: "&"}[i == 0] + "_pragma=" + p
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// rows reads table t through View, as a text for each row, or returns the error.
func rows(in *readers.Input) string {
	var lines []string
	err := sqlite.View(in, func(db *sqlite.DB) error {
		lines = nil
		if db.Columns("t") == nil {
			lines = []string{"no table"}
			return nil
		}
		return db.Query(func(r *sqlite.Row) error {
			lines = append(lines, fmt.Sprint(r.Text(0), ":", r.Text(1)))
			return nil
		}, "SELECT id, sum(length(x)) FROM t GROUP BY id ORDER BY id")
	})
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.Join(lines, " ")
}

// truth reads the same rows with SQLite itself, in a copy of the folder.
func truth(t *testing.T, path string) string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "x.db")
	for _, suffix := range []string{"", "-wal", "-journal"} {
		data, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(copied+suffix, data, 0o644)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return truthAt(t, copied)
}

// truthAt reads the rows with SQLite itself, after SQLite's own rollback.
func truthAt(t *testing.T, path string) string {
	t.Helper()
	db := writer(t, path)
	defer db.Close()
	found, err := db.Query("SELECT id, sum(length(x)) FROM t GROUP BY id ORDER BY id")
	if err != nil && strings.Contains(err.Error(), "no such table") {
		return "no table"
	}
	if err != nil {
		return "error: " + err.Error()
	}
	defer found.Close()
	var lines []string
	for found.Next() {
		var id, size int64
		if err := found.Scan(&id, &size); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprint(id, ":", size))
	}
	if err := found.Err(); err != nil {
		return "error: " + err.Error()
	}
	return strings.Join(lines, " ")
}

// wantTruth compares rows and truth.
func wantTruth(t *testing.T, what, path string) {
	t.Helper()
	want, got := truth(t, path), rows(onDisk(path))
	if got != want && (!strings.HasPrefix(want, "error") || !strings.HasPrefix(got, "error")) {
		t.Errorf("%s: read %.300q, SQLite itself %.300q", what, got, want)
	}
}

// insert runs transactions. Each adds rows, and some rows need many pages.
func insert(t *testing.T, db *sql.DB, transactions int) {
	t.Helper()
	for i := range transactions {
		run(t, db, "BEGIN", fmt.Sprintf("INSERT INTO t(x) VALUES (zeroblob(%d)), (hex(randomblob(40)))", 3000*i), "UPDATE t SET x = x || 'more' WHERE id % 5 = 1", "COMMIT")
	}
}

var wal = []string{"journal_mode(wal)", "wal_autocheckpoint(0)"}

// TestFramesLieOverTheDatabase: for each page size, and however pages are spread over
// the -wal and the database file, View reads the same rows as SQLite.
func TestFramesLieOverTheDatabase(t *testing.T) {
	t.Parallel()
	for size := 512; size <= 65536; size *= 2 {
		path := filepath.Join(t.TempDir(), "x.db")
		db := writer(t, path)
		run(t, db, fmt.Sprintf("PRAGMA page_size = %d", size), "PRAGMA journal_mode = wal", "PRAGMA wal_autocheckpoint = 0")
		what := fmt.Sprintf("pages of %d bytes", size)
		run(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
		insert(t, db, 8)
		if info, err := os.Stat(path); err != nil || info.Size() > int64(size) {
			t.Fatalf("%s: the database file holds more than its first page: %d, %v", what, info.Size(), err)
		}
		wantTruth(t, what+", all in the -wal", path)
		run(t, db, "PRAGMA wal_checkpoint(PASSIVE)")
		wantTruth(t, what+", both", path)
		insert(t, db, 2)
		wantTruth(t, what+", a log that was begun anew", path)
		run(t, db, "DELETE FROM t WHERE id < 12", "VACUUM")
		wantTruth(t, what+", fewer pages", path)
		run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
		wantTruth(t, what+", an empty -wal", path)
		insert(t, db, 1)
		wantTruth(t, what+", again", path)
		db.Close()
		wantTruth(t, what+", no -wal", path)
	}
}

// TestDamagedLog: a write-ahead log is cut or damaged at any place. View must read the
// same rows as SQLite: up to the last commit before the damage.
func TestDamagedLog(t *testing.T) {
	whole.Test(t, "damages a file at many places, 0.8 s of processor time")
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "x.db")
	db := writer(t, path)
	run(t, db, "PRAGMA page_size = 512", "PRAGMA journal_mode = wal", "PRAGMA wal_autocheckpoint = 0", "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
	insert(t, db, 4)
	run(t, db, "PRAGMA wal_checkpoint(RESTART)")
	insert(t, db, 2) // the rest belongs to the previous log
	main, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	lay := func(main, log []byte) string {
		path := filepath.Join(t.TempDir(), "x.db")
		if err := errors.Join(os.WriteFile(path, main, 0o644), os.WriteFile(path+"-wal", log, 0o644)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	wantTruth(t, "as it is", lay(main, log))
	wantTruth(t, "with its words the other way round", lay(main, otherEnd(log)))
	wantTruth(t, "beside an empty database", lay(nil, log))
	for at := 0; at < len(log); at += 211 {
		wantTruth(t, fmt.Sprintf("cut at byte %d", at), lay(main, log[:at]))
		flipped := bytes.Clone(log)
		flipped[at] ^= 0x10
		wantTruth(t, fmt.Sprintf("flipped at byte %d", at), lay(main, flipped))
	}
}

// otherEnd rewrites the log's checksums for words of the other byte order.
func otherEnd(log []byte) []byte {
	log = bytes.Clone(log)
	log[3] ^= 1
	var order binary.ByteOrder = binary.LittleEndian
	if log[3]&1 != 0 {
		order = binary.BigEndian
	}
	var a, b uint32
	sum := func(data []byte) {
		for ; len(data) > 0; data = data[8:] {
			a += order.Uint32(data) + b
			b += order.Uint32(data[4:]) + a
		}
	}
	sum(log[:24])
	salts := bytes.Clone(log[16:24])
	binary.BigEndian.PutUint32(log[24:], a)
	binary.BigEndian.PutUint32(log[28:], b)
	size := int(binary.BigEndian.Uint32(log[8:]))
	for f := log[32:]; len(f) > 0 && bytes.Equal(f[8:16], salts); f = f[24+size:] {
		sum(f[:8])
		sum(f[24 : 24+size])
		binary.BigEndian.PutUint32(f[16:], a)
		binary.BigEndian.PutUint32(f[20:], b)
	}
	return log
}

// TestReadAgain: the agent writes during a read. View reads again only if the agent may
// have changed pages that were read.
func TestReadAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile []string
		reads     int
	}{
		"nothing":                        {nil, 1},
		"a commit of what was read":      {[]string{"UPDATE t SET x = 'new' WHERE id = 1"}, 1}, // the commit is in the log only
		"that, and a checkpoint":         {[]string{"UPDATE t SET x = 'new'", "PRAGMA wal_checkpoint(PASSIVE)"}, 2},
		"one elsewhere, and that":        {[]string{"INSERT INTO other VALUES (1)", "PRAGMA wal_checkpoint(PASSIVE)"}, 1},
		"a checkpoint alone":             {[]string{"PRAGMA wal_checkpoint(PASSIVE)"}, 1},
		"one that empties the log":       {[]string{"PRAGMA wal_checkpoint(TRUNCATE)"}, 2},
		"a log begun anew":               {[]string{"PRAGMA wal_checkpoint(RESTART)", "INSERT INTO other VALUES (1)"}, 2},
		"pages that are gone":            {[]string{"DROP TABLE t", "PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(PASSIVE)"}, 2},
		"another schema, and that":       {[]string{"CREATE TABLE more(x)", "PRAGMA wal_checkpoint(PASSIVE)"}, 2},
		"a transaction that doesn't end": {[]string{"BEGIN", "UPDATE t SET x = 'new'"}, 1},
	} {
		path, db := old(t)
		reads := 0
		err := sqlite.View(onDisk(path), func(v *sqlite.DB) error {
			reads++
			err := v.Query(func(*sqlite.Row) error { return nil }, "SELECT x FROM t")
			if reads == 1 {
				run(t, db, test.meanwhile...)
				return err
			}
			return nil
		})
		// On Windows, the time of an open file isn't trusted, and one read more is right.
		if careful := runtime.GOOS == "windows" && reads > test.reads; err != nil || reads != test.reads && !careful {
			t.Errorf("%s: read %d times, want %d; %v", name, reads, test.reads, err)
		}
	}
}

// old creates a database file that was last written long ago, except for its log.
func old(t *testing.T) (path string, db *sql.DB) {
	path = filepath.Join(t.TempDir(), "x.db")
	db = writer(t, path)
	run(t, db, "PRAGMA auto_vacuum = 2", "PRAGMA journal_mode = wal", "PRAGMA wal_autocheckpoint = 0",
		"CREATE TABLE other(x)", "CREATE TABLE t(id INTEGER PRIMARY KEY, x)", "INSERT INTO t(x) VALUES (hex(randomblob(9000)))",
		"PRAGMA wal_checkpoint(TRUNCATE)", "INSERT INTO other VALUES (0)")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	return path, db
}

// TestLogBegunAnewWhileItIsCompared: the agent overwrites the log at the moment when
// isCurrent reads it. View must notice and read again.
func TestLogBegunAnewWhileItIsCompared(t *testing.T) {
	t.Parallel()
	path, db := old(t)
	in, reads, done := onDisk(path), 0, false
	in.OpenCompanion = func(suffix string) (io.ReadCloser, error) {
		f, err := os.Open(path + suffix)
		if err != nil || suffix != "-wal" || reads != 1 || done {
			return f, err
		}
		done = true
		return &thenDoes{f, func() {
			run(t, db, "PRAGMA wal_checkpoint(RESTART)", "INSERT INTO other VALUES (hex(randomblob(30000)))")
		}}, nil
	}
	err := sqlite.View(in, func(v *sqlite.DB) error {
		if reads++; reads == 1 {
			run(t, db, "UPDATE t SET x = 'new'", "PRAGMA wal_checkpoint(PASSIVE)")
		}
		return v.Query(func(*sqlite.Row) error { return nil }, "SELECT x FROM t")
	})
	if err != nil || reads != 2 {
		t.Errorf("read %d times, want 2; %v", reads, err)
	}
}

// thenDoes is a file with a function to run after the first read.
type thenDoes struct {
	*os.File
	then func()
}

func (f *thenDoes) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	if f.then != nil {
		f.then()
		f.then = nil
	}
	return n, err
}

// TestWithoutLog: a database without a write-ahead log is read between two
// transactions. If the agent commits during a read, View reads again.
func TestWithoutLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	db := writer(t, path, "cache_size(1)", "cache_spill(1)")
	run(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
	insert(t, db, 3)
	wantTruth(t, "at rest", path)
	reads := 0
	err := sqlite.View(onDisk(path), func(*sqlite.DB) error {
		if reads++; reads == 1 {
			insert(t, db, 1)
		}
		return nil
	})
	if err != nil || reads != 2 {
		t.Errorf("read %d times, want again after a change; %v", reads, err)
	}
	wantTruth(t, "after it", path)
}

func TestNoDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, test := range map[string]struct {
		data string
		want string
	}{
		"text":      {strings.Repeat("no database\n", 1000), "error: x.db: no SQLite database, or an encrypted one"},
		"empty":     {"", "no table"},
		"one byte":  {"S", "error: x.db: no SQLite database, or an encrypted one"},
		"a cut one": {"SQLite format 3\x00" + strings.Repeat("\x00", 200), "error: x.db: no SQLite database, or an encrypted one"},
	} {
		path := filepath.Join(folder, "x.db")
		if err := os.WriteFile(path, []byte(test.data), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := rows(onDisk(path)); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if got := rows(onDisk(filepath.Join(folder, "none"))); !strings.HasPrefix(got, "error: open ") {
		t.Error(got)
	}
	aside := &readers.Input{OpenUnwatched: func(rel string) (io.ReadCloser, error) { return os.Open(filepath.Join(folder, rel)) }}
	if err := sqlite.ViewUnwatched(aside, "none", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestDamagedDatabase: whatever is damaged in the file, View returns rows or an error,
// and doesn't crash.
func TestDamagedDatabase(t *testing.T) {
	whole.Test(t, "damages a file at many places, 3.2 s of processor time")
	t.Parallel()
	var statements strings.Builder
	statements.WriteString("PRAGMA page_size = 512; CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(x);\n")
	for i := range 100 {
		fmt.Fprintf(&statements, "INSERT INTO t(x) VALUES (zeroblob(%d));\n", i*20)
	}
	data, err := sqlite.Make([]byte(statements.String()))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := sqlite.Make([]byte(statements.String())); err != nil || !bytes.Equal(data, again) {
		t.Error("the same statements give other bytes", err)
	}
	read := func(data []byte) string {
		return rows(&readers.Input{Rel: "x", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }})
	}
	intact := read(data)
	if !strings.HasPrefix(intact, "1:0 2:20") {
		t.Fatal(intact)
	}
	others := map[bool]int{}
	for at := 0; at < len(data); at += 67 {
		flipped := bytes.Clone(data)
		flipped[at] ^= 0x55
		others[read(flipped) == intact]++
		read(data[:at])
	}
	if others[false] == 0 {
		t.Error("no damage was seen")
	}
}

// TestPagesThatAreTheirOwnDescendants: if a page of a table contains itself, a query
// would never end. It must end with an error.
func TestPagesThatAreTheirOwnDescendants(t *testing.T) {
	t.Parallel()
	var statements strings.Builder
	statements.WriteString("PRAGMA page_size = 512; CREATE TABLE t(id INTEGER PRIMARY KEY, x);\n")
	for range 4000 {
		statements.WriteString("INSERT INTO t(x) VALUES ('0123456789');\n")
	}
	data, err := sqlite.Make([]byte(statements.String()))
	if err != nil {
		t.Fatal(err)
	}
	// The root of t is page 2, an inner page. Make each of its children page 2 itself.
	root := data[512:1024]
	if root[0] != 5 {
		t.Fatal("page 2 is no inner page of a table")
	}
	cells := int(binary.BigEndian.Uint16(root[3:]))
	for i := range cells {
		cell := root[binary.BigEndian.Uint16(root[12+2*i:]):]
		binary.BigEndian.PutUint32(cell, 2)
	}
	in := &readers.Input{Rel: "x", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
	if got := rows(in); !strings.HasPrefix(got, "error") {
		t.Errorf("%.200q", got)
	}
}

// TestDiskFails: a disk error doesn't count as damage of the database.
func TestDiskFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	db := writer(t, path)
	run(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
	insert(t, db, 5)
	in := onDisk(path)
	gone := errors.New("the disk is gone")
	in.Open = func() (io.ReadCloser, error) {
		f, err := os.Open(path)
		return failing{f, gone}, err
	}
	err := sqlite.View(in, func(db *sqlite.DB) error {
		return db.Query(func(*sqlite.Row) error { return nil }, "SELECT * FROM t")
	})
	if !errors.As(err, new(*readers.Unread)) || !errors.Is(err, gone) {
		t.Error(err)
	}
}

// failing is a file that fails after the first bytes.
type failing struct {
	*os.File
	err error
}

func (f failing) ReadAt(p []byte, at int64) (int, error) {
	if at > 0 {
		return 0, f.err
	}
	return f.File.ReadAt(p, at)
}

// TestStatesAreShared: as long as a database is unchanged, all views use one snapshot,
// so few files are open. Unused files are closed soon.
func TestStatesAreShared(t *testing.T) {
	posix.Only(t, "/proc tells which files are open")
	path := filepath.Join(t.TempDir(), "x.db")
	db := writer(t, path, wal...)
	run(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
	insert(t, db, 3)
	before := openFiles(t, path)
	first := rows(onDisk(path))
	for range 50 {
		if got := rows(onDisk(path)); got != first {
			t.Fatal(got)
		}
	}
	if n := openFiles(t, path) - before; n != 2 {
		t.Errorf("%d files are open, want the database and its -wal", n)
	}
	insert(t, db, 1)
	wantTruth(t, "after a commit", path)
	if n := openFiles(t, path) - before; n != 2 {
		t.Errorf("%d files are open, want those of the newest state", n)
	}
	sqlite.Expire()
	if n := openFiles(t, path) - before; n != 0 {
		t.Errorf("%d files stay open", n)
	}
}

// openFiles counts the files of a database that this process has open.
func openFiles(t *testing.T, path string) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	names := []string{path, path + "-wal", path + "-journal"}
	n := 0
	for _, fd := range list {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && slices.Contains(names, to) {
			n++
		}
	}
	return n
}

// TestOnlyTablesHaveColumns: Columns returns no columns for an SQL view, because code
// computes its rows.
func TestOnlyTablesHaveColumns(t *testing.T) {
	t.Parallel()
	data, err := sqlite.Make([]byte(`CREATE TABLE T(a, b TIMESTAMP, c AS (a)); CREATE VIEW v AS SELECT 1 AS a; INSERT INTO t VALUES (1, '2026-01-02 03:04:05'), (1.5, NULL), (x'00', 7);`))
	if err != nil {
		t.Fatal(err)
	}
	in := &readers.Input{Rel: "x", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
	var got []string
	err = sqlite.View(in, func(db *sqlite.DB) error {
		got = []string{fmt.Sprint(db.Columns("t"), db.Columns("v"), db.Columns("none"))}
		return db.Query(func(r *sqlite.Row) error {
			n, isInteger := r.Int(0)
			got = append(got, fmt.Sprintf("%d %t %q %t", n, isInteger, r.Text(1), r.IsNull(1)))
			return db.Query(func(r *sqlite.Row) error { got = append(got, r.Text(0)); return nil }, "SELECT ?", n)
		}, "SELECT a, +b FROM t")
	})
	if want := []string{"[a b] [] []", `1 true "2026-01-02 03:04:05" false`, "1", `1 false "" true`, "1", `0 false "7" false`, "0"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}
