package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Held is the error of a store's file that another program has open, for reading
// when it was to be written, or for writing.
type Held struct {
	Path    string
	Program string // its path; empty where the system doesn't tell, and for this process
	PID     int    // 0 where the system doesn't tell
}

// Error says who.
func (h *Held) Error() string {
	switch {
	case h.PID == os.Getpid():
		return fmt.Sprintf("store: %s: statements of this process are reading it", h.Path)
	case h.PID == 0:
		return fmt.Sprintf("store: %s: another program has it open", h.Path)
	}
	return fmt.Sprintf("store: %s: %s (PID %d) has it open", h.Path, h.Program, h.PID)
}

// foreign says that it is no process like this one, which would have the file
// for an instant only.
func (h *Held) Foreign() bool {
	self, err := os.Executable()
	return err == nil && h.Program != "" && filepath.Base(h.Program) != filepath.Base(self)
}

// OtherBuild is the error of a store whose tables are those of another build of
// hindsql. A sync brings it up to date.
type OtherBuild struct{ Path string }

// Error names the file.
func (o *OtherBuild) Error() string {
	return fmt.Sprintf("store: %s: written by another build of hindsql", o.Path)
}

// NotAStore is the error of a file that is there and no store of hindsql's.
type NotAStore struct {
	Path     string
	IsDuckDB bool   // it is somebody else's database
	Kind     string // what it is, such as a named pipe; empty for a regular file
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

// Busy is the error of what writes to the store while another sync does.
type Busy struct{ Path string }

// Error names the file.
func (b *Busy) Error() string { return fmt.Sprintf("store: %s: another sync is running", b.Path) }

// condition turns DuckDB's words about a store's file into an error with fields.
func (a File) Classify(err error) error {
	switch {
	case err == nil:
		return nil
	case isLocked(err):
		return heldBy(a.Path, err.Error())
	case strings.Contains(err.Error(), "not a valid DuckDB database file"):
		if a.isOurs() {
			return &Damaged{a.Path, err}
		}
		return &NotAStore{Path: a.Path}
	case IsDamage(err, true) && !errors.As(err, new(*Damaged)):
		return &Damaged{a.Path, err}
	}
	return err
}

// storeError is condition, and names the file where nothing else does.
func (a File) Explain(err error) error {
	if err == nil || strings.HasPrefix(err.Error(), "store: ") {
		return err
	}
	if known := a.Classify(err); known != err { //nolint:errorlint // condition gives back what it doesn't know
		return known
	}
	return fmt.Errorf("store: %s: %w", a.Path, err)
}

// isLocked knows DuckDB's words for a file that is taken, those of Windows last.
func isLocked(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "Could not set lock on file") || strings.Contains(err.Error(), "File is already open in"))
}

// holder are the words with which DuckDB says who has a file, see
// duckdb/duckdb, src/common/local_file_system.cpp; on Windows the path stands
// on a line of its own.
var holder = regexp.MustCompile(`(?:lock is held in |already open in\s+)(.+?) \(PID (\d+)\)`)

func heldBy(path, words string) *Held {
	h := &Held{Path: path}
	if m := holder.FindStringSubmatch(words); m != nil {
		h.Program = m[1]
		h.PID, _ = strconv.Atoi(m[2])
	}
	return h
}
