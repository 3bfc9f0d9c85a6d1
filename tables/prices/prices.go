// Package prices reads price lists of models. In: the built-in list, or a file named by
// the user, in LiteLLM's or hindsql's own form. Out: prices a token. The package fetches
// nothing.
package prices

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/internal/regular"
	"hindsql/tables"
)

// File describes the price list in use.
type File struct {
	Path       string
	Models     int       // number of models with prices
	ModifiedAt time.Time // modification time of the file, a hint at the prices' age
}

// names lists the file names to look for in a folder, in this order.
var names = []string{"prices.json", "prices.toml"}

// Find returns the path of the list in a folder; empty if the folder has none.
func Find(folder string) string {
	for _, name := range names {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// Fingerprint returns a string that changes when the file does, and the time of its last
// change, without reading the file.
func Fingerprint(path string) (mark string, modified time.Time, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", modified, err
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()), info.ModTime(), nil
}

// Inspect reads a list and returns its description.
func Inspect(path string) (File, error) {
	list, err := Read(path)
	if err != nil {
		return File{Path: path}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return File{Path: path}, err
	}
	return File{path, len(list), info.ModTime()}, nil
}

// Read reads a list: TOML if the file's name ends in .toml, otherwise JSON. A list
// without models is an error. Models are sorted by name.
func Read(path string) ([]tables.Price, error) {
	text, err := regular.ReadNamed(path)
	if err != nil {
		return nil, err
	}
	parse := parseLiteLLM
	if strings.EqualFold(filepath.Ext(path), ".toml") {
		parse = parseTOML
	}
	list, err := parse(text)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("has no model with a price of input and of output")
	}
	if err != nil {
		return nil, fmt.Errorf("prices: %s: %w; docs/prices.md says what it may be", path, err)
	}
	slices.SortFunc(list, func(a, b tables.Price) int { return strings.Compare(a.Model, b.Model) })
	return list, nil
}

// Title names a list by the month of its prices, such as "prices of 2026-11".
func Title(list string, at time.Time) string { return list + " of " + at.Format("2006-01") }

// Describe returns a line about which list is in use, and of which day; path is empty
// for the built-in list.
func Describe(path string, models int) (string, error) {
	if path == "" {
		day, from := BuiltInDate()
		return fmt.Sprintf("built-in list of %s, from %s: %d models; docs/prices.md says how to name another", day.Format(time.DateOnly), from, models), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s of %s: %d models", path, info.ModTime().Format(time.DateOnly), models), nil
}

// The built-in list: LiteLLM's, reduced by tools/prices. about has the day of the fetch,
// the package, its version, and the SHA-256 of packed.
var (
	//go:embed litellm.json.gz
	packed []byte
	//go:embed litellm.txt
	about string
)

// Notice is the copyright notice of the built-in list, under the MIT licence.
//
//go:embed LICENSE.litellm
var Notice string

// BuiltInFingerprint identifies the built-in list: another version of hindsql may have
// another. It unpacks nothing.
func BuiltInFingerprint() string { return "built in " + strings.TrimSpace(about) }

// BuiltInDate returns the day of the built-in list in UTC, and the package and version
// that it is from, such as "litellm 1.110.2".
func BuiltInDate() (day time.Time, from string) {
	words := strings.Fields(about)
	day, err := time.Parse(time.DateOnly, words[0])
	if err != nil {
		panic("prices: litellm.txt: " + err.Error()) // a test reads it
	}
	return day, words[1] + " " + words[2]
}

// BuiltIn unpacks the built-in list, sorted by name. It takes 5 ms, so only a load, a
// change of the list and a look at it call BuiltIn.
func BuiltIn() ([]tables.Price, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("prices: built-in list: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("prices: built-in list: %w", err)
	}
	list, err := parseLiteLLM(text)
	slices.SortFunc(list, func(a, b tables.Price) int { return strings.Compare(a.Model, b.Model) })
	return list, err
}
