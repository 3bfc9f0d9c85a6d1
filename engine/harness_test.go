package engine_test

import (
	"flag"

	"hindsql/engine/enginetest"
)

var update = flag.Bool("update", false, "rewrite testdata/session.txt; look at the difference before you commit it")

// Short names of enginetest's contents, for all tests here.
type (
	home   = enginetest.Home
	face   = enginetest.Face
	child  = enginetest.Child
	answer = enginetest.Answer
)

var (
	must        = enginetest.Must
	newHome     = enginetest.New
	toy         = enginetest.Toy
	line        = enginetest.Line
	touch       = enginetest.Touch
	tamper      = enginetest.Tamper
	dump        = enginetest.Dump
	open        = enginetest.Open
	tryOpen     = enginetest.TryOpen
	rows        = enginetest.Rows
	tryRows     = enginetest.TryRows
	realConfig  = enginetest.RealConfig
	safely      = enginetest.Safely
	sampleHome  = enginetest.Sample
	makeTree    = enginetest.Tree
	appendFile  = enginetest.AppendFile
	transcripts = enginetest.Transcripts
	bigLine     = enginetest.BigLine
	newKiller   = enginetest.NewKiller
)
