package kimi_test

import (
	"path"
	"testing"

	"hindsql/readers/kimi"
	"hindsql/readers/readertest"
)

// shape: in a wire, a later line may end or undo what earlier lines began. Each line of
// the other files stands for itself.
func shape(rel string) readertest.Shape {
	if path.Base(rel) == "wire.jsonl" {
		return readertest.Journal
	}
	return readertest.Lines
}

func TestReader(t *testing.T) {
	readertest.Run(t, kimi.Reader, "testdata", readertest.Options{Shape: shape})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, kimi.Reader, "testdata") }

func TestFields(t *testing.T) { readertest.Fields(t, kimi.Reader, "testdata") }
