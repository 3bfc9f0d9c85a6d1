package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/pattern"
)

// Held is the error if another program has the store's file open: for writing, or, when
// hindsql wants to write, for reading.
type Held struct {
	Path    string
	Program string // its path; empty if unknown, and for this process
	PID     int    // 0 if unknown
}

// Error names the file and the program.
func (h *Held) Error() string {
	switch {
	case h.PID == os.Getpid():
		return fmt.Sprintf("store: %s: statements of this process are reading it", h.Path)
	case h.PID == 0:
		return fmt.Sprintf("store: %s: another program has it open", h.Path)
	}
	return fmt.Sprintf("store: %s: %s (PID %d) has it open", h.Path, h.Program, h.PID)
}

// Foreign reports whether the program isn't hindsql. Another hindsql holds the file only
// briefly.
func (h *Held) Foreign() bool {
	self, err := os.Executable()
	return err == nil && h.Program != "" && filepath.Base(h.Program) != filepath.Base(self)
}

// OtherBuild is the error if a build of hindsql with different tables wrote the store.
// A sync brings the store up to date.
type OtherBuild struct{ Path string }

// Error names the file.
func (o *OtherBuild) Error() string {
	return fmt.Sprintf("store: %s: written by another build of hindsql", o.Path)
}

// NotAStore is the error if hindsql didn't write the file.
type NotAStore struct {
	Path     string
	IsDuckDB bool   // another program's database
	Kind     string // such as "a named pipe"; empty for a regular file
}

// Error says what the file is.
func (n *NotAStore) Error() string {
	if n.IsDuckDB {
		return fmt.Sprintf("store: %s: a DuckDB file, but no store of hindsql's", n.Path)
	}
	if n.Kind != "" {
		return fmt.Sprintf("store: %s: %s, not a DuckDB file", n.Path, n.Kind)
	}
	return fmt.Sprintf("store: %s: not a DuckDB file", n.Path)
}

// Busy is the error of a write if another process syncs the store.
type Busy struct{ Path string }

// Error names the file.
func (b *Busy) Error() string { return fmt.Sprintf("store: %s: another sync is running", b.Path) }

// Classify turns DuckDB's errors about the file into [Held], [Damaged] or [NotAStore].
// It returns other errors unchanged.
func (f File) Classify(err error) error {
	switch {
	case err == nil:
		return nil
	case isLocked(err) || f.isOpenElsewhere(err):
		return heldBy(f.Path, err.Error())
	case strings.Contains(err.Error(), "not a valid DuckDB database file"):
		if f.isOurs() {
			return &Damaged{f.Path, err}
		}
		return &NotAStore{Path: f.Path}
	case IsDamage(err, true) && !errors.As(err, new(*Damaged)):
		return &Damaged{f.Path, err}
	}
	return err
}

// Explain is Classify, and puts the store's path before unknown errors.
func (f File) Explain(err error) error {
	if err == nil || strings.HasPrefix(err.Error(), "store: ") {
		return err
	}
	if known := f.Classify(err); known != err { //nolint:errorlint // Classify returns unknown errors unchanged
		return known
	}
	return fmt.Errorf("store: %s: %w", f.Path, err)
}

// isLocked reports whether the error is DuckDB's for a locked file. The second text is
// DuckDB's on Windows.
func isLocked(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "Could not set lock on file") || strings.Contains(err.Error(), "File is already open in"))
}

// isOpenElsewhere reports whether DuckDB couldn't open the file because another program
// has the file open, on Windows. The words after DuckDB's own are the system's, in the
// user's language, so isOpenElsewhere asks the system. If the file opens now, the other
// program has just closed it.
func (f File) isOpenElsewhere(err error) bool {
	if !sharesByMode || !strings.Contains(err.Error(), "Cannot open file") {
		return false
	}
	probe, cause := os.OpenFile(f.Path, os.O_RDWR, 0)
	if cause == nil {
		_ = probe.Close()
		return true
	}
	return atomicfile.IsOpen(cause)
}

// Replace moves the file at draft to the store's path. The error is a [*Held] if the
// system refuses, as Windows does, because another program has the old file open.
func (f File) Replace(draft string) error {
	err := os.Rename(draft, f.Path)
	if !atomicfile.IsBusy(err) {
		return err
	}
	probe, cause := os.OpenFile(f.Path, os.O_RDWR, 0)
	if atomicfile.IsOpen(cause) {
		return &Held{Path: f.Path}
	}
	if cause == nil {
		_ = probe.Close()
		err = os.Rename(draft, f.Path) // the other program has just closed it
		if atomicfile.IsBusy(err) {
			return &Held{Path: f.Path}
		}
	}
	return err
}

// holder matches DuckDB's words for the program that has a file open, see
// duckdb/duckdb, src/common/local_file_system.cpp. On Windows the path stands on a line
// of its own.
var holder = pattern.Lazy(`(?:lock is held in |already open in\s+)(.+?) \(PID (\d+)\)`)

func heldBy(path, words string) *Held {
	h := &Held{Path: path}
	if m := holder.FindStringSubmatch(words); m != nil {
		h.Program = m[1]
		h.PID, _ = strconv.Atoi(m[2])
	}
	return h
}

// NotOne is the error for an id that no session has, or that several begin with.
type NotOne string

// Error returns the text of the error.
func (e NotOne) Error() string { return string(e) }
