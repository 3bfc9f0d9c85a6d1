package readers_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// TestDamagedLinesAreLinear: however a line is damaged, the search for whole objects
// examines at most a few times the line's bytes.
func TestDamagedLinesAreLinear(t *testing.T) {
	const object = `{"type":"a","text":"some text"}`
	for name, repeated := range map[string]string{
		"beginnings":               `{"type":`,
		"beginnings in a string":   `{"type":"`,
		"ends":                     `}`,
		"quotes":                   `"`,
		"backslashes":              `\`,
		"escaped quotes":           `\"{"type":"a"}`,
		"brackets":                 `[`,
		"NULs":                     "\x00",
		"joined":                   object,
		"joined by letters":        object + "x",
		"joined by NULs":           object + "\x00",
		"joined, and none parses":  `{"type":"a",x}`,
		"cut off":                  `{"parentUuid":null,`,
		"cut off inside an object": `{"type":"a"{"parentUuid":null}`,
	} {
		for _, before := range []string{"", "x", `"`, `{"type":`, object} {
			for _, behind := range []string{"", "x", `"`, "}", object, strings.Repeat(" ", 20_000)} {
				for _, whole := range []bool{true, false} {
					text := before + strings.Repeat(repeated, 20_000/len(repeated)) + behind
					d := new(readers.Decoder)
					d.Objects(readers.Line{Number: 1, Bytes: []byte(text), Whole: whole}, starts, func(*fastjson.Value) {}, func(*tables.Problem) {})
					if d.Looked() > 8*int64(len(text)) {
						t.Errorf("%s between %.9q and %.9q: %d bytes were looked at for a line of %d", name, before, behind, d.Looked(), len(text))
					}
				}
			}
		}
	}
}

// noughts reads as left NUL bytes.
type noughts struct{ left int }

func (n *noughts) Read(b []byte) (int, error) {
	if n.left == 0 {
		return 0, io.EOF
	}
	size := min(len(b), n.left)
	clear(b[:size])
	n.left -= size
	return size, nil
}

