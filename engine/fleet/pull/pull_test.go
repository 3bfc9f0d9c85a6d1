package pull

import (
	"bufio"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// tangled is a structure in Thrift's compact protocol, with a value of each kind found
// in Parquet. tangledFields holds its numbers.
const tangled = "\x16\x0a" + // 1: int64 5
	"\x19\x2c" + "\x16\x0e\x00" + "\x16\x12\x00" + // 2: a list of two structures, with 1: 7 and 1: 9
	"\x28\x03abc" + // 4: text
	"\x11" + // 5: true
	"\x05\x2a\x05" + // 21: int32 -3, its number behind the kind
	"\x17\x00\x00\x00\x00\x00\x00\x00\x00" + // 22: double
	"\x00"

var tangledFields = structure{1: int64(5), 2: []any{structure{1: int64(7)}, structure{1: int64(9)}}, 4: nil, 21: int64(-3), 22: nil}

// TestStructure: a structure's numbers are read. A structure cut off anywhere is an
// error.
func TestStructure(t *testing.T) {
	read := func(text string) (structure, error) {
		return (&compact{Reader: bufio.NewReader(strings.NewReader(text))}).structure()
	}
	if got, err := read(tangled); err != nil || !reflect.DeepEqual(got, tangledFields) {
		t.Errorf("%v, %v; want %v", got, err, tangledFields)
	}
	for n := range len(tangled) {
		if got, err := read(tangled[:n]); err == nil {
			t.Errorf("cut after byte %d: %v", n, got)
		}
	}
	for what, text := range map[string]string{"a map": "\x1b\x00\x00", "lists in lists": strings.Repeat("\x19", 99), "a text of 4 GB": "\x18\xff\xff\xff\xff\x0f"} {
		if got, err := read(text); err == nil {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// TestLook: a file without groups has no rows. A damaged or foreign file is an error.
func TestLook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	look := func(text string) (layout, error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return readLayout(path)
	}
	file := func(footer string) string {
		return "PAR1" + footer + string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))) + "PAR1"
	}
	const none, one = "\x36\x00\x19\x0c\x00", "\x36\x02\x19\x0c\x00" // 3: rows, 4: a list of no groups
	if got, err := look(file(none)); err != nil || got != (layout{}) {
		t.Errorf("%+v, %v", got, err)
	}
	for what, text := range map[string]string{
		"nothing": "", "short": "PAR1", "no end": strings.TrimSuffix(file(none), "1"), "a footer longer than the file": "PAR1\xff\x00\x00\x00PAR1",
		"a footer cut off": file(none[:3]), "rows of no group": file(one),
	} {
		if got, err := look(text); err == nil {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// TestRepeatedBytes: a product that is too large becomes the bound.
func TestRepeatedBytes(t *testing.T) {
	const bound = math.MaxInt32 * 1024
	for _, c := range [][3]int64{{10, 100, 1000}, {5, 0, 0}, {math.MaxInt32, 1024, bound}, {math.MaxInt32, 1025, bound}, {math.MaxInt64, math.MaxInt64, bound}} {
		if got := repeatedBytes(c[0], c[1]); got != c[2] {
			t.Errorf("%d values of %d bytes: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
