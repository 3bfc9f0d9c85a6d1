package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

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

// IsForeign reports whether the program isn't hindsql. Another hindsql holds the file
// only briefly.
func (h *Held) IsForeign() bool {
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
	case strings.Contains(err.Error(), "Could not set lock on file"),
		strings.Contains(err.Error(), "File is already open in"), // on Windows
		f.isOpenElsewhere(err):
		return parseHeld(f.Path, err.Error())
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

// isOpenElsewhere reports whether DuckDB couldn't open the file because another program
// has the file open, on Windows. The words after DuckDB's own are the system's, in the
// user's language, so isOpenElsewhere asks the system. If the file opens now, the other
// program has just closed it.
func (f File) isOpenElsewhere(err error) bool {
	if !sharesByMode || !strings.Contains(err.Error(), "Cannot open file") {
		return false
	}
	cause := f.probe()
	return cause == nil || atomicfile.IsOpen(cause)
}

// probe opens the file for writing and closes it.
func (f File) probe() error {
	file, err := os.OpenFile(f.Path, os.O_RDWR, 0)
	if err == nil {
		_ = file.Close()
	}
	return err
}

// Replace moves the file at draft to the store's path. The error is a [*Held] if the
// system refuses, as Windows does, because another program has the old file open.
func (f File) Replace(draft string) error {
	err := os.Rename(draft, f.Path)
	if !atomicfile.IsBusy(err) {
		return err
	}
	cause := f.probe()
	if cause == nil {
		err = os.Rename(draft, f.Path) // the other program has just closed it
	}
	if atomicfile.IsOpen(cause) || cause == nil && atomicfile.IsBusy(err) {
		return &Held{Path: f.Path}
	}
	return err
}

// holder matches DuckDB's words for the program that has a file open, see
// duckdb/duckdb, src/common/local_file_system.cpp. On Windows the path stands on a line
// of its own.
var holder = pattern.Lazy(`(?:lock is held in |already open in\s+)(.+?) \(PID (\d+)\)`)

func parseHeld(path, words string) *Held {
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

// Unwritable is the error of a store that is readable but not writable: on a read-only
// file system, on a full disk, or owned by another user.
type Unwritable struct {
	Path string
	Err  error // the disk's, in Go's words or DuckDB's
}

// Error names the store's file and the disk's reason. It leaves out the rest of DuckDB's
// message, which names a temporary file instead of the store.
func (u *Unwritable) Error() string {
	return fmt.Sprintf("store: %s: can't be written to: %s", u.Path, ReasonOf(u.Err))
}

// Unwrap is the disk's error.
func (u *Unwritable) Unwrap() error { return u.Err }

// refusals are errors of a disk that refuses a write. DuckDB passes on the system's
// error only as text. The last two texts are DuckDB's own. One means a full spill
// folder, with a limit set by the free space. The other means that DuckDB couldn't move
// the write-ahead log into the store's file.
var refusals = append(diskRefusals, []refusal{
	{syscall.EROFS, "read-only file system", ""},
	{syscall.ENOSPC, "no space left on device", ""},
	{syscall.EDQUOT, "disk quota exceeded", ""},
	{syscall.EFBIG, "file too large", ""},
	{fs.ErrPermission, "permission denied", ""},
	{syscall.EPERM, "operation not permitted", ""},
	{nil, "max_temp_directory_size", "no space for temporary files"},
	{nil, "checkpoint during detach failed", "its log could not be written into it"},
}...)

// refusal is an error of a disk, and DuckDB's text for it, in lower case.
type refusal struct {
	err    error
	words  string
	reason string // for people; empty for words
}

// ReasonOf is the disk's reason in the error of a write; empty for other errors.
func ReasonOf(err error) string {
	if err == nil {
		return ""
	}
	text := strings.ToLower(err.Error())
	for _, r := range refusals {
		if r.err != nil && errors.Is(err, r.err) || strings.Contains(text, r.words) {
			return cmp.Or(r.reason, r.words)
		}
	}
	return ""
}

// Damaged is the error of a store with bytes that DuckDB can't read, or in the format of
// a newer DuckDB. A full sync sets the store aside, loads the logs anew, and saves the
// rows of vanished logs that are still readable.
type Damaged struct {
	Path string
	Err  error // DuckDB's
}

// Error names the file, and gives the first line of DuckDB's error.
func (d *Damaged) Error() string {
	words, _, _ := strings.Cut(d.Err.Error(), "\n")
	if d.IsNewer() {
		return fmt.Sprintf("store: %s: written by another version of DuckDB: %s", d.Path, words)
	}
	return fmt.Sprintf("store: %s: damaged: %s", d.Path, words)
}

// IsNewer reports whether a newer DuckDB wrote the file, and the file isn't damaged. A
// damaged format number would cause a checksum error instead.
func (d *Damaged) IsNewer() bool { return strings.Contains(d.Err.Error(), otherFormat) }

// otherFormat is DuckDB's text for a file in another format.
const otherFormat = "Trying to read a database file with version"

// Unwrap is DuckDB's error.
func (d *Damaged) Unwrap() error { return d.Err }

// signs are DuckDB's texts for damaged bytes.
var signs = []string{
	"Corrupt database file", "Could not read enough bytes from file", "Serialization Error", "Corrupt WAL file",
	"Failed to load metadata pointer", "when trying to read a database file", otherFormat,
	"Failure while replaying WAL",
}

// invalidated is in DuckDB's answer to every statement after an internal error. A user's
// statement can cause such an error on a sound file.
const invalidated = "database has been invalidated"

// IsDamage reports whether a statement failed because it read damaged bytes. ours says
// that the statement is hindsql's own. Then an internal error of DuckDB also means
// damage, because hindsql's statements never cause an internal error on a sound file.
func IsDamage(err error, ours bool) bool {
	if err == nil || ReasonOf(err) != "" { // a failed write, and every statement after it
		return false
	}
	if errors.As(err, new(*Damaged)) || ours && (strings.HasPrefix(err.Error(), "INTERNAL Error") || strings.Contains(err.Error(), invalidated)) {
		return true
	}
	return slices.ContainsFunc(signs, func(words string) bool { return strings.Contains(err.Error(), words) }) || isPastEnd(err.Error())
}

// readFailed matches DuckDB's words for a failed read on Windows: the file, the place
// and the number of bytes (duckdb/duckdb, src/common/local_file_system.cpp). The system's
// reason follows, in the user's language.
var readFailed = pattern.Lazy(`Could not read file "([^"]+)" \(error in ReadFile\(location: (\d+), nr_bytes: (\d+)\)\)`)

// isPastEnd reports whether a read failed because the file is too short: a part of it was
// lost.
func isPastEnd(words string) bool {
	m := readFailed.FindStringSubmatch(words)
	if m == nil {
		return false
	}
	at, _ := strconv.ParseInt(m[2], 10, 64)
	bytes, _ := strconv.ParseInt(m[3], 10, 64)
	info, err := os.Stat(m[1])
	return err == nil && at+bytes > info.Size()
}