// TestRunsOfNULsAreNotHeld: a crash can leave a gigabyte of NUL bytes in a file. They
// are counted, but not kept in memory.
func TestRunsOfNULsAreNotHeld(t *testing.T) {
	const size = 64 << 20
	read := func() {
		var found []string
		for l, err := range readers.Lines(io.MultiReader(&noughts{size}, strings.NewReader("{\"type\":\"a\"}\nb"))) {
			if err != nil {
				t.Fatal(err)
			}
			new(readers.Decoder).Objects(l, starts,
				func(v *fastjson.Value) { found = append(found, readers.JSON(v)) },
				func(p *tables.Problem) {
					found = append(found, p.What)
					if want := map[string]int64{"NUL bytes": 0, "unfinished last line": size + 13}[p.What]; p.ByteOffset != want {
						t.Errorf("%s at %d, want %d", p.What, p.ByteOffset, want)
					}
				})
		}
		if strings.Join(found, ", ") != `NUL bytes, {"type":"a"}, unfinished last line` {
			t.Errorf("found %q", found)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 4<<20 {
		t.Errorf("%d bytes were allocated for %d NULs", bytes, size)
	}
}

// TestTooLongALine: a too long line is counted, and the lines around it are read.
func TestTooLongALine(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	var found []readers.Line
	for l, err := range readers.LinesUpTo(strings.NewReader("a\n"+long+"\nb"), 1<<20) {
		if err != nil {
			t.Fatal(err)
		}
		l.Bytes = []byte(string(l.Bytes))
		found = append(found, l)
	}
	if len(found) != 3 || string(found[0].Bytes) != "a" || string(found[2].Bytes) != "b" || found[2].Offset != 3+int64(len(long)) {
		t.Fatalf("found %d lines: %.300v", len(found), found)
	}
	if l := found[1]; l.Length != int64(len(long))+1 || len(l.Bytes) != readers.ExcerptBytes {
		t.Errorf("it has %d bytes, of which %d are there", l.Length, len(l.Bytes))
	}
	var problems []string
	new(readers.Decoder).Objects(found[1], starts, func(*fastjson.Value) { t.Error("an object") }, func(p *tables.Problem) { problems = append(problems, p.What) })
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "a line of 3145729 bytes: ") {
		t.Errorf("problems %q", problems)
	}
}

// TestManyValues: lists with too many values are kept as text, and the rest of the line
// is read as usual.
func TestManyValues(t *testing.T) {
	many := strings.Repeat(`{"n":1,"t":"a\"\\"},`, 120_000)
	list := "[" + many + "0]"
	text := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(list)
	for name, test := range map[string]struct{ line, want string }{
		"deep":        {`{"type":"a","m":{"c":[{"x":` + list + `,"y":[1]}]}}`, `{"type":"a","m":{"c":[{"x":"` + text + `","y":[1]}]}}`},
		"a content":   {`{"type":"a","m":{"c":` + list + `},"n":2}`, `{"type":"a","m":{"c":"` + text + `"},"n":2}`},
		"at the top":  {`{"type":"a","m":` + list + `}`, `{"type":"a","m":"` + text + `"}`},
		"in itself":   {`{"type":"a","m":{"c":[{"x":[` + list + `,` + strings.Repeat("1,", 20_000) + `2]}]}}`, ""},
		"all over":    {`{"type":"a",` + strings.Repeat(`"k":1,`, 300_000) + `"m":2}`, "error"},
		"not at once": {`{"type":"a","m":{"c":` + list, "error"},
	} {
		got, words, err := readers.Fold([]byte(test.line))
		if test.want == "error" {
			if err == nil || words == "" {
				t.Errorf("%s: %q, error %v", name, words, err)
			}
			continue
		}
		if err != nil || test.want != "" && got != test.want {
			t.Errorf("%s: %v, %.100s", name, err, got)
		}
		if _, err := fastjson.Parse(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	found := objects(`{"type":"a","m":`+list+`}`+`{"type":"b"}`, true)
	if len(found) != 4 || !strings.HasPrefix(found[0], "100 360004 values: ") || found[1] != `{"type":"a","m":"`+text+`"}` || found[3] != `{"type":"b"}` {
		t.Errorf("found %.100q", found)
	}
	found = objects(`{"type":"a",`+strings.Repeat(`"k":1,`, 300_000)+`"m":2}`, true)
	if len(found) != 1 || !strings.HasPrefix(found[0], "100 300003 values in 1800018 bytes: ") {
		t.Errorf("found %.100q", found)
	}
}

// TestManyValuesInADocument: a document with too many values to parse at once is read
// record by record, without loss.
func TestManyValuesInADocument(t *testing.T) {
	record := func(id string) string { return `{"id":"` + id + `","l":[` + strings.Repeat("1,", 150_000) + `2]}` }
	around := []string{`{"id":"x","other":{"list":[7]},"list":[`, `],"behind":1}`}
	got := told(t, "list", around[0]+record("a")+","+record("b")+around[1])
	if len(got) != 3 || got[0] != "head x" || got[1] != record("a") || got[2] != record("b") {
		t.Errorf("told %.200q", got)
	}
	got = told(t, "", "["+record("a")+","+record("b")+"]")
	if len(got) != 2 || got[1] != record("b") {
		t.Errorf("told %.200q", got)
	}
	got = told(t, "list", around[0]+record("a")+","+record("b")+`,{"id":`)
	if len(got) != 4 || got[0] != "head x" || !strings.HasSuffix(got[3], "unfinished document") {
		t.Errorf("cut: told %.200q", got)
	}
	got = told(t, "list", around[0]+record("a")+","+record("b")+`,{"id":!}`+around[1])
	if len(got) != 4 || !strings.HasSuffix(got[3], "bad JSON") {
		t.Errorf("damaged: told %.200q", got)
	}
	got = told(t, "none", `{"id":"x","m":`+record("a")+`,"n":`+record("b")+`}`)
	if len(got) != 2 || !strings.HasPrefix(got[0], "problem at 1:0: 300") || got[1] != "head x" {
		t.Errorf("no list: told %.200q", got)
	}
}

// TestLinesOfIDsThatAreNotThere: if the text doesn't hold the ids that RecordLines
// looks for, it is searched only a few times, not once for each id.
func TestLinesOfIDsThatAreNotThere(t *testing.T) {
	rows := readers.NewRecordLines([]byte("{\"id\":\"a\"}\n{\"id\":\"b\"}"))
	for range 100 {
		if row := rows.Find([]byte("none")); row != 1 {
			t.Fatalf("it is on line %d", row)
		}
	}
	if row := rows.Find([]byte("b")); row != 1 {
		t.Errorf("it was looked for once more, and is on line %d", row)
	}
}

func FuzzDocument(f *testing.F) {
	for _, seed := range []string{`{"id":"x","list":[{"a":1},2]}`, `{"list":[{"a":`, "\x00\x00", `{"other":{"list":[1]},"list":{}}`, "[", `{"list"`} {
		f.Add(seed, "list")
		f.Add(seed, "")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		told := 0
		in := &readers.Input{
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
			Emit: func(e tables.Event) {
				told++
				if p := e.(*tables.Problem); p.ByteOffset > int64(len(text)) || p.Line < 1 || len(p.Excerpt) > readers.ExcerptBytes {
					t.Errorf("bad problem: %+v", p)
				}
			},
		}
		err := readers.Document(in, key, func(*fastjson.Value, []byte) { told++ }, func(*fastjson.Value) { told++ })
		if err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("error %v", err)
		}
		if told == 0 {
			t.Errorf("%q: neither a record nor a problem", text)
		}
	})
}
