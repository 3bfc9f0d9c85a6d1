package engine_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/internal/posix"
	"hindsql/internal/result"
	"hindsql/internal/whole"
)

func TestOnePathIsOneStore(t *testing.T) {
	posix.Links(t)
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	a, b := h.Open(), h.Open()
	link := filepath.Join(t.TempDir(), "elsewhere")
	must(t, os.MkdirAll(filepath.Dir(h.Store), 0o700))
	must(t, os.Symlink(filepath.Dir(h.Store), link))
	c := h.Config()
	c.Store = filepath.Join(link, filepath.Base(h.Store))
	if through := open(t, c); a.Store != b.Store || a.Store != through.Store {
		t.Error("several Stores of one file")
	}
	must(t, a.Close())
	_, err := b.Sync(t.Context(), engine.SyncOptions{})
	must(t, err)
	wantRows(t, b, "CREATE TEMP TABLE own AS SELECT text FROM messages; FROM own", "text 1")
	if _, err := tryRows(h.Open(), "FROM own", nil); err == nil {
		t.Error("a session sees another's temporary table")
	}
}

// crowd returns how many sessions of one process run how many statements each, beside
// how many processes. $HINDSQL_CROWD sets larger numbers: 16x200+8.
func crowd(t *testing.T) (sessions, statements, processes int) {
	sessions, statements, processes = 6, 12, 2
	if text := os.Getenv("HINDSQL_CROWD"); text != "" {
		if _, err := fmt.Sscanf(text, "%dx%d+%d", &sessions, &statements, &processes); err != nil {
			t.Fatalf("HINDSQL_CROWD=%s: %v", text, err)
		}
	}
	return sessions, statements, processes
}

// TestManySessionsWhileLogsGrow: no session gets an error, and each statement sees
// whole files. In the end the store equals a clean load.
func TestManySessionsWhileLogsGrow(t *testing.T) {
	whole.Test(t, "has a crowd of sessions and processes ask and load")
	t.Parallel()
	sessions, statements, processes := crowd(t)
	tree := makeTree(t, 4)
	c := realConfig(tree, filepath.Join(t.TempDir(), "h.duckdb"))
	logs := transcripts(t, tree)
	ends := make([]func() answer, processes)
	for i := range ends {
		mode := []string{"ask", "load"}[i%2]
		_, ends[i] = child{Mode: mode, Home: tree, Store: c.Store, Logs: logs[i : i+1], Rounds: statements}.Start(t)
	}
	var all sync.WaitGroup
	var w waits
	for i := range sessions {
		all.Go(func() {
			if err := crowdMember(c, logs[processes+i%(len(logs)-processes)], i, statements, &w); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, end := range ends {
		if a := end(); a.Err != "" {
			t.Error(a.Err)
		}
	}
	t.Logf("%d sessions of %d statements, %d processes: %d syncs loaded something, %d found the file in use; the longest sync took %v", sessions, statements, processes, w.loaded, w.held, w.longest)
	for i := 0; ; i++ { // a child's last write may still have to be loaded
		report, err := open(t, c).Sync(t.Context(), engine.SyncOptions{})
		must(t, err)
		if report.IsComplete() && report.Loaded == 0 || i == 50 {
			break
		}
	}
	clean := realConfig(tree, filepath.Join(t.TempDir(), "clean.duckdb"))
	_, err := open(t, clean).Sync(t.Context(), engine.SyncOptions{})
	must(t, err)
	wantSameStores(t, clean.Store, c.Store)
}

// waits counts how the syncs of a crowd ended, and how long they took.
type waits struct {
	mutex        sync.Mutex
	loaded, held int
	longest      time.Duration
}

func (w *waits) add(r engine.SyncReport, took time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if r.Loaded > 0 {
		w.loaded++
		w.longest = max(w.longest, took)
	}
	if r.Held != nil {
		w.held++
	}
}

func crowdMember(c engine.Config, log string, number, statements int, w *waits) error {
	s, err := tryOpen(c)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx := context.Background()
	if _, err := tryRows(s, "CREATE TEMP TABLE own AS SELECT "+strconv.Itoa(number)+" AS number", nil); err != nil {
		return err
	}
	for i := range statements {
		if i%4 == 0 {
			if err := appendFile(log, bigLine(number*10_000+i, 200)); err != nil {
				return err
			}
		}
		start := time.Now()
		report, err := s.Sync(ctx, engine.SyncOptions{})
		if err != nil {
			return err
		}
		w.add(report, time.Since(start))
		if err := askAll(ctx, s); err != nil {
			return err
		}
		own, err := tryRows(s, "FROM own", nil)
		if err != nil || own[0] != strconv.Itoa(number) {
			return fmt.Errorf("session %d has %v in its own table, %v", number, own, err)
		}
	}
	return nil
}

// TestManyCallersOfOneSession: callers wait for each other.
func TestManyCallersOfOneSession(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.8 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	s := h.Open()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				if got, err := tryRows(s, "SELECT count(*) FROM messages", nil); err != nil || got[0] != "1" {
					t.Error(got, err)
				}
			}
		})
	}
	all.Wait()
}

