package opencode_test

import (
	"path"
	"strings"
	"testing"

	"hindsql/readers/opencode"
	"hindsql/readers/readertest"
	"hindsql/readers/sqlite"
)

var options = readertest.Options{Shape: shape, Make: sqlite.Make}

// shape returns Rows for a database, and Document for a session of the tree, which is
// one object beside the files of its messages.
func shape(rel string) readertest.Shape {
	switch {
	case path.Ext(rel) == ".db":
		return readertest.Rows
	case strings.HasPrefix(rel, "storage/"):
		return readertest.Document
	}
	return readertest.Lines
}

func TestReader(t *testing.T) { readertest.Run(t, opencode.Reader, "testdata", options) }

func FuzzReader(f *testing.F) { readertest.FuzzOf(f, opencode.Reader, "testdata", options) }

func TestFields(t *testing.T) { readertest.FieldsOf(t, opencode.Reader, "testdata", options) }
