package copilot_test

import (
	"strings"
	"testing"

	"hindsql/readers/copilot"
	"hindsql/readers/readertest"
)

// shape: a call's id that was there before is made unique, which a line that is
// lost may change; and how a call ended that has no result of its own is told
// by the line of its refusal.
func shape(rel string) readertest.Shape {
	switch {
	case strings.HasSuffix(rel, ".json"):
		return readertest.Document
	case strings.Contains(rel, "renumbered"), strings.Contains(rel, "unended"):
		return readertest.Journal
	}
	return readertest.Lines
}

func TestReader(t *testing.T) {
	readertest.Run(t, copilot.Reader, "testdata", readertest.Options{Shape: shape})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, copilot.Reader, "testdata") }

func TestFields(t *testing.T) { readertest.Fields(t, copilot.Reader, "testdata") }
