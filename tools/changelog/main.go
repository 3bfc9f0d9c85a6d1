// Command changelog joins the files of docs/changelog/unreleased into CHANGELOG.md at a
// release, and removes them. docs/changelog/README.md says what such a file holds.
//
//	changelog -C REPOSITORY -version 1.2.3 -date 2026-11-26
//
// In: files KIND-SLUG.md, where KIND is new, changed or fixed. Out: a section
// "## 1.2.3 (2026-11-26)" below the section Unreleased, with an entry for each file,
// grouped by kind, in the order of the files' names. It is an error, and nothing
// changes, if a file has another kind or no text, or if CHANGELOG.md has the version.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	folder := flag.String("C", ".", "the repository")
	version := flag.String("version", "", "the version, such as 1.2.3")
	date := flag.String("date", time.Now().UTC().Format(time.DateOnly), "its day")
	flag.Parse()
	if err := release(*folder, *version, *date); err != nil {
		fmt.Fprintln(os.Stderr, "changelog:", err)
		os.Exit(1)
	}
}

// kinds are the groups of a section, in their order.
var kinds = []struct{ kind, title string }{{"new", "New"}, {"changed", "Changed"}, {"fixed", "Fixed"}}

func release(folder, version, date string) error {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		return fmt.Errorf("version %q: three numbers with points expected, such as VERSION=1.2.3", version)
	}
	files, err := filepath.Glob(filepath.Join(folder, "docs", "changelog", "unreleased", "*.md"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("docs/changelog/unreleased: no changes")
	}
	section, err := sectionOf(files, version, date)
	if err != nil {
		return err
	}
	name := filepath.Join(folder, "CHANGELOG.md")
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, err := insert(string(page), section, version)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return err
	}
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// sectionOf is the section of a version, made of files.
func sectionOf(files []string, version, date string) (string, error) {
	entries := map[string][]string{}
	for _, file := range files {
		kind, _, _ := strings.Cut(filepath.Base(file), "-")
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		entry := strings.TrimSpace(string(text))
		if entry == "" {
			return "", fmt.Errorf("%s: no text", file)
		}
		entries[kind] = append(entries[kind], "- "+strings.ReplaceAll(fromRoot(entry), "\n", "\n  "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## %s (%s)\n", version, date)
	for _, k := range kinds {
		if list := entries[k.kind]; len(list) > 0 {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n", k.title, strings.Join(list, "\n"))
		}
		delete(entries, k.kind)
	}
	for kind := range entries {
		return "", fmt.Errorf("docs/changelog/unreleased/%s-…: a file begins with new-, changed- or fixed-", kind)
	}
	return b.String(), nil
}

// fromRoot makes links that begin at the root of the repository relative to CHANGELOG.md,
// which lies there.
func fromRoot(text string) string { return strings.ReplaceAll(text, "](/", "](") }

// insert puts a section behind the section Unreleased.
func insert(page, section, version string) (string, error) {
	if strings.Contains(page, "\n## "+version+" ") {
		return "", fmt.Errorf("version %s is there already", version)
	}
	const heading = "\n## Unreleased\n"
	at := strings.Index(page, heading)
	if at < 0 {
		return "", errors.New("no section Unreleased")
	}
	at += len(heading)
	if next := strings.Index(page[at:], "\n## "); next >= 0 {
		at += next + 1
	} else {
		at = len(page)
	}
	return page[:at] + section + "\n" + page[at:], nil
}
