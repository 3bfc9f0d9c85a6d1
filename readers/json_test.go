package readers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

var starts = []string{`{"type":"`, `{"parentUuid":`}

// objects returns the objects on a line as JSON, and each problem as "offset what".
func objects(text string, whole bool) []string {
	var found []string
	line := readers.Line{Number: 7, Offset: 100, Bytes: []byte(text), Whole: whole}
	new(readers.Decoder).Objects(line, starts,
		func(v *fastjson.Value) { found = append(found, readers.JSON(v)) },
		func(p *tables.Problem) { found = append(found, fmt.Sprintf("%d %s", p.ByteOffset, p.What)) })
	return found
}

func TestObjects(t *testing.T) {
	const a, b = `{"type":"a","text":"}{\"x"}`, `{"type":"b"}`
	for _, test := range []struct {
		name, line string
		want       []string
	}{
		{"one", a, []string{a}},
		{"spaces around", " \t" + b + " \r", []string{b}},
		{"joined", a + b, []string{a, "127 several objects on one line; this one was read too", b}},
		{"joined with a space", b + " " + b, []string{b, "112 several objects on one line; this one was read too", b}},
		{"three", b + b + b, []string{b, "112 several objects on one line; this one was read too", b, "124 several objects on one line; this one was read too", b}},
		{"truncated, then whole", `{"type":"a","prNu` + b, []string{"100 bad JSON", b}},
		{"truncated, then two", `{"type":"a","prNu` + b + a, []string{"100 bad JSON", b, "129 several objects on one line; this one was read too", a}},
		{"truncated where a value comes", `{"type":"a","x":` + b, []string{"100 bad JSON", b}},
		{"whole, then truncated", b + `{"type":"a`, []string{b, "112 bad JSON"}},
		{"truncated", `{"type":"a","te`, []string{"100 bad JSON"}},
		{"NULs", "\x00\x00\x00", []string{"100 NUL bytes"}},
		{"NULs, then whole", "\x00\x00" + b, []string{"100 NUL bytes", b}},
		{"whole, then NULs", b + "\x00\x00", []string{b, "112 NUL bytes"}},
		{"NULs between", b + "\x00" + b, []string{b, "112 NUL bytes", b}},
		{"NULs inside", "{\"type\":\"a\x00\x00\"", []string{"100 bad JSON, with NUL bytes"}},
		{"scalar", "42", []string{"100 not a JSON object"}},
		{"null", "null", []string{"100 not a JSON object"}},
		{"array", "[" + b + "]", []string{"100 not a JSON object"}},
		{"text", "bad", []string{"100 bad JSON"}},
		{"only brackets", "}}]{", []string{"100 bad JSON"}},
		{"an unknown beginning after damage", `{"typ` + `{"z":1}`, []string{"100 bad JSON"}},
		{"control character in a string", "{\"a\":\"x\ty\"}", []string{`{"a":"x\ty"}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, objects(test.line, true)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnfinishedLine: a last line that the agent is still writing is one problem, even
// if it already contains a whole object.
func TestUnfinishedLine(t *testing.T) {
	const line = `{"type":"a","list":[{"type":"b"},{"type":"c","d":{"type":"e"}}],"f":{"type":"g","h":"[,:"}}`
	for n := 1; n < len(line); n++ {
		if diff := cmp.Diff([]string{"100 unfinished last line"}, objects(line[:n], false)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line[:n], diff)
		}
	}
	if diff := cmp.Diff([]string{line}, objects(line, false)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"100 bad JSON", `{"type":"b"}`}, objects(`{"type":"a","x":"y{"type":"b"}`, false)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProblemQuotesTheDamage(t *testing.T) {
	for in, want := range map[string]string{
		"bad":                                "bad",
		"b\x00d \xff":                        `b\0d `,
		strings.Repeat("x", 500):             strings.Repeat("x", readers.ExcerptBytes),
		strings.Repeat("x", 199) + "é":       strings.Repeat("x", 199),
		strings.Repeat("\x00", 500) + "text": strings.Repeat(`\0`, readers.ExcerptBytes/2),
	} {
		new(readers.Decoder).Objects(readers.Line{Number: 7, Bytes: []byte(in)}, nil, nil, func(p *tables.Problem) {
			if p.Excerpt != want || p.Line != 7 {
				t.Errorf("%.20q: line %d, excerpt %q, want 7, %q", in, p.Line, p.Excerpt, want)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	deep := strings.Repeat("[", 250) + strings.Repeat("]", 250)
	key := strings.Repeat("k", 1<<20)
	for in, want := range map[string]string{
		`{"a":[1,-2.5e+7,true,false,null,"x",{}]}`: ``,
		deep:                       ``,
		`{"` + key + `":1}`:        ``,
		`{"a":1,"a":2}`:            ``,
		`"é😀\u00e9\ud83d\ude00"`:   `"é😀é😀"`,
		`"\"\\\/\b\f\n\r\t\u0000"`: `"\"\\/\u0008\u000c\n\r\t\u0000"`,
		"\"tab\there\"":            `"tab\there"`,
		`"\ud800"`:                 `"\\ud800"`,
		`"\ud800x"`:                `"\\ud800x"`,
		`"\ud800\u0041"`:           "\"\uFFFD\"",
		`"\udc00\ud800"`:           "\"\uFFFD\"",
		`"\x \u12 \uzzzz"`:         `"\\x \\u12 \\uzzzz"`,
		"\"\xff\xc3(\"":            "\"\uFFFD(\"",
		"\"\xed\xa0\x80\"":         "\"\uFFFD\"",
		"{\"\xff\\n\":1}":          "{\"\uFFFD\\n\":1}",
		`[01,.5,1.,+1,-,1e,1e999]`: `["01",".5","1.","+1","-","1e","1e999"]`,
		`[nan,-inf,Infinity]`:      ``,
		`[0,-0,0.5,0e1,1E5,10]`:    ``,
		`[0.1]`:                    ``, `[00]`: `["00"]`, `[-01]`: `["-01"]`, `[- ]`: `["-"]`, `[ 1]`: `[1]`, `{"a": "b"}`: `{"a":"b"}`,
		`["\u001f\b\t","\u000a","\u001F","\/"]`:                            `["\u001f\u0008\t","\n","\u001f","/"]`,
		`["12345678","1234567\"","123456\\8","é2345678ü","1234567\u00e9"]`: `["12345678","1234567\"","123456\\8","é2345678ü","1234567é"]`,
		"[\"1234567\n9\",\"12345678\xff\"]":                                "[\"1234567\\n9\",\"12345678\uFFFD\"]",
		`[` + strings.Repeat("9", 310) + `]`:                               `["` + strings.Repeat("9", 310) + `"]`,
		`[1..2,1-2,--1,1.5.5]`:                                             `["1..2","1-2","--1","1.5.5"]`,
	} {
		v, err := fastjson.Parse(in)
		if err != nil {
			continue // JSON never gets text that fastjson rejects
		}
		got := readers.JSON(v)
		if anew, err := (&fastjson.Parser{Changeable: true}).Parse(in); err != nil || readers.JSON(anew) != got {
			t.Errorf("%.80s: %.80s if copied, %.80s if made anew: %v", in, got, readers.JSON(anew), err)
		}
		if want == "" && !strings.Contains(in, "inf") {
			want = in
		}
		if want != "" && got != want {
			t.Errorf("%.80s: %.80s, want %.80s", in, got, want)
		}
		if !json.Valid([]byte(got)) || !utf8.ValidString(got) {
			t.Errorf("%.80s: not JSON: %.80s", in, got)
		}
	}
	if got := readers.JSON(nil); got != "" {
		t.Errorf("nothing: %q, want an empty string", got)
	}
}

func TestTooDeep(t *testing.T) {
	deep := `{"type":"a","x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}"
	if diff := cmp.Diff([]string{"100 bad JSON"}, objects(deep, true)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestText(t *testing.T) {
	v := fastjson.MustParse(`{"a":{"b":"x\ud800"},"n":1,"nil":null}`)
	for keys, want := range map[string]string{"a b": `x\ud800`, "a": "", "n": "", "nil": "", "a b c": "", "gone": ""} {
		if got := readers.Text(v, strings.Fields(keys)...); got != want {
			t.Errorf("%s: %q, want %q", keys, got, want)
		}
	}
}

func TestInt(t *testing.T) {
	none := tables.Maybe[int64]{}
	for in, want := range map[string]tables.Maybe[int64]{
		"0": tables.Some(int64(0)), "-7": tables.Some(int64(-7)), "9223372036854775807": tables.Some(int64(1<<63 - 1)),
		"1.9": tables.Some(int64(1)), "1e3": tables.Some(int64(1000)), "1e300": none, "-1e300": none, "nan": none, "inf": none,
		`"1"`: none, "null": none, "true": none, "99999999999999999999": none,
	} {
		v, err := fastjson.Parse(`{"n":` + in + `}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := readers.Int(v, "n"); got != want {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
	if got := readers.Int(fastjson.MustParse("{}"), "n"); got != none {
		t.Errorf("nothing: %v", got)
	}
}

func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		`{"type":"a"}{"type":"b"}`, "\x00{\"type\":\"a\"}\x00", `{"type":"a","x{"parentUuid":1}`,
		`{"a":"\ud800\u0041\udc00 \x","n":[1.,01,-inf,nan,1e999]}`, "{\"\xff\":\"\xed\xa0\x80\x01\"}",
	} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, whole bool) {
		line := readers.Line{Number: 1, Bytes: []byte(text), Whole: whole}
		found := 0
		new(readers.Decoder).Objects(line, starts, func(v *fastjson.Value) {
			found++
			if got := readers.JSON(v); !json.Valid([]byte(got)) || !utf8.ValidString(got) {
				t.Errorf("not JSON: %q", got)
			}
			if slow, err := (&fastjson.Parser{Changeable: true}).Parse(v.Raw()); err != nil || readers.JSON(slow) != readers.JSON(v) {
				t.Errorf("%q: %q if copied, %q if made anew: %v", v.Raw(), readers.JSON(v), readers.JSON(slow), err)
			}
			readers.Int(v, "n")
		}, func(p *tables.Problem) {
			found++
			if !utf8.ValidString(p.Excerpt) || len(p.Excerpt) > readers.ExcerptBytes || p.ByteOffset > int64(len(text)) {
				t.Errorf("bad problem: %+v", p)
			}
		})
		if found == 0 && strings.Trim(text, " \t\r\n\x00") != "" {
			t.Errorf("%q: neither object nor problem", text)
		}
	})
}
