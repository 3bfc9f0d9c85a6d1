//go:build unix

package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// database reads sessions from a real SQLite database. A session's title is the number
// of messages recorded in its row.
func database() *readers.Reader {
	r := toy()
	r.IsLog = func(rel string) bool { return strings.HasSuffix(rel, ".sqlite") }
	r.Suffixes = sqlite.Suffixes
	r.Parts = func(in *readers.Input) (parts []readers.Part, err error) {
		err = sqlite.View(in, func(db *sqlite.DB) error {
			parts = nil
			return db.Query(func(row *sqlite.Row) error {
				parts = append(parts, readers.Part{Name: row.Text(0), Stamp: row.Text(1)})
				return nil
			}, "SELECT id, version FROM session ORDER BY id")
		})
		return parts, err
	}
	r.Read = func(in *readers.Input) error {
		if in.Part == "" {
			return nil
		}
		events := []tables.Event{}
		err := sqlite.View(in, func(db *sqlite.DB) error {
			events = events[:0]
			err := db.Query(func(row *sqlite.Row) error {
				events = append(events, &tables.Session{SessionID: in.Part, Kind: tables.SessionMain, Title: row.Text(0)})
				return nil
			}, "SELECT n FROM session WHERE id = ?", in.Part)
			if err != nil {
				return err
			}
			return db.Query(func(row *sqlite.Row) error {
				line, _ := row.Int(0)
				events = append(events, &tables.Message{UUID: "m" + row.Text(0), Role: tables.RoleUser, Kind: tables.KindPrompt, Text: row.Text(1), Line: line})
				return nil
			}, "SELECT id, text FROM message WHERE session = ? ORDER BY id", in.Part)
		})
		if err != nil {
			return err
		}
		for _, e := range events {
			in.Emit(e)
		}
		return nil
	}
	return r
}

const (
	writesVariable = "HINDSQL_TEST_WRITES" // the database that this process, an agent, writes
	halfVariable   = "HINDSQL_TEST_HALF"   // not empty: the agent leaves a transaction half done
)

// TestAgent is the agent's process, started by the tests below.
func TestAgent(t *testing.T) {
	path := os.Getenv(writesVariable)
	if path == "" {
		t.Skip("it is TestDatabaseWhileItIsWritten's")
	}
	stop := make(chan bool)
	go func() { io.Copy(io.Discard, os.Stdin); close(stop) }()
	write := writeDatabase
	if os.Getenv(halfVariable) != "" {
		write = writeHalf
	}
	if os.Getenv(clawVariable) != "" {
		write = writeClaw
	}
	if err := write(path, stop); err != nil {
		fmt.Println(err)
	}
	fmt.Println("all written")
}

// writeDatabase changes a database until stopped, and never waits for a lock. Each
// transaction keeps each session's recorded number of messages right.
func writeDatabase(path string, stop chan bool) error {
	open := func() (*sql.DB, error) {
		db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(50)&_pragma=busy_timeout(0)&_pragma=synchronous(0)")
		if err == nil {
			db.SetMaxOpenConns(1)
			_, err = db.Exec("CREATE TABLE IF NOT EXISTS session(id TEXT PRIMARY KEY, n INTEGER, version INTEGER); CREATE TABLE IF NOT EXISTS message(id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT, text TEXT); CREATE INDEX IF NOT EXISTS by_session ON message(session)")
		}
		return db, err
	}
	db, err := open()
	if err != nil {
		return err
	}
	fmt.Println("ready")
	rnd := rand.New(rand.NewPCG(3, 4))
	for {
		select {
		case <-stop:
			return db.Close()
		default:
		}
		id := fmt.Sprintf("'s%d'", rnd.IntN(30))
		end := "; UPDATE session SET n = (SELECT count(*) FROM message WHERE session = " + id + "), version = version + 1 WHERE id = " + id + "; COMMIT"
		statement := fmt.Sprintf("BEGIN; INSERT OR IGNORE INTO session VALUES (%s, 0, 0); INSERT INTO message(session, text) VALUES (%[1]s, hex(randomblob(%d)))", id, rnd.IntN(500)) + end
		switch n := rnd.IntN(200); {
		case n == 0:
			statement = "VACUUM"
		case n == 1:
			statement = "PRAGMA wal_checkpoint(TRUNCATE)"
		case n == 2: // closing the last connection deletes the -wal
			if err = db.Close(); err == nil {
				db, err = open()
			}
			statement = ""
		case n < 20:
			statement = "BEGIN; DELETE FROM message WHERE session = " + id + " AND id % 3 = 0" + end
		case n < 60:
			statement = "BEGIN; UPDATE message SET text = text || 'more' WHERE session = " + id + end
		}
		if err == nil && statement != "" {
			_, err = db.Exec(statement)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
		time.Sleep(time.Duration(rnd.IntN(40)) * time.Millisecond)
	}
}

// writeHalf commits one session, and begins a transaction that removes the session.
// When stopped, the database file holds half of the transaction.
func writeHalf(path string, stop chan bool) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`PRAGMA cache_size = 1;
		CREATE TABLE session(id TEXT PRIMARY KEY, n INTEGER, version INTEGER); CREATE TABLE message(id INTEGER PRIMARY KEY, session TEXT, text TEXT);
		INSERT INTO session VALUES ('s', 2, 1); INSERT INTO message VALUES (1, 's', 'a'), (2, 's', hex(randomblob(50000)));
		BEGIN; DELETE FROM message; DELETE FROM session; INSERT INTO message VALUES (3, 't', hex(randomblob(50000)))`)
	if err == nil {
		fmt.Println("ready")
		<-stop
	}
	return err
}

