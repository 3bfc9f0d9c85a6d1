package readers_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// told returns the calls and problems of Document for a text, in order.
func told(t *testing.T, key, text string) []string {
	t.Helper()
	var all []string
	in := &readers.Input{
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
		Emit: func(e tables.Event) {
			p := e.(*tables.Problem)
			all = append(all, fmt.Sprintf("problem at %d:%d: %s", p.Line, p.ByteOffset, p.What))
		},
	}
	err := readers.Document(in, key,
		func(v *fastjson.Value, _ []byte) { all = append(all, "head "+readers.Text(v, "id")) },
		func(v *fastjson.Value) { all = append(all, readers.JSON(v)) })
	if err != nil {
		t.Errorf("%q: %v", text, err)
	}
	return all
}

func TestDocument(t *testing.T) {
	for _, test := range []struct {
		name, key, text string
		want            []string
	}{
		{"whole", "list", `{"id":"x","list":[{"a":1},2]}`, []string{"head x", `{"a":1}`, "2"}},
		{"byte order mark", "list", "\xEF\xBB\xBF{\"id\":\"x\",\"list\":[]}", []string{"head x"}},
		{"no list", "list", `{"id":"x"}`, []string{"head x"}},
		{"list alone", "", `[{"a":1}]`, []string{"head ", `{"a":1}`}},
		{"cut in a record", "list", "{\"id\":\"x\",\n\"list\":[\n{\"a\":1},\n{\"b\":", []string{"head x", `{"a":1}`, "problem at 4:29: unfinished document"}},
		{"cut behind a record", "list", `{"id":"x","list":[{"a":1}`, []string{"head x", `{"a":1}`, "problem at 1:25: unfinished document"}},
		{"cut before the list", "list", `{"id":"x","li`, []string{"problem at 1:0: unfinished document"}},
		{"damage in a record", "list", `{"id":"x","list":[{"a":1},{"b":!},{"c":3}]}`, []string{"head x", `{"a":1}`, "problem at 1:26: bad JSON"}},
		{"list cut", "", `[{"a":1},{"b"`, []string{`{"a":1}`, "problem at 1:9: unfinished document"}},
		{"twice", "", `[{"a":1}][{"a":1}]`, []string{`{"a":1}`, "problem at 1:8: bad JSON"}},
		{"list that is none", "list", `{"id":"x","list":3}`, []string{"head x", "problem at 1:10: bad JSON"}},
		{"no object", "list", `[1]`, []string{"problem at 1:0: bad JSON"}},
		{"empty", "list", "", []string{"problem at 1:0: empty file"}},
		{"blank", "", " \n", []string{"problem at 1:0: empty file"}},
		{"NULs", "list", "\x00\x00", []string{"problem at 1:0: NUL bytes"}},
		{"Git LFS", "list", "version https://git-lfs.github.com/spec/v1\n", []string{"problem at 1:0: a pointer of Git LFS, not the log itself"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, told(t, test.key, test.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDocumentReadError(t *testing.T) {
	broken := errors.New("the disk is gone")
	in := &readers.Input{
		Open: func() (io.ReadCloser, error) { return io.NopCloser(iotest.ErrReader(broken)), nil },
		Emit: func(e tables.Event) { t.Errorf("emitted %T", e) },
	}
	err := readers.Document(in, "", func(*fastjson.Value, []byte) {}, func(*fastjson.Value) {})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}
