package store

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/pattern"
)

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
