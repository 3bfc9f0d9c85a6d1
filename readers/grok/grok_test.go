package grok_test

import (
	"testing"

	"hindsql/readers/grok"
	"hindsql/readers/readertest"
)

// journal: later lines of a turn, and its events, decide what became of a call.
func journal(rel string) readertest.Shape { return readertest.Journal }

func TestReader(t *testing.T) {
	readertest.Run(t, grok.Reader, "testdata", readertest.Options{Shape: journal})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, grok.Reader, "testdata") }

func TestFields(t *testing.T) { readertest.Fields(t, grok.Reader, "testdata") }
