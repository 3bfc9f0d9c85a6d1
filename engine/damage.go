package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
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
func isDamage(err error, ours bool) bool {
	if err == nil || reasonOf(err) != "" { // a write that failed, and all that follows it
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

// isOurs says that hindsql once wrote a store at the path: its lock lies there.
// A file that doesn't even begin like a store is damaged then, and somebody
// else's where it doesn't.
func (a storeFile) isOurs() bool { return onThisDisk(a.path + ".lock") }

// rebuildDamaged makes the store anew from the logs and from what still reads of
// the damaged one, which it sets aside.
func (f *file) rebuildDamaged(ctx context.Context, p plan, tell func(Progress), now time.Time) (done loads, report *Salvage, err error) {
	report = &Salvage{Aside: asideName(f.in.at.path, now)}
	saved := f.in.at.path + ".saved"
	defer func() { _ = removeStore(saved) }()
	if err := removeStore(saved); err != nil {
		return done, report, err
	}
	if err := f.salvage(ctx, p, saved, report); err != nil {
		return done, report, f.in.at.storeError(err)
	}
	old := saved
	if report.Err != nil {
		old = ""
	}
	done, err = f.rebuild(ctx, p, tell, old, func() error { return setAside(f.in.at.path, report.Aside) })
	return done, report, err
}

// asideName is where a damaged store goes. Two in one second get two names.
func asideName(path string, now time.Time) string {
	name := path + ".damaged-" + now.UTC().Format("2006-01-02T150405Z")
	for n := 2; onThisDisk(name); n++ {
		name = fmt.Sprintf("%s.damaged-%s-%d", path, now.UTC().Format("2006-01-02T150405Z"), n)
	}
	return name
}

// setAside gives a store's file a second name, so that there is a store until
// another takes its place. Where files have one name only it is moved. Its log
// must not stay: it would be taken for the new store's.
func setAside(path, aside string) error {
	err := os.Link(path, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = os.Rename(path, aside)
	}
	if err != nil {
		return err
	}
	err = os.Rename(path+".wal", aside+".wal")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}
