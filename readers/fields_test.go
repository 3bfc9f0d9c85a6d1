package readers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

const someFields = `*
	type at content/
message
	text usage.tokens parts[].kind files.*.size open.more
note
`

func TestFields(t *testing.T) {
	for record, want := range map[string][]string{
		`{"type":"message","at":1,"text":"x","usage":{"tokens":1}}`: nil,
		`{"type":"message","content":{"anything":{"at":"all"}}}`:    nil, // "content/" is closed
		`{"mood":"calm!"}`:                                                {"1 × mood string of 5 bytes"},
		`{"usage":{"tokens":1,"thoughts":[1,2]}}`:                         {"1 × usage.thoughts array of 2"},
		`{"parts":[{"kind":"a"},{"kind":"b","colour":true}]}`:             {"1 × parts[].colour boolean"},
		`{"text":[{"kind":"a"}]}`:                                         {"1 × text[] object of 1 keys"},
		`{"files":{"src/a.go":{"size":1},"b.go":{"size":1,"mode":null}}}`: {"1 × files.*.mode null"},
		`{"usage":{"5f0c2a":1,"0191-ab":2}}`:                              {"2 × usage.* number"},
		`{"open":{"more":{"a":{"b":1}}}}`:                                 {"1 × open.more.a object of 1 keys"},
	} {
		var got []string
		fields := parseFields(someFields)
		v := fastjson.MustParse(record)
		var met unknownFields
		fields.kinds["message"].findUnknown(v, 1, &met)
		for _, f := range met.order {
			got = append(got, fmt.Sprintf("%d × %s %s", f.Lines, f.Field, f.Example))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", record, diff)
		}
	}
}

// TestKeyTable checks that a table finds its keys and no others, as a map does.
func TestKeyTable(t *testing.T) {
	fields := map[string]*field{}
	for _, key := range []string{"", "a", "b", "ab", "ba", "aab", "abb", "id", "uuid", "é"} {
		fields[key] = &field{path: key}
	}
	table := newKeyTable(fields)
	for _, key := range []string{"", "a", "b", "ab", "ba", "aab", "abb", "id", "uuid", "é", "c", "bab", "bba", "di", "uid", "\xff"} {
		if got := table.field(key); got != fields[key] {
			t.Errorf("%q: %v, want %v", key, got, fields[key])
		}
	}
	if got := newKeyTable(nil).field("a"); got != nil {
		t.Errorf("a field %v of no keys", got)
	}
}

// TestKindsRecordWhatIsNew: an unknown field and a newer version are recorded once for each
// log. The note has the field's type, never a value.
func TestKindsRecordWhatIsNew(t *testing.T) {
	list := parseFields(someFields)
	k := NewKinds(&Input{fields: list, tested: "2.1.9"})
	secret := fastjson.MustParse(`{"key":"hunter2hunter2"}`)
	for _, version := range []string{"2.1.10", "2.1.9", "2.1.10", "2.0.99"} {
		k.Record(secret, "message", true, version, time.Time{})
	}
	k.Record(secret, "unheard of", false, "2.1.9", time.Time{})
	k.Record(secret, "never seen", true, "2.1.9", time.Time{})
	var got []tables.RecordField
	k.Emit(func(e tables.Event) {
		if f, ok := e.(*tables.RecordField); ok {
			got = append(got, *f)
		}
	})
	want := []tables.RecordField{
		{Kind: "message", Field: "key", FirstVersion: "2.0.99", Lines: 4, Example: "string of 14 bytes"},
		{Kind: tables.FieldNewerVersion, Field: "2.1.10", FirstVersion: "2.1.10", Lines: 2, Example: "newest tested: 2.1.9"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFieldsOfOneLogAreBounded: a log in which every key is different gets only a
// limited number of rows about unknown fields.
func TestFieldsOfOneLogAreBounded(t *testing.T) {
	k := NewKinds(&Input{fields: parseFields(someFields)})
	for i := range 2 * fieldsOfFile {
		name := string(slices.Repeat([]byte{byte('a' + i%26)}, 1+i/26))
		k.Record(fastjson.MustParse(fmt.Sprintf(`{%q:1}`, name)), "note", true, "", time.Time{})
	}
	if n := len(k.unknown.order); n > fieldsOfFile {
		t.Errorf("%d fields noted, at most %d wanted", n, fieldsOfFile)
	}
}
