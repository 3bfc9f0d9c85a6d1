package gemini

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/internal/words"
	"hindsql/readers"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

// TestStartsKeepTheirIDs: if a file holds several sessions, their ids stay the same
// while the file grows.
func TestStartsKeepTheirIDs(t *testing.T) {
	data, err := os.ReadFile("testdata/starts.txtar")
	if err != nil {
		t.Fatal(err)
	}
	log := txtar.Parse(data).Files[0]
	sessions := func(text string) []string {
		var ids []string
		for _, e := range readertest.EventsOf(Reader, log.Name, text) {
			if s, ok := e.(*tables.Session); ok {
				ids = append(ids, s.SessionID)
			}
		}
		return ids
	}
	whole := sessions(string(log.Data))
	if len(whole) != 3 || len(slices.Compact(slices.Sorted(slices.Values(whole)))) != 3 {
		t.Fatalf("sessions %q, want three of their own", whole)
	}
	for at := range log.Data {
		if got := sessions(string(log.Data[:at])); len(got) > 3 || !slices.Equal(got, whole[:len(got)]) {
			t.Fatalf("after %d bytes: %q, later %q", at, got, whole)
		}
	}
}

func TestSubagentTitle(t *testing.T) {
	const prompt = "Look at\nthe tests."
	for summary, want := range map[string]string{
		`{"response": "All is \"well\".\nReally."}`: `All is "well". Really.`,
		`{"a": 1, "report":"Three places: x\`:       "Three places: x",
		`{"report":"Umlaut \u00e4 and \u00...`:      "Umlaut ä and",
		`{"response": ""}`:                          "Look at the tests.",
		`{"answer": "the response is not here"}`:    "Look at the tests.",
		"plain words":                               "Look at the tests.",
		"":                                          "Look at the tests.",
		`{"response": "` + strings.Repeat("long ", 40) + `..."}`: words.Line(strings.Repeat("long ", 40), titleLength),
	} {
		c := newFile(&readers.Input{}, place{parent: "p"}).current
		c.facts.title = summary
		c.entries = append(c.entries, &entry{kind: "user", Message: tables.Message{Text: prompt}})
		if got := c.subagentTitle(); got != want {
			t.Errorf("%s: %q, want %q", summary, got, want)
		}
	}
}
