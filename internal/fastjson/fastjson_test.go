package fastjson

import (
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

// texts are JSON, nearly JSON, and what other parsers refuse.
var texts = []string{
	``, ` `, `{}`, `[]`, `{"a":1}`, ` {"a" : [1, -2.5e3 ,"x\ny"] , "b":{"c":null}} `, `{"a":true,"a":false}`, `{"a":1,}`, `[1,]`, `[1 2]`,
	`{"\u0061":1,"a":2}`, `{"a\"b":1}`, `{"k":"\ud83d\ude00 \ud83d \ud83dx \ude00 \u00zz \u12 \q \/ \b\f"}`, `"a\`, `"a\"`, `"a\\"`, `"a\\\"b"`,
	`nan`, `NaN`, `-nan`, `+inf`, `inf`, `nul`, `truex`, `tru`, `01`, `1e999`, `-`, `.5`, `1.`, `--1`, `1-2`, `e`, "\"\x00\x1f\xff\"", "{\"\xff\":1}",
	`{"a":"` + strings.Repeat(`\\`, 40) + `\""}`, `{"a"}`, `{a:1}`, `{"a":}`, `{"a" 1}`, `[`, `{`, `}`, `]`, `"`, `{"a":"b`, `{"":1}`, `{"a":1}{"b":2}`, `{"a":1} x`, "\v1",
	strings.Repeat("[", MaxDepth-1) + "1" + strings.Repeat("]", MaxDepth-1), strings.Repeat("[", MaxDepth) + "1" + strings.Repeat("]", MaxDepth), strings.Repeat(`{"a":`, MaxDepth) + "[]",
	`[` + strings.Repeat(`{"k":[1,"é\n"]},`, 300) + `null]`,
}

func TestParsesAsValyalas(t *testing.T) {
	var p Parser
	for _, text := range texts {
		same(t, &p, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	var p Parser
	f.Fuzz(func(t *testing.T, text string) { same(t, &p, text) })
}

// same compares the values of a text with those of the original parser.
func same(t *testing.T, p *Parser, text string) {
	t.Helper()
	for name, parse := range map[string]func() (*Value, error){
		"a copy":   func() (*Value, error) { return p.ParseBytes([]byte(text)) },
		"in place": func() (*Value, error) { return p.ParseInPlace([]byte(text)) },
	} {
		want, refused := fastjson.Parse(text)
		got, err := parse()
		if (err != nil) != (refused != nil) {
			t.Fatalf("%s of %.200q: %v, want %v", name, text, err, refused)
		}
		if err == nil {
			equal(t, text, got, want)
		}
	}
}

func equal(t *testing.T, text string, got *Value, want *fastjson.Value) {
	t.Helper()
	if got.Type().String() != want.Type().String() {
		t.Fatalf("%.200q: a %s, want a %s", text, got.Type(), want.Type())
	}
	switch want.Type() {
	case fastjson.TypeString:
		if s := string(want.GetStringBytes()); got.GetString() != s || string(got.GetStringBytes()) != s {
			t.Fatalf("%.200q: %q, want %q", text, got.GetStringBytes(), s)
		}
	case fastjson.TypeNumber:
		if got.Digits() != want.String() || got.GetInt64() != want.GetInt64() {
			t.Fatalf("%.200q: %s, want %s", text, got.Digits(), want)
		}
	case fastjson.TypeArray:
		if len(got.GetArray()) != len(want.GetArray()) {
			t.Fatalf("%.200q: %d items, want %d", text, len(got.GetArray()), len(want.GetArray()))
		}
		for i, w := range want.GetArray() {
			equal(t, text, got.GetArray()[i], w)
		}
	case fastjson.TypeObject:
		equalObjects(t, text, got, want)
	}
}

func equalObjects(t *testing.T, text string, got *Value, want *fastjson.Value) {
	t.Helper()
	if v, err := Parse(got.Raw()); err != nil || v.GetObject().Len() != got.GetObject().Len() {
		t.Fatalf("%.200q: an object with the text %.200q: %v", text, got.Raw(), err)
	}
	if n := want.GetObject().Len(); got.GetObject().Len() != n {
		t.Fatalf("%.200q: %d keys, want %d", text, got.GetObject().Len(), n)
	}
	var keys []string
	if w := want.Get("a"); w != nil { // before escapes are resolved
		equal(t, text, got.Get("a"), w)
	} else if got.Get("a") != nil {
		t.Fatalf("%.200q: a value under a, want none", text)
	}
	want.GetObject().Visit(func(key []byte, _ *fastjson.Value) { keys = append(keys, string(key)) })
	i := 0
	got.GetObject().Visit(func(key []byte, v *Value) {
		if string(key) != keys[i] {
			t.Fatalf("%.200q: key %q, want %q", text, key, keys[i])
		}
		equal(t, text, got.Get(keys[i]), want.Get(keys[i]))
		i++
	})
}

// TestStaysValid checks that a value outlives the growth of the parser's memory, and that
// strings outlive the next text.
func TestStaysValid(t *testing.T) {
	var p Parser
	long := []byte(`{"plain":"words","escaped":"a\nb","list":[` + strings.Repeat(`{"x":["y"]},`, 500) + `7]}`)
	v, err := p.ParseInPlace(long)
	if err != nil {
		t.Fatal(err)
	}
	for i, element := range v.GetArray("list")[:500] {
		if got := element.GetString("x", "0"); got != "y" {
			t.Fatalf("element %d holds %q", i, got)
		}
	}
	plain, escaped := v.GetString("plain"), v.GetString("escaped")
	clear(long)
	if _, err := p.ParseBytes([]byte(`[{"plain":"others"}]`)); err != nil {
		t.Fatal(err)
	}
	if plain != "words" || escaped != "a\nb" {
		t.Errorf("%q and %q after the next text", plain, escaped)
	}
}

// TestChanges checks that a changed value forgets its text, and knows its new keys.
func TestChanges(t *testing.T) {
	v := MustParse(`{"a":[1,2],"b":2,"c":{"d":3}}`)
	v.Get("a").Del("0")
	v.Get("a").SetArrayItem(2, NewArray())
	v.Del("b")
	v.Del("none")
	v.Set("new", NewObject())
	v.Set("c", nil)
	var keys []string
	v.GetObject().Visit(func(key []byte, _ *Value) { keys = append(keys, string(key)) })
	if want := []string{"a", "c", "new"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	if v.Raw() != "" || v.Get("a").Raw() != "" {
		t.Errorf("changed values hold the texts %q and %q", v.Raw(), v.Get("a").Raw())
	}
	if a := v.GetArray("a"); len(a) != 3 || a[0].GetInt() != 2 || a[1].Type() != TypeNull || a[2].Type() != TypeArray {
		t.Errorf("the list has %d items", len(a))
	}
	if v.Get("new") == nil || v.Get("b") != nil || v.Get("c").Type() != TypeNull {
		t.Error("a set key is missing, or a deleted one is there")
	}
	changeable := Parser{Changeable: true}
	if v, err := changeable.Parse(`{"a":1}`); err != nil || v.Raw() != "" {
		t.Errorf("text %q, %v", v.Raw(), err)
	}
}
