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
	"strings"

	"hindsql/internal/atomicfile"
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
	err := each(func(path string, text []byte) error {
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
	err = each(func(path string, text []byte) error {
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

func each(visit func(path string, text []byte) error) error {
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
