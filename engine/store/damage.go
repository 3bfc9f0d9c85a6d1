package store

import (
	"errors"
	"fmt"
	"strings"
)

// Damaged is the error of a store whose bytes are not what was written, or that a
// newer DuckDB wrote. A full sync sets it aside, loads the logs anew, and saves what
// else still reads.
type Damaged struct {
	Path string
	Err  error // DuckDB's
}

// Error names the file, and gives DuckDB's words in one line.
func (d *Damaged) Error() string {
	words, _, _ := strings.Cut(d.Err.Error(), "\n")
	if d.IsNewer() {
		return fmt.Sprintf("store: %s: written by another version of DuckDB: %s", d.Path, words)
	}
	return fmt.Sprintf("store: %s: damaged: %s", d.Path, words)
}

// IsNewer says that the file isn't damaged: a DuckDB with a newer format wrote the
// file. A damaged number of the format fails its checksum instead.
func (d *Damaged) IsNewer() bool { return strings.Contains(d.Err.Error(), otherFormat) }

// otherFormat are DuckDB's words for the file of a DuckDB of another format.
const otherFormat = "Trying to read a database file with version"

// Unwrap is DuckDB's error.
func (d *Damaged) Unwrap() error { return d.Err }

// signs are DuckDB's words for bytes that don't read as what it wrote; the last
// is what it says of all that follows such an error.
var signs = []string{
	"Corrupt database file", "Could not read enough bytes from file", "Serialization Error", "Corrupt WAL file",
	"Failed to load metadata pointer", "when trying to read a database file", otherFormat,
	"Failure while replaying WAL", "database has been invalidated",
}

// isDamage knows the error of a statement that read damaged bytes. An internal
// error is one only of a statement of ours, which is never wrong on a sound file.
func IsDamage(err error, ours bool) bool {
	if err == nil || ReasonOf(err) != "" { // a write that failed, and all that follows it
		return false
	}
	if errors.As(err, new(*Damaged)) || ours && strings.HasPrefix(err.Error(), "INTERNAL Error") {
		return true
	}
	for _, words := range signs {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}
