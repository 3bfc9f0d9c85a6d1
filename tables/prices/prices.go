// Package prices reads lists of what models cost. In: a file that the user
// named, LiteLLM's or one of hindsql's own form. Out: prices a token. It knows no
// price by itself, and fetches none.
package prices

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/tables"
)

// File says which list is in use.
type File struct {
	Path       string
	Models     int       // that it has prices of
	ModifiedAt time.Time // how old the prices may be
}

// names are those of the lists that are looked for in a folder, in this order.
var names = []string{"prices.json", "prices.toml"}

// Find gives the list in a folder; empty for none.
func Find(folder string) string {
	for _, name := range names {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// Mark tells a file from what it was before, without reading it.
func Mark(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()), nil
}

// Look reads a list, and says what it is.
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

// Read reads a list: TOML by its name, else JSON. A list without any model is an
// error. Models are in the order of their names.
func Read(path string) ([]tables.Price, error) {
	text, err := os.ReadFile(path)
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
