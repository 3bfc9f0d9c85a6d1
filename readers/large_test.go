package readers_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// TestLargeTextIsHardlyCopied: a large text takes memory once when read, once in the
// parser and once in the row. A buffer that grows must not copy it again and again.
func TestLargeTextIsHardlyCopied(t *testing.T) {
	const size = 32 << 20
	text := strings.Repeat("large text ", size/11)
	kept := ""
	for name, test := range map[string]struct {
		log  string
		read func(*readers.Input) error
		most float64 // bytes allocated for each byte of the text
	}{
		"document": {`{"list":[{"text":"` + text + `"}]}`, func(in *readers.Input) error {
			return readers.Document(in, "list", func(*fastjson.Value, []byte) {}, func(v *fastjson.Value) { kept = readers.Text(v, "text") })
		}, 3.2},
		"line": {`{"text":"` + text + "\"}\n", func(in *readers.Input) error {
			return readers.JSONLines(in, nil, func(v *fastjson.Value, _ readers.Line) { kept = readers.Text(v, "text") })
		}, 4.7}, // a line's length is unknown until its end
		"JSON": {`{"list":[{"text":"` + text + `\n"}]}`, func(in *readers.Input) error {
			return readers.Document(in, "list", func(*fastjson.Value, []byte) {}, func(v *fastjson.Value) { kept = readers.JSON(v) })
		}, 3.2},
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(test.log), 0o600); err != nil {
			t.Fatal(err)
		}
		r := &readers.Reader{Read: test.read}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f := r.Load(readers.Log{Path: path, Size: int64(len(test.log))}, tables.Source{})
		runtime.ReadMemStats(&after)
		if !f.Large || len(kept) < len(text) {
			t.Errorf("%s: large: %t, %d bytes kept", name, f.Large, len(kept))
		}
		if times := float64(after.TotalAlloc-before.TotalAlloc) / size; times > test.most {
			t.Errorf("%s: allocated %.1f times its size, %.1f at most", name, times, test.most)
		}
		kept = ""
	}
}
