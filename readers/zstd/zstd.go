// Package zstd decompresses logs that agents compress with Zstandard.
//
// In: a log, or a value of a log in a database. Out: its bytes. The package knows no
// agent's records.
package zstd

import (
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"hindsql/readers"
)

// Decompress returns an input that reads a compressed log decompressed.
func Decompress(in *readers.Input) *readers.Input {
	open := in.Open
	return in.Unpacked(func() (io.ReadCloser, error) { return Open(open) })
}

// Suffix ends the name of a compressed log.
const Suffix = ".zst"

// Open opens a compressed file, to be read decompressed. The error is that of open, or of an
// invalid header.
func Open(open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1))
	if err != nil {
		file.Close()
		return nil, err
	}
	return &inflated{decoder, file}, nil
}

// inflated decompresses a file while it is read.
type inflated struct {
	*zstd.Decoder
	file io.Closer
}

// Close ends the decoder and closes the compressed file.
func (i *inflated) Close() error {
	i.Decoder.Close()
	return i.file.Close()
}

// MostValue is the largest decompressed value in bytes.
const MostValue = 4 << 20

// values decompresses values. Several readers may use it at a time.
var values = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MostValue))
})

// DecompressValue decompresses a value. The error is that of damaged data, of a size above
// [MostValue], or of a value with another size.
func DecompressValue(data []byte, size int64) ([]byte, error) {
	if size < 1 || size > MostValue {
		return nil, fmt.Errorf("%d bytes; a compressed event has 1 to %d", size, MostValue)
	}
	decoder, err := values()
	if err != nil {
		return nil, err
	}
	text, err := decoder.DecodeAll(data, make([]byte, 0, size))
	if err == nil && int64(len(text)) != size {
		err = fmt.Errorf("%d bytes, not the %d that it says", len(text), size)
	}
	return text, err
}
