//go:build unix

package sqlite_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hindsql/internal/whole"
	"hindsql/readers/sqlite"
)

const (
	writes = "HINDSQL_TEST_WRITES" // path of a database; if set, the test process acts as its agent
	begins = "HINDSQL_TEST_BEGINS" // statements that the agent runs before waiting; if empty, the agent writes all the time
)

// TestMain runs the tests, or acts as the agent for a test. The agent needs its own
// process, because a process shares its locks of a file.
func TestMain(m *testing.M) {
	path, statements := os.Getenv(writes), os.Getenv(begins)
	if path == "" {
		os.Exit(m.Run())
	}
	stop := make(chan bool)
	go func() { io.Copy(io.Discard, os.Stdin); close(stop) }()
	err := begin(path, statements, stop)
	if statements == "" {
		err = write(path, stop)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("all written")
}

// begin runs statements, and stays in their transaction until stop.
func begin(path, statements string, stop chan bool) error {
	if statements == "" {
		return nil
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(statements); err != nil {
		return err
	}
	fmt.Println("ready")
	<-stop
	return nil
}

// write changes a database until stop. After each transaction, the number of rows
// matches table told, and both halves of each pair are equal. write never waits for a
// lock.
func write(path string, stop chan bool) error {
	var db *sql.DB
	open := func() (err error) {
		db, err = sql.Open("sqlite", path+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(20)&_pragma=busy_timeout(0)&_pragma=synchronous(0)")
		if err == nil {
			db.SetMaxOpenConns(1)
		}
		return err
	}
	do := func(statements string) error {
		_, err := db.Exec(statements)
		if err != nil {
			err = fmt.Errorf("%s: %w", statements, err)
		}
		return err
	}
	if err := open(); err != nil {
		return err
	}
	if err := do("CREATE TABLE a(id INTEGER PRIMARY KEY, x); CREATE TABLE b(id INTEGER PRIMARY KEY, x); CREATE TABLE told(n, version); INSERT INTO told VALUES (0, 0)"); err != nil {
		return err
	}
	fmt.Println("ready")
	rnd := rand.New(rand.NewPCG(1, 2))
	const end = "; UPDATE told SET n = (SELECT count(*) FROM a), version = version + 1; COMMIT"
	for version := 0; ; version++ {
		select {
		case <-stop:
			return db.Close()
		default:
		}
		var err error
		switch n := rnd.IntN(300); {
		case n == 0:
			err = do("VACUUM")
		case n == 1:
			err = do("PRAGMA wal_checkpoint(TRUNCATE)")
		case n == 2:
			err = do("PRAGMA wal_checkpoint(RESTART)")
		case n == 3: // the last connection to close deletes the -wal
			if err = db.Close(); err == nil {
				err = open()
			}
		case n < 30:
			err = do(fmt.Sprintf("BEGIN; DELETE FROM a WHERE id %% 17 = %d; DELETE FROM b WHERE id %% 17 = %[1]d", n%17) + end)
		case n < 90:
			err = do(fmt.Sprintf("BEGIN; UPDATE a SET x = x || %d WHERE id %% 7 = %d; UPDATE b SET x = x || %[1]d WHERE id %% 7 = %d", version, n%7, n%7) + end)
		default:
			pair := fmt.Sprintf("(x) VALUES (hex(zeroblob(%d)))", rnd.IntN(1500))
			err = do("BEGIN; INSERT INTO a" + pair + "; INSERT INTO b" + pair + end)
		}
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(rnd.IntN(2000)) * time.Microsecond)
	}
}

// agent starts an agent that writes a database, and returns a function that stops the
// agent.
func agent(t *testing.T, path string) (stop func() string) {
	t.Helper()
	cmd, in, said := readStart(t, path, "")
	return func() string {
		in.Close()
		rest, _ := io.ReadAll(said)
		cmd.Wait()
		return string(rest)
	}
}

// readStart starts an agent, and waits until the agent is ready.
func readStart(t *testing.T, path, statements string) (*exec.Cmd, io.Closer, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writes+"="+path, begins+"="+statements)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	return cmd, in, said
}

// TestWhileItIsWritten reads a database 200 times while another process writes it. Each
// time, View must see one committed state. The writer must never meet a lock, and find
// no new file in its folder.
func TestWhileItIsWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	stop := agent(t, path)
	views, reads, states := whole.Or(200, 40), 0, map[int64]bool{}
	for i := range views {
		var torn string
		err := sqlite.View(onDisk(path), func(db *sqlite.DB) error {
			reads++
			torn = ""
			return db.Query(func(r *sqlite.Row) error {
				told, _ := r.Int(0)
				version, _ := r.Int(1)
				pairs, _ := r.Int(2)
				a, _ := r.Int(3)
				b, _ := r.Int(4)
				if told != pairs || told != a || told != b {
					torn = fmt.Sprint(told, " told, ", a, " and ", b, " there, ", pairs, " pairs")
				}
				states[version] = true
				return nil
			}, `SELECT n, version, (SELECT count(*) FROM a JOIN b USING (id) WHERE a.x = b.x), (SELECT count(*) FROM a), (SELECT count(*) FROM b) FROM told`)
		})
		if err != nil || torn != "" {
			t.Errorf("view %d: %v %s", i, err, torn)
		}
		if held := locks(t, path); held != "" {
			t.Errorf("view %d holds locks: %s", i, held)
		}
		time.Sleep(time.Millisecond)
	}
	if said := stop(); said != "all written\n" {
		t.Errorf("the agent saw %s", said)
	}
	t.Logf("%d views of %d states took %d reads", views, len(states), reads)
	if len(states) < views/20 {
		t.Errorf("%d views saw %d states: the agent wrote too little to tell", views, len(states))
	}
}

// locks returns the locks that this process holds on a database's files.
func locks(t *testing.T, path string) (held string) {
	t.Helper()
	list, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			continue
		}
		inode := fmt.Sprint(":", info.Sys().(*syscall.Stat_t).Ino, " ")
		for line := range strings.Lines(string(list)) {
			if f := strings.Fields(line); len(f) > 4 && f[4] == fmt.Sprint(os.Getpid()) && strings.Contains(line, inode) {
				held += line
			}
		}
	}
	return held
}

// TestNothingIsLeft: a view leaves the folder unchanged, with and without the -wal of a
// killed agent.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "x.db")
	db := writer(t, path, wal...)
	run(t, db, "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
	insert(t, db, 3)
	left := filepath.Join(t.TempDir(), "left.db")
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	for _, path := range []string{path, left} {
		before := listing(t, filepath.Dir(path))
		if got := rows(onDisk(path)); !strings.HasPrefix(got, "1:") {
			t.Error(got)
		}
		if after := listing(t, filepath.Dir(path)); after != before {
			t.Errorf("before:\n%safter:\n%s", before, after)
		}
	}
}

func listing(t *testing.T, folder string) (all string) {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprintln(info.Name(), info.Size(), info.ModTime(), info.Mode())
	}
	info, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	return all + fmt.Sprintln(info.ModTime())
}