// TestALongStatementKeepsASyncOut, and only as long as it runs.
func TestALongStatementKeepsASyncOut(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	slow, s := h.Open(), h.Open()
	_, err := s.Sync(t.Context(), engine.SyncOptions{})
	must(t, err)
	before := s.SyncedAt()
	must(t, slow.Query(t.Context(), "FROM messages", nil, func(r *result.Rows) error {
		h.Append("a.jsonl", line(2, ""))
		report, err := s.Sync(t.Context(), engine.SyncOptions{})
		if err != nil || report.Held == nil || report.Held.PID != os.Getpid() || report.Loaded != 0 {
			t.Errorf("a sync beside a statement: %+v, %v", report, err)
		}
		wantRows(t, s, "SELECT count(*) FROM messages", "1")
		if !s.SyncedAt().Equal(before) {
			t.Error("what was not synced counts as synced")
		}
		return nil
	}))
	report, err := s.Sync(t.Context(), engine.SyncOptions{})
	if err != nil || report.Loaded != 1 {
		t.Errorf("after the statement: %+v, %v", report, err)
	}
	must(t, s.Query(t.Context(), "SELECT count(*) FROM messages", nil, func(r *result.Rows) error {
		if !r.SyncedAt.After(before) {
			t.Error("rows are of before the sync")
		}
		return nil
	}))
}

// notebook starts another program (this test under another name) that keeps a store
// open until end is called.
func notebook(t *testing.T, store, mode string) (pid int, end func()) {
	t.Helper()
	posix.Only(t, "a program's name ends with .exe, and the error may not name the program")
	program := filepath.Join(t.TempDir(), "notebook")
	if err := os.Link(os.Args[0], program); err != nil {
		t.Skip("the test's binary can't have a second name: ", err)
	}
	c := child{Mode: mode, Store: store, Rounds: 1}
	cmd := c.Command(t, program)
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || said != "open\n" {
		t.Fatal(said, err)
	}
	end = sync.OnceFunc(func() { in.Close(); cmd.Wait() })
	t.Cleanup(end)
	return cmd.Process.Pid, end
}

// keep has the store open until standard input ends.
func keep(c child, options string) error {
	db, err := sql.Open("duckdb", c.Store+options)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Ping(); err != nil {
		return err
	}
	fmt.Println("open")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	return nil
}

func TestHeldByAReadingNotebook(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	pid, end := notebook(t, h.Store, "keep-reading")
	h.Append("a.jsonl", line(2, ""))
	s := h.Open()
	report, err := s.Sync(t.Context(), engine.SyncOptions{})
	if err != nil || report.Held == nil || report.Held.PID != pid || filepath.Base(report.Held.Program) != "notebook" {
		t.Fatalf("%+v, %v", report, err)
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "1")
	end()
	report, err = s.Sync(t.Context(), engine.SyncOptions{})
	if err != nil || report.Loaded != 1 {
		t.Errorf("after it ended: %+v, %v", report, err)
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "2")
}

func TestHeldByAWritingNotebook(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	pid, end := notebook(t, h.Store, "keep-writing")
	s := h.Open()
	_, syncErr := s.Sync(t.Context(), engine.SyncOptions{})
	_, queryErr := tryRows(s, "FROM messages", nil)
	for _, err := range []error{syncErr, queryErr} {
		var held *engine.Held
		if !errors.As(err, &held) || held.PID != pid || filepath.Base(held.Program) != "notebook" {
			t.Errorf("%v", err)
		}
	}
	end()
	wantRows(t, s, "SELECT count(*) FROM messages", "1")
}

// TestCancelledWhileAStoreIsMade: whenever a sync is cancelled, the next statement
// works.
func TestCancelledWhileAStoreIsMade(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.6 s of processor time")
	t.Parallel()
	for i := range 6 {
		h := newHome(t)
		h.Write("a.jsonl", line(1, ""))
		s := h.Open()
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(4*i*i)*time.Millisecond)
		_, _ = s.Sync(ctx, engine.SyncOptions{})
		_ = s.Query(ctx, "FROM messages", nil, func(*result.Rows) error { return nil })
		cancel()
		_, err := s.Sync(t.Context(), engine.SyncOptions{})
		must(t, err)
		wantRows(t, s, "SELECT count(*) FROM messages", "1")
	}
}
