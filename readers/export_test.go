package readers

import (
	"io"
	"iter"
)

// LinesUpTo are [Lines], of which longer ones than limit are not held.
func LinesUpTo(r io.Reader, limit int) iter.Seq2[Line, error] { return linesUpTo(r, limit, 0) }

// Looked is how many bytes the decoder looked at, each as often as it did.
func (d *Decoder) Looked() int64 { return d.looked }

// Fold is what becomes of a value with too many others in it.
func Fold(b []byte) (string, string, error) {
	folded, words, err := room{most: manyValues}.fold(b, ordinarySpine)
	return string(folded), words, err
}
