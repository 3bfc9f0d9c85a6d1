// Package prices reads price lists of models. In: the built-in list, or a file named by
// the user, in LiteLLM's or hindsql's own form. Out: prices a token. The package fetches
// nothing.
package prices

import (
	"fmt"
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

// Mark returns a string that changes when the file does, and the time of its last change,
// without reading the file.
func Mark(path string) (mark string, modified time.Time, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", modified, err
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()), info.ModTime(), nil
}

// Look reads a list and returns its description.
func Look(path string) (File, error) {
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

// Named names a list by the month of its prices, such as "prices of 2026-11".
func Named(list string, at time.Time) string { return list + " of " + at.Format("2006-01") }

// About says in a line which list is in use, and of which day; path is empty for the
// built-in list.
func About(path string, models int) (string, error) {
	if path == "" {
		day, from := Dated()
		return fmt.Sprintf("built-in list of %s, from %s: %d models; docs/prices.md says how to name another", day.Format(time.DateOnly), from, models), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s of %s: %d models", path, info.ModTime().Format(time.DateOnly), models), nil
}
