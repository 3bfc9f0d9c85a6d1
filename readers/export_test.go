package readers

import (
	"io"
	"iter"
)

// LinesUpTo is [Lines] with a limit: it doesn't hold a longer line in memory.
func LinesUpTo(r io.Reader, limit int) iter.Seq2[Line, error] { return linesUpTo(r, limit, 0) }

// Looked returns how many bytes the decoder read, counting repeats.
func (d *Decoder) Looked() int64 { return d.examined }

// Fold folds a value that holds too many values.
func Fold(b []byte) (string, string, error) {
	folded, words, err := valueLimit{most: manyValues}.fold(b, ordinarySpine)
	return string(folded), words, err
}
