package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestErrors: what DuckDB's texts and the system's errors mean for a store's file.
func TestErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.duckdb")
	for words, want := range map[string]string{
		`IO Error: Could not set lock on file "x": Conflicting lock is held in /usr/bin/duckdb (PID 12). See`: "/usr/bin/duckdb (PID 12) has it open",
		"IO Error: Cannot open file \"x\": used.\nFile is already open in \nC:\\duckdb.exe (PID 7)":           "C:\\duckdb.exe (PID 7) has it open",
		"IO Error: Could not set lock on file":                        "another program has it open",
		"IO Error: The file exists, not a valid DuckDB database file": "not a DuckDB file",
		"Serialization Error: field 3":                                "damaged: Serialization Error: field 3",
		"INTERNAL Error: oh":                                          "damaged: INTERNAL Error: oh",
		"Trying to read a database file with version number 99":       "written by another version of DuckDB: Trying to read a database file with version number 99",
		"Binder Error: no column":                                     "Binder Error: no column",
	} {
		if got := (File{path}).Explain(errors.New(words)); got.Error() != "store: "+path+": "+want {
			t.Errorf("%s: %v, want %s", words, got, want)
		}
	}
	if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := (File{path}).Classify(errors.New("not a valid DuckDB database file")); !errors.As(got, new(*Damaged)) {
		t.Errorf("beside a lock of ours: %v", got)
	}
	for words, damage := range map[string]bool{
		"INTERNAL Error: oh": false,
		`FATAL Error: Failed: database has been invalidated because of a previous fatal error. Original error: "Memory allocation failure"`: false,
		`FATAL Error: Failed: database has been invalidated because of a previous fatal error. Original error: "Corrupt database file"`:     true,
	} {
		if err := errors.New(words); IsDamage(err, false) != damage || !IsDamage(err, true) {
			t.Errorf("%s: damage is %v by a user's statement, %v by hindsql's", words, IsDamage(err, false), IsDamage(err, true))
		}
	}
	for err, want := range map[error]string{
		fmt.Errorf("write: %w", syscall.ENOSPC):                              "no space left on device",
		fs.ErrPermission:                                                     "permission denied",
		errors.New("Could not write file: Read-only file system"):            "read-only file system",
		errors.New("failed to offload: max_temp_directory_size of 1 GB"):     "no space for temporary files",
		errors.New("FATAL Error: Checkpoint during DETACH failed: whatever"): "its log could not be written into it",
		errors.New("Corrupt WAL file"):                                       "",
	} {
		if got := ReasonOf(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

// TestExists: a path with an error other than "not found" counts as existing.
func TestExists(t *testing.T) {
	if Exists(t.TempDir() + "/none") {
		t.Error("a missing file exists")
	}
	if !Exists(t.TempDir()) || !Exists("\x00") {
		t.Error("a path that can't be looked at is gone")
	}
}

// TestCheckKind: a folder is no store, and a missing file may become one.
func TestCheckKind(t *testing.T) {
	var not *NotAStore
	if err := CheckKind(t.TempDir()); !errors.As(err, &not) || not.Kind == "" {
		t.Errorf("a folder: %v", err)
	}
	if err := CheckKind(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("a missing file: %v", err)
	}
}

// TestHold: a waiting writer keeps new readers out, has the file when the readers have
// left, and gives up at its deadline.
func TestHold(t *testing.T) {
	ctx := t.Context()
	soon := func() (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, 20*time.Millisecond) }
	h := NewRWLock()
	if err := h.RLock(ctx); err != nil || h.CountReaders() != 1 {
		t.Fatalf("%d readers, %v", h.CountReaders(), err)
	}
	if err := h.Lock(ctx, time.Now().Add(20*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("owned beside a reader: %v", err)
	}
	if err := h.RLock(ctx); err != nil {
		t.Fatalf("after a writer gave up: %v", err)
	}
	h.RUnlock()
	owned := make(chan error)
	go func() { owned <- h.Lock(ctx, time.Now().Add(time.Minute)) }()
	for {
		waiting, cancel := soon()
		err := h.RLock(waiting)
		cancel()
		if err != nil {
			break // the writer waits
		}
		h.RUnlock()
	}
	h.RUnlock()
	if err := <-owned; err != nil || h.CountReaders() != 0 {
		t.Fatalf("%d readers, %v", h.CountReaders(), err)
	}
	h.Unlock()
	if err := h.RLock(ctx); err != nil {
		t.Error(err)
	}
}

// TestGate: one goroutine is inside at a time.
func TestGate(t *testing.T) {
	g := NewGate()
	if err := g.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	waiting, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := g.Enter(waiting); err == nil {
		t.Error("two are inside")
	}
	g.Leave()
	if err := g.Enter(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestLinkOrMove: the damaged file keeps its name until another file takes its place.
// DuckDB's log is moved at once. Two stores damaged in the same second get two names.
func TestLinkOrMove(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), "h.duckdb")}
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for n, want := range []string{"h.duckdb.damaged-2026-03-01T090000Z", "h.duckdb.damaged-2026-03-01T090000Z-2"} {
		for _, path := range []string{f.Path, f.WAL()} {
			if err := os.WriteFile(path, fmt.Append(nil, n), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		aside := f.DamagedName(now)
		if err := f.LinkOrMove(aside); err != nil || filepath.Base(aside) != want {
			t.Fatalf("%s, want %s: %v", aside, want, err)
		}
		if !Exists(f.Path) || Exists(f.WAL()) || !Exists(aside+".wal") {
			t.Error("the file is gone, or its log is still there")
		}
		if err := os.Remove(f.Path); err != nil { // it is the same file under two names
			t.Fatal(err)
		}
	}
}

// TestTurn: readers wait while a writer holds the lock of LockTurn. Retry waits for a
// file held by hindsql, and doesn't wait for another program.
func TestTurn(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), "h.duckdb")}
	turn, err := f.LockTurn(t.Context(), time.Now().Add(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	waiting, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	waits := 0
	if err := f.YieldToWriters(waiting, func() { waits++ }); !errors.Is(err, context.DeadlineExceeded) || waits != 1 || !f.HasWaitingWriter() {
		t.Errorf("a reader passed: %v, waits %d times", err, waits)
	}
	if err := turn.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := f.YieldToWriters(t.Context(), func() { waits++ }); err != nil || waits != 1 || f.HasWaitingWriter() {
		t.Errorf("a reader waits for no writer: %v, %d", err, waits)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]int{self: 3, "/usr/bin/duckdb": 1} {
		tries := 0
		err := f.Retry(t.Context(), time.Now().Add(time.Minute), func() error {
			if tries++; tries == 3 {
				return nil
			}
			return errors.New("Could not set lock on file: Conflicting lock is held in " + program + " (PID 1)")
		})
		if tries != want || (err == nil) != (want == 3) {
			t.Errorf("%s: %d tries, %v", program, tries, err)
		}
	}
}

// TestMark: HasMark finds a mark until RecordMark records another mark.
func TestMark(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), "h.duckdb")}
	f.RecordMark("lost") // there is no lock yet
	if f.HasMark("") || f.HasMark("lost") {
		t.Error("a mark without a lock")
	}
	if err := os.WriteFile(f.Path+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{strings.Repeat("long", 9), "short"} {
		if f.RecordMark(mark); !f.HasMark(mark) {
			t.Errorf("%s isn't noted", mark)
		}
	}
}

// A store that was cut is damaged, also in Windows' words, which are in the user's
// language.
func TestCutStoreIsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.duckdb")
	if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	for bytes, want := range map[int]bool{50: false, 51: true} {
		err := fmt.Errorf(`IO Error: Could not read file "%s" (error in ReadFile(location: 50, nr_bytes: %d)): Ende der Datei`, path, bytes)
		if got := IsDamage(err, true); got != want {
			t.Errorf("%d bytes from 50 of 100: %v, want %v", bytes, got, want)
		}
	}
}
