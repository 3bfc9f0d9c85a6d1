package lint_test

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// section matches a reference to a section of a FORMAT.md, heading the heading of a
// section.
var (
	section   = regexp.MustCompile(`§ ?(\d+(?:\.\d+)*)`)
	page      = regexp.MustCompile(`(readers/\w+)/FORMAT\.md`)
	elsewhere = regexp.MustCompile(`formats/\w+\.md`)
	heading   = regexp.MustCompile(`(?m)^#{2,4} (\d+(?:\.\d+)*)\.? `)
)

// TestFormatSectionsExist checks that a reader's comments, samples and README refer
// only to existing sections of the FORMAT.md in the reader's folder, or of the FORMAT.md
// that the line names with its folder, as a family's package does.
func TestFormatSectionsExist(t *testing.T) {
	pages := glob(t, "readers/*/FORMAT.md")
	if len(pages) == 0 {
		t.Fatal("no readers/*/FORMAT.md")
	}
	sections := map[string]map[string]bool{}
	for _, at := range pages {
		text := read(t, at)
		known := map[string]bool{}
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			known[m[1]] = true
		}
		sections[path.Dir(at)] = known
	}
	for _, p := range textFiles(t) {
		known := sections[formatFolder(p)]
		for i, line := range strings.Split(read(t, p), "\n") {
			if elsewhere.MatchString(line) {
				t.Errorf("%s:%d: names a page that is not in the repository", p, i+1)
			}
			for _, m := range section.FindAllStringSubmatch(commentOf(p, line), -1) {
				known := known
				if named := page.FindStringSubmatch(line); named != nil {
					known = sections[named[1]]
				}
				if !known[m[1]] {
					t.Errorf("%s:%d: §%s is no section of its FORMAT.md: %s", p, i+1, m[1], strings.TrimSpace(line))
				}
			}
		}
	}
}

// TestEveryAgentHasAFormatPage checks that every reader has a page about the agent's
// files.
func TestEveryAgentHasAFormatPage(t *testing.T) {
	for _, folder := range agentFolders() {
		if _, err := fs.Stat(root, strings.TrimPrefix(folder, "hindsql/")+"/FORMAT.md"); err != nil {
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
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || name == "bin"):
			return fs.SkipDir
		case path.Ext(name) == ".go" || path.Ext(name) == ".sql" || path.Ext(name) == ".md":
			all = append(all, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
