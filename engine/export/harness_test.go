package export_test

import (
	"testing"

	"hindsql/engine/enginetest"
)

// Short names for enginetest's types and functions in all tests of this package.
type face = enginetest.Face

var (
	must       = enginetest.Must
	newHome    = enginetest.New
	line       = enginetest.Line
	open       = enginetest.Open
	rows       = enginetest.Rows
	realConfig = enginetest.RealConfig
	safely     = enginetest.Safely
	sampleHome = enginetest.Sample
)

func TestMain(m *testing.M) {
	enginetest.Main(m, map[string]func(enginetest.Child, *enginetest.Answer) error{"export": exportAgain})
}
