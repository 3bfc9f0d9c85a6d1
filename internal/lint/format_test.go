package lint_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// section matches a reference to a section of a FORMAT.md, heading the heading of a
// section.
var (
	section   = regexp.MustCompile(`§ ?(\d+(?:\.\d+)*)`)
	elsewhere = regexp.MustCompile(`formats/\w+\.md`)
	heading   = regexp.MustCompile(`(?m)^#{2,4} (\d+(?:\.\d+)*)\.? `)
)

// TestFormatSectionsExist checks that a reader's comments, samples and README refer
// only to existing sections of the FORMAT.md in the reader's folder.
func TestFormatSectionsExist(t *testing.T) {
	pages, err := filepath.Glob("readers/*/FORMAT.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no readers/*/FORMAT.md (%v)", err)
	}
	sections := map[string]map[string]bool{}
	for _, page := range pages {
		text := readFile(t, page)
		known := map[string]bool{}
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			known[m[1]] = true
		}
		sections[filepath.ToSlash(filepath.Dir(page))] = known
	}
	for _, p := range textFiles(t) {
		known := sections[formatFolder(p)]
		for i, line := range strings.Split(readFile(t, p), "\n") {
			if elsewhere.MatchString(line) {
				t.Errorf("%s:%d: names a page that is not in the repository", p, i+1)
			}
			for _, m := range section.FindAllStringSubmatch(commentOf(p, line), -1) {
				if !known[m[1]] {
					t.Errorf("%s:%d: §%s is no section of the FORMAT.md beside it: %s", p, i+1, m[1], strings.TrimSpace(line))
				}
			}
		}
	}
}

// TestEveryAgentHasAFormatPage checks that every reader has a page about the agent's
// files.
func TestEveryAgentHasAFormatPage(t *testing.T) {
	for _, folder := range agentFolders() {
		if _, err := os.Stat(filepath.Join(strings.TrimPrefix(folder, "hindsql/"), "FORMAT.md")); err != nil {
			t.Error(err)
		}
	}
}

// formatFolder returns the reader's folder of a file; empty outside of readers.
func formatFolder(p string) string {
	parts := strings.Split(p, "/")
	if len(parts) < 3 || parts[0] != "readers" {
		return ""
	}
	return path.Join(parts[:2]...)
}

// commentOf returns the part of a line that may refer to a section: the whole line of a
// page, or the comment in a line of Go or SQL. Logs may contain any sign.
func commentOf(p, line string) string {
	mark := map[string]string{".go": "//", ".sql": "--"}[path.Ext(p)]
	if mark == "" {
		return line
	}
	_, comment, _ := strings.Cut(line, mark)
	return comment
}

// textFiles returns the files of Go, SQL and Markdown.
func textFiles(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(p string, d os.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || name == "bin"):
			return filepath.SkipDir
		case path.Ext(name) == ".go" || path.Ext(name) == ".sql" || path.Ext(name) == ".md":
			all = append(all, filepath.ToSlash(p))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readFile(t *testing.T, p string) string {
	t.Helper()
	text, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
