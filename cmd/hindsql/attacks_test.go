package main

import (
	"regexp"
	"testing"
	"time"

	"hindsql/internal/torture/attacks"
	"hindsql/internal/whole"
)

// TestAttacksAtEachFace: at each face that runs strangers' SQL, one attack of each kind
// (such as reading a file) fails with the error of the limit that stops it. Memory,
// time and other users' rows are measured by 'make torture' instead.
func TestAttacksAtEachFace(t *testing.T) {
	whole.Test(t, "runs into each limit at five faces")
	t.Parallel()
	o := newOutfit(t)
	wanted := map[string]*regexp.Regexp{
		"crash JSON to VARIANT":                    regexp.MustCompile(`the statement crashed DuckDB`),
		"time levenshtein":                         regexp.MustCompile(`stopped at the limit of time, 1 s`),
		"memory a lambda's texts":                  regexp.MustCompile(`stopped at the limit of (memory|time)`),
		"names settings, where a recursion begins": regexp.MustCompile(`no table that is here`),
	}
	faces := append([]way{}, ways["hindsql mcp"]...)
	faces = append(faces, ways["hindsql web: SQL and saved queries"][:2]...)
	faces = append(faces, ways["these and hindsql report run with --safe"][1], ways["these and hindsql report run with --safe"][3])
	tried := 0
	for _, a := range attacks.All() {
		want := wanted[a.Class+" "+a.What]
		if want == nil {
			continue
		}
		tried++
		limit := time.Second
		if a.Class == "crash" || a.Class == "names" {
			limit = 20 * time.Second // enough for a worker's start and a crash on a busy machine
		}
		for _, f := range faces {
			if got := f.ask(o, inquiry{sql: a.SQL, time: limit}); !want.MatchString(got) {
				t.Errorf("%s: %s %s: %.500q", f.name, a.Class, a.What, got)
			}
		}
	}
	if tried != len(wanted) {
		t.Errorf("%d of %d attacks", tried, len(wanted))
	}
}
