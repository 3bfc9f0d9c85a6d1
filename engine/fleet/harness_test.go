package fleet_test

import (
	"testing"

	"hindsql/engine/enginetest"
)

// Short names for enginetest's types and functions in all tests of this package.
type (
	home   = enginetest.Home
	face   = enginetest.Face
	child  = enginetest.Child
	answer = enginetest.Answer
)

var (
	must        = enginetest.Must
	newHome     = enginetest.New
	line        = enginetest.Line
	touch       = enginetest.Touch
	open        = enginetest.Open
	rows        = enginetest.Rows
	realConfig  = enginetest.RealConfig
	sampleHome  = enginetest.Sample
	makeTree    = enginetest.Tree
	appendFile  = enginetest.AppendFile
	transcripts = enginetest.Transcripts
	bigLine     = enginetest.BigLine
	newKiller   = enginetest.NewKiller
)

func TestMain(m *testing.M) {
	enginetest.Main(m, map[string]func(child, *answer) error{"push": pushAgain, "pull": pullAgain})
}
