package readertest

import (
	"testing"

	"hindsql/internal/corpus"
)

// Corpus is corpus.Home of "home".
func Corpus(t testing.TB) string { t.Helper(); return corpus.Home(t, "home") }

// CorpusOf is corpus.Home.
func CorpusOf(t testing.TB, name string) string { t.Helper(); return corpus.Home(t, name) }
