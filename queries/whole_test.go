package queries

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shortened finds a column of SQL that is cut to a number of characters, and keeps its
// name.
var shortened = regexp.MustCompile(`(?:left|right|substr)\(.*, (?:\d+, )?\d{2,}\).* AS (\w+)`)

// TestColumnsAreWhole: no built-in query and no section of a report, with the rows
// behind its numbers, cuts the text of a column. Who shows a text cuts it.
func TestColumnsAreWhole(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.sql")
	if err != nil {
		t.Fatal(err)
	}
	reports, err := filepath.Glob("report/*.toml")
	if err != nil || len(files) < 30 || len(reports) < 2 {
		t.Fatalf("%d queries, %d reports: %v", len(files), len(reports), err)
	}
	for _, file := range append(files, reports...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			m := shortened.FindStringSubmatch(line)
			isListed := file == "failing-commands.sql" && (m != nil && m[1] == "last_said" || strings.Contains(line, "right(c.output, 600)")) || // the end of megabytes
				m != nil && m[1] == "similarity" // a number
			if m != nil && !isListed {
				t.Errorf("%s:%d: column %s is cut: %s", file, n+1, m[1], line)
			}
		}
	}
}
