package readertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/readers"
)

const (
	deepToy = "Made up.\n-- logs/a.jsonl --\n" + `{"id":"1","role":"user","a":{"b":{"c":1}},"list":[{"x":1}]}` + "\n"
	newToy  = "Made up.\n-- logs/b.jsonl --\n" + `{"id":"2","role":"robot","z":1}` + "\n-- want/file_fields --\n"
)

// samplesOf writes samples of the toy into a folder of their own.
func samplesOf(t *testing.T, texts ...string) (dir string, logs []*log) {
	t.Helper()
	dir = t.TempDir()
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".txtar"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range readSamples(t, dir, toy(), Options{}) {
		logs = append(logs, s.logs...)
	}
	return dir, logs
}

// TestFieldsAreLearntAtOnce: one run lists the fields of every depth, and nothing of a
// sample about unknown fields.
func TestFieldsAreLearntAtOnce(t *testing.T) {
	dir, logs := samplesOf(t, deepToy, newToy)
	path := filepath.Join(dir, fieldsFile)
	for range 2 { // the second run changes nothing
		if err := addFields(path, logs); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "user\n\ta a.b a.b.c id list list[] list[].x role\n" {
			t.Errorf("%v\n%s", err, got)
		}
	}
}

// TestUselessListsAreCaught: an empty list is wrong, and so is a list without a kind
// that only a sample about unknown fields has.
func TestUselessListsAreCaught(t *testing.T) {
	_, logs := samplesOf(t, deepToy, newToy)
	for list, want := range map[string][]string{
		"":                                   {"user: a known kind", "robot: a known kind"},
		"robot\nuser\n\ta/ id list/ role\n":  nil,
		"user\n\ta/ id list/ role\n":         {"show it in a sample without want/file_fields"},
		"robot\nuser\n\ta id list/ role\n":   {"unknown field a.b "},
		"*\n\tid role\nrobot\nuser\n\tlist/": {"unknown field a "},
	} {
		got := unlistedIn(logs, readers.Fields(list)()).problems()
		if len(got) != len(want) {
			t.Errorf("%q: %q, want %q", list, got, want)
			continue
		}
		for i, text := range want {
			if !strings.Contains(got[i], text) {
				t.Errorf("%q: %q, want %q", list, got[i], text)
			}
		}
	}
}

// TestSectionsOfUnknownFields: -update fills a section for unknown fields, and never adds
// one. Both samples get the other sections.
func TestSectionsOfUnknownFields(t *testing.T) {
	dir, _ := samplesOf(t, strings.TrimSuffix(newToy, "-- want/file_fields --\n"), newToy)
	reader := toy()
	reader.Fields = readers.Fields("robot\n\tid role\n")
	for i, s := range readSamples(t, dir, reader, Options{}) {
		s.rewrite(t, s.rows())
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(text), "-- want/file_fields --\nkind: robot\nfield: z\n"); has != (i == 1) || !strings.Contains(string(text), "want/messages") {
			t.Errorf("%s:\n%s", s.path, text)
		}
	}
}
