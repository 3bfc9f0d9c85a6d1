package confined_test

import (
	"testing"

	"hindsql/engine/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m, nil) }

// Short names of enginetest's contents, for all tests here.
type face = enginetest.Face

var (
	must       = enginetest.Must
	newHome    = enginetest.New
	line       = enginetest.Line
	open       = enginetest.Open
	rows       = enginetest.Rows
	tryRows    = enginetest.TryRows
	safely     = enginetest.Safely
	sampleHome = enginetest.Sample
)
