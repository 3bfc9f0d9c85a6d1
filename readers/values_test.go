package readers_test

import (
	"testing"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

func TestTime(t *testing.T) {
	moment := time.Date(2026, 3, 2, 9, 0, 0, 500e6, time.UTC)
	for text, want := range map[string]time.Time{
		`"2026-03-02T09:00:00.500Z"`:      moment,
		`"2026-03-02T11:00:00.500+02:00"`: moment,
		`1772442000500`:                   moment,
		`1772442000.5`:                    moment, // in seconds
		`0`:                               {},
		`1e300`:                           {},
		`"yesterday"`:                     {},
		`null`:                            {},
		`{}`:                              {},
	} {
		if got := readers.Time(fastjson.MustParse(text)); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if !readers.Time(nil).IsZero() {
		t.Error("no value is no time")
	}
}

// TestTimeByColumns checks that times of the usual form are read as time.Parse reads
// them, and that no other text is taken for one.
func TestTimeByColumns(t *testing.T) {
	for _, text := range []string{
		"2026-03-02T09:00:00.500Z", "2024-02-29T23:59:59.999Z", "2023-02-29T00:00:00.000Z", "2026-02-30T00:00:00.000Z", "2026-04-30T00:00:00.000Z",
		"2026-04-31T00:00:00.000Z", "2026-12-31T00:00:00.001Z", "0000-01-01T00:00:00.000Z", "9999-12-30T00:00:00.000Z", "2026-00-10T00:00:00.000Z",
		"2026-13-10T00:00:00.000Z", "2026-01-00T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01T00:60:00.000Z", "2026-01-01T00:00:60.000Z",
		"2026-01-01T00:00:00,000Z", "2026-01-01t00:00:00.000Z", "2026-01-01T00:00:00.000z", "2026-01-01T00:00:00.00aZ", "+026-01-01T00:00:00.000Z", "2026-01-01T00:00:0-.000Z",
	} {
		want, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			want = time.Time{}
		}
		if got := readers.Time(fastjson.MustParse(`"` + text + `"`)); got != want.UTC() {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestIsCommand(t *testing.T) {
	for text, want := range map[string]bool{"/clear ": true, "/plugin:do it": true, "/": true, "/home/ann is full": false, "and/or": false, "": false} {
		if got := readers.IsCommand(text); got != want {
			t.Errorf("IsCommand(%q) = %v", text, got)
		}
	}
}

func TestObject(t *testing.T) {
	if got := readers.Object(nil); got != "" {
		t.Errorf("an empty map is %q", got)
	}
	got := readers.Object(map[string]any{"b": 1, "a": []readers.Image{readers.ImageOf("image/png", []byte("AAAA"))}})
	if want := `{"a":[{"media_type":"image/png","bytes":3}],"b":1}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestWords(t *testing.T) {
	w := readers.Interner{}
	for _, s := range []string{"a", "a", string(make([]byte, 100))} {
		if got := w.Intern([]byte(s)); got != s {
			t.Errorf("%q, want %q", got, s)
		}
	}
	if len(w) != 1 {
		t.Errorf("%d words are kept, want 1: long ones are no columns' usual values", len(w))
	}
}

func TestFolder(t *testing.T) {
	for path, want := range map[string]string{
		`c:\shop`: `C:\shop`, `C:\shop`: `C:\shop`, "d:/shop": "D:/shop", "c:": "C:",
		"/home/ann": "/home/ann", "c:shop": "c:shop", "x": "x", "": "", `\\host\c:\x`: `\\host\c:\x`, "é:/x": "é:/x",
	} {
		if got := readers.Folder(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