// startAgent starts a process that writes a database, and waits until the process is
// ready.
func startAgent(t *testing.T, path string, variables ...string) (*exec.Cmd, io.Closer, io.Reader) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	cmd := exec.Command(os.Args[0], "-test.run", "^TestAgent$")
	cmd.Env = append(append(os.Environ(), writesVariable+"="+path), variables...)
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	return cmd, in, said
}

// TestKilledInTransaction: a database in the midst of a transaction is read by a later
// sync. If the writer was killed, the sync reads the state before the transaction,
// although no file changed, and writes no file.
func TestKilledInTransaction(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Reader = database()
	path := h.Path("x.sqlite")
	cmd, _, _ := startAgent(t, path, halfVariable+"=1")
	h.Sync()
	h.Want("SELECT what LIKE 'can''t be read since%being written%' FROM problems", "true")
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	before, err := os.ReadFile(path + "-journal")
	must(t, err)
	h.Sync()
	h.Want("SELECT count(*) FROM problems", "0")
	h.Want("SELECT s.title, count(*) FROM messages JOIN sessions s USING (session_id) GROUP BY ALL", "2|2")
	after, err := os.ReadFile(path + "-journal")
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the journal was written")
	}
}

// TestDatabaseWhileItIsWritten syncs many times, 200 with $HINDSQL_TORTURE, while an
// agent writes its database.
func TestDatabaseWhileItIsWritten(t *testing.T) {
	whole.Test(t, "loads stores again and again, 4.2 s of processor time")
	t.Parallel()
	syncs := whole.Or(20, 15)
	if os.Getenv("HINDSQL_TORTURE") != "" {
		syncs = 200
	}
	h := newHome(t)
	h.Reader = database()
	path := h.Path("x.sqlite")
	syncWhileWritten(t, h, path, syncs)
}

// syncWhileWritten syncs many times while an agent, a process with the variables, writes
// the database. A session's title is the number of its messages. The agent meets no lock,
// its folder gets no file of hindsql, and no row is lost or doubled.
func syncWhileWritten(t *testing.T, h *home, path string, syncs int, variables ...string) {
	t.Helper()
	cmd, in, said := startAgent(t, path, variables...)
	s := h.Open()
	defer s.Close()
	loaded, left := 0, 0
	for i := range syncs {
		report, err := s.Sync(context.Background(), engine.SyncOptions{})
		must(t, err)
		loaded += report.Loaded
		left += len(rows(t, s, "SELECT 1 FROM sources WHERE unread_since IS NOT NULL"))
		if wrong := rows(t, s, `SELECT session_id, any_value(s.title), count(m.uuid), count(DISTINCT m.uuid) FROM sessions s LEFT JOIN messages m USING (session_id)
			GROUP BY session_id HAVING any_value(s.title) <> count(m.uuid) OR count(m.uuid) <> count(DISTINCT m.uuid)`); len(wrong) > 0 {
			t.Fatalf("sync %d: session, its messages, those in the store: %q", i, wrong)
		}
	}
	in.Close()
	rest, _ := io.ReadAll(said)
	_ = cmd.Wait()
	if first, _, _ := strings.Cut(string(rest), "\n"); first != "all written" {
		t.Errorf("the agent met %s", first)
	}
	t.Logf("%d syncs loaded %d sources, and left %d for the next", syncs, loaded, left)
	must(t, s.Close())
	h.Sync()
	h.Want("SELECT count(*) FROM sources WHERE unread_since IS NOT NULL", "0")
	h.LikeClean()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	must(t, err)
	if len(files) != 1 { // the agent closed the database, and SQLite deleted the log
		t.Errorf("the folder has %q", files)
	}
}
