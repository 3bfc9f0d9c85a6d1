package lint_test

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allLines is the number of lines of Go of all modules, without tests and test kits. A
// change that raises the number gives the reason in its commit.
const allLines = 120801

// manyLines lists the packages with more lines than mostLines. A number may only fall.
var manyLines = map[string]int{
	"cmd/hindsql":      5687, // a file for each command
	"cmd/hindsql/term": 4822,
	"cmd/hindsql/web":  4921,
	"engine/load":      4215,
	"readers":          5423,
	"readers/codex":    5510,
	"tables":           5333,
}

// spare is the number of lines that code may lose before its number in allLines or
// manyLines has to follow.
const spare = 100

// kits matches the packages that only tests import.
var kits = regexp.MustCompile(`(^|/)(readertest|enginetest|resttest|gittest|torture/attacks)$`)

// TestWeight holds the lines of Go: each package to mostLines or its number in
// manyLines, and all packages together to allLines.
func TestWeight(t *testing.T) {
	lines, sum := map[string]int{}, 0
	for _, s := range sources(t) {
		n := strings.Count(s.text, "\n")
		folder := path.Dir(s.path)
		lines[folder] += n
		if !kits.MatchString(folder) {
			sum += n
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		most, listed := manyLines[folder]
		switch n := lines[folder]; {
		case !listed && n > mostLines:
			t.Errorf("%s has %d lines, %d at most: part it", folder, n, mostLines)
		case listed && n > most:
			t.Errorf("%s has %d lines, and had %d: part it", folder, n, most)
		case listed && n <= mostLines:
			t.Errorf("%s has %d lines now, as few as others: strike it from manyLines", folder, n)
		case listed && n < most-spare:
			t.Errorf("%s has %d lines now: write %q: %d in manyLines", folder, n, folder, n)
		}
	}
	for folder := range manyLines {
		if lines[folder] == 0 {
			t.Errorf("%s is gone: strike it from manyLines", folder)
		}
	}
	switch {
	case sum > allLines:
		t.Errorf("the program has %d lines, and had %d: delete lines, or write allLines = %d and give the reason in the commit", sum, allLines, sum)
	case sum < allLines-spare:
		t.Errorf("the program has %d lines now: write allLines = %d", sum, sum)
	}
}
