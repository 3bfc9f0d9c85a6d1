// Package sample holds a made-up home folder with the logs of coding agents: a few
// sessions of every kind in the tables. It is for machines without logs, for the
// examples of the documentation, and for tests. The times of the sample can be moved by
// whole days ([Days]), so that the sample is always of the last days.
package sample

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/atomicfile"
	"hindsql/internal/pattern"
	"hindsql/readers/sqlite"
)

//go:embed all:home
var home embed.FS

// statements ends the name of a file with the SQL of a database. The sample stores
// databases as text.
const statements = ".sql"

// Folder returns the folder below parent for this build's sample, moved by the days. The
// name contains the sample's hash, to keep a stale sample from being read, and the last
// day, unless it is the day as written.
func (d Days) Folder(parent string) (string, error) {
	h := sha256.New()
	err := eachFile(func(path string, text []byte) error {
		fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
		return nil
	})
	name := prefix + hex.EncodeToString(h.Sum(nil)[:4])
	if d != 0 {
		name += "-" + string(d.Move([]byte(Last)))
	}
	return filepath.Join(parent, name), err
}

// prefix begins the names of the sample's folders.
const prefix = "sample-"

// Write writes the home folder as written below folder and returns its path. Existing
// files keep their content and modification time.
func Write(folder string) (home string, err error) { return Days(0).Write(folder) }

// Write is the function Write, with all times moved by the days.
func (d Days) Write(folder string) (home string, err error) {
	err = eachFile(func(path string, text []byte) error {
		target := filepath.Join(folder, filepath.FromSlash(string(d.Move([]byte(path)))))
		if database, is := strings.CutSuffix(target, statements); is {
			return d.ensureDatabase(database, text)
		}
		return d.ensure(target, text)
	})
	return filepath.Join(folder, "home"), err
}

// ensureDatabase builds a missing database from SQL. An existing database has the same
// SQL, because the folder's name depends on the text and the days.
func (d Days) ensureDatabase(target string, text []byte) error {
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	data, err := sqlite.Make(d.Move(text))
	if err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	return write(target, data)
}

// ensure writes a missing or incomplete file atomically. Two processes that write the
// same sample never see half a file. A moved file has the length of the file as written.
func (d Days) ensure(target string, text []byte) error {
	if info, err := os.Stat(target); err == nil && info.Size() == int64(len(text)) {
		return nil
	}
	return write(target, d.Move(text))
}

func write(target string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(target, text)
}

func eachFile(visit func(path string, text []byte) error) error {
	return fs.WalkDir(home, "home", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := home.ReadFile(path)
		if err != nil {
			return err
		}
		return visit(path, text)
	})
}

// Unpack writes the sample into hindsql's folder of a cache, by default the user's. It
// returns the home folder, and the path of a store for the home. Samples of earlier days
// whose stores aren't open are removed.
func (d Days) Unpack(cache string, isOpen func(store string) bool) (home, store string, err error) {
	if !filepath.IsAbs(cache) {
		if cache, err = os.UserCacheDir(); err != nil {
			return "", "", fmt.Errorf("%w; the sample is written to the user's cache folder, name it with XDG_CACHE_HOME", err)
		}
	}
	folder, err := d.Folder(filepath.Join(cache, "hindsql"))
	if err != nil {
		return "", "", err
	}
	if home, err = d.Write(folder); err != nil {
		return "", "", fmt.Errorf("%w; the sample is written to the user's cache folder, name another with XDG_CACHE_HOME", err)
	}
	removeEarlier(folder, isOpen)
	return home, storeIn(folder), nil
}

func storeIn(folder string) string { return filepath.Join(folder, "hindsql.duckdb") }

// removeEarlier removes the samples of earlier days and their stores. A sample in use by
// a process, such as hindsql web since yesterday, stays until a later command. So does a
// sample used within the last minute: a process may be about to open the store.
func removeEarlier(folder string, isOpen func(store string) bool) {
	for _, old := range earlierSamples(folder) {
		info, err := os.Stat(old)
		if err == nil && time.Since(info.ModTime()) > time.Minute && !isOpen(storeIn(old)) {
			_ = os.RemoveAll(old)
		}
	}
}

// datedFolder matches the folder of a moved sample.
var datedFolder = pattern.Lazy(prefix + `[0-9a-f]{8}-(\d{4}-\d\d-\d\d)$`)

// earlierSamples returns the folders beside the folder with a sample of an earlier last
// day, of any build. It leaves out samples of the day as written.
func earlierSamples(folder string) (folders []string) {
	is := datedFolder.FindStringSubmatch(folder)
	if is == nil {
		return nil
	}
	all, _ := os.ReadDir(filepath.Dir(folder))
	for _, entry := range all {
		if m := datedFolder.FindStringSubmatch(entry.Name()); m != nil && m[1] < is[1] {
			folders = append(folders, filepath.Join(filepath.Dir(folder), entry.Name()))
		}
	}
	return folders
}

// Last is the last day of the sample as written. All its moments are before 10:00 UTC,
// so a day that is over in any time zone has only moments of the past.
const Last = "2026-10-22"

// Days is the number of days by which the sample's times are moved.
type Days int

// On returns the days that make a day the sample's last, written like [Last]; without a
// day, yesterday.
func On(day string, now time.Time) (Days, error) {
	if day == "" {
		return Until(now.AddDate(0, 0, -1))
	}
	last, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0, fmt.Errorf("%s: write a day, such as %s", day, Last)
	}
	return Until(last)
}

// Until returns the days that make day the sample's last. Only a year from 2002 to 2099
// is allowed: such times have as many digits as the sample's, and readers take them.
func Until(day time.Time) (Days, error) {
	if day.Year() < 2002 || day.Year() > 2099 {
		return 0, fmt.Errorf("%s: the sample ends on a day from 2002 to 2099", day.Format(time.DateOnly))
	}
	last, err := time.Parse(time.DateOnly, Last)
	midnight := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
	return Days(midnight.Sub(last) / (24 * time.Hour)), err
}

// moments matches dates and whole words, and first the letter n of a line end in JSON,
// so that the letter isn't part of a word. Digits within a word, such as a hash, aren't
// a moment.
var moments = pattern.Lazy(`\\+[a-z]?|20\d\d[-/]\d\d[-/]\d\d|[0-9A-Za-z]+`)

// Move moves the moments in a file or a path: dates and seconds, milliseconds and
// microseconds since 1970. The text keeps its length. Words such as October and times
// within ids such as UUIDs stay.
func (d Days) Move(text []byte) []byte {
	if d == 0 {
		return text
	}
	return moments.Regexp().ReplaceAllFunc(text, d.moveWord)
}

// perSecond is the number of units in a second, by the digits of a moment in them.
var perSecond = map[int]int64{10: 1, 13: 1_000, 16: 1_000_000}

func (d Days) moveWord(word []byte) []byte {
	unit := perSecond[len(word)]
	if unit == 0 {
		return word
	}
	text := string(word)
	for _, form := range []string{"2006-01-02", "2006/01/02"} {
		if day, err := time.Parse(form, text); err == nil && isOurs(day) {
			return day.AddDate(0, 0, int(d)).AppendFormat(nil, form)
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !isOurs(time.Unix(n/unit, 0)) {
		return word
	}
	return strconv.AppendInt(nil, n+int64(d)*24*60*60*unit, 10)
}

// isOurs reports whether a time is in the month that holds the sample's times.
func isOurs(t time.Time) bool {
	year, month, _ := t.UTC().Date()
	return year == 2026 && month == time.October
}
