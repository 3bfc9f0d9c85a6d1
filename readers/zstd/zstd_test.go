package zstd_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	klauspost "github.com/klauspost/compress/zstd"

	"hindsql/readers"
	"hindsql/readers/zstd"
)

func compress(t *testing.T, text string) []byte {
	t.Helper()
	encoder, err := klauspost.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return encoder.EncodeAll([]byte(text), nil)
}

// file counts how often a file is closed.
type file struct {
	io.Reader
	closed int
}

func (f *file) Close() error {
	f.closed++
	return nil
}

// TestPlain: a log is read decompressed. To close it closes the compressed file. A cut log
// gives its beginning, and then an error.
func TestPlain(t *testing.T) {
	text := strings.Repeat("{\"a\":1}\n", 1000)
	data := compress(t, text)
	for _, n := range []int{len(data), len(data) - 3} {
		f := &file{Reader: bytes.NewReader(data[:n])}
		log, err := zstd.Decompress(&readers.Input{Open: func() (io.ReadCloser, error) { return f, nil }}).Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(log)
		if !strings.HasPrefix(text, string(got)) || (err == nil) != (n == len(data)) || err == nil && string(got) != text {
			t.Errorf("%d of %d bytes give %d of %d: %v", n, len(data), len(got), len(text), err)
		}
		if err := log.Close(); err != nil || f.closed != 1 {
			t.Errorf("closed %d times: %v", f.closed, err)
		}
	}
}

// TestValue: a value of another size than the given one, damaged or too large, is an error.
func TestValue(t *testing.T) {
	data := compress(t, "text")
	if got, err := zstd.DecompressValue(data, 4); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	for _, size := range []int64{-1, 0, 3, 5, zstd.MostValue + 1} {
		if _, err := zstd.DecompressValue(data, size); err == nil {
			t.Errorf("a size of %d is no error", size)
		}
	}
	if _, err := zstd.DecompressValue(data[:len(data)-2], 4); err == nil {
		t.Error("a cut value is no error")
	}
}
