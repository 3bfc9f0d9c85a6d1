package readers

import (
	"io"

	"hindsql/internal/logstart"
)

// watching returns a function that opens a log as open does. start sees what is read.
func watching(start *logstart.Watch, open func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		f, err := open()
		if err != nil {
			return nil, err
		}
		if at, ok := f.(diskReader); ok {
			return struct {
				io.ReadCloser
				diskReader
			}{start.Of(f), at}, nil
		}
		return start.Of(f), nil
	}
}

// Unpacked returns the input of a compressed log, to be read without the compression.
// open opens the log so.
func (in *Input) Unpacked(open func() (io.ReadCloser, error)) *Input {
	plain := *in
	if plain.Open = open; in.start != nil {
		plain.Open = watching(in.start, func() (io.ReadCloser, error) {
			f, err := open()
			in.start.Drop() // the compressed bytes
			return f, err
		})
	}
	return &plain
}
