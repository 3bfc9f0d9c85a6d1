package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestScenarios checks that each driven agent has a file and keys for each scenario, or
// says why it can't run.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, a := range agents {
		if _, err := tested("../..", a.title); err != nil {
			t.Error(err)
		}
		for _, name := range scenarios {
			if a.compared != "" {
				continue
			}
			s, err := readScenario(a.name, name)
			if err != nil {
				t.Error(err)
			} else if (s.cannot == "") != (len(a.keys[name]) > 0) {
				t.Errorf("%s %s: keys and the line cannot exclude each other", a.name, name)
			}
		}
	}
}

func TestParseScenario(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# a note\n\nprompts 1\nclear":    "[prompts 1 clear]",
		"cannot it asks nothing":          "[] it asks nothing",
		"prompt 1":                        "prompt: the keys are cannot, sessions",
		"# nothing":                       "it needs facts, or why it can't run",
		"cannot it asks nothing\ncalls 1": "it needs facts, or why it can't run",
	} {
		s, err := parseScenario(text)
		got := strings.TrimSpace(fmt.Sprintf("%v %s", s.facts, s.cannot))
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	parse := func(lines ...string) []fact {
		var facts []fact
		for _, line := range lines {
			key, value, _ := strings.Cut(line, " ")
			facts = append(facts, fact{key, value})
		}
		return facts
	}
	tests := []struct {
		name        string
		wanted, got []fact
		want        string
	}{
		{"equal", parse("calls 1", "stop user|response"), parse("calls 1", "prompts 1", "stop user|response"), "2 right [] [] []"},
		{"a number", parse("calls 1"), parse("calls 2"), "0 right [calls 1] [] []"},
		{"a row that isn't wanted", parse("calls 1"), parse("calls 1", "stop user|tool"), "1 right [] [stop user|tool] []"},
		{"alternatives and anything", parse("granted Bash|user|once/", "refused Bash|*|no"), parse("granted Bash|user|", "refused Bash|rule|no"), "2 right [] [] []"},
		{"a matching, not the first that fits", parse("clear recorded/inferred", "clear recorded"), parse("clear recorded", "clear inferred"), "2 right [] [] []"},
		{"a row for each line", parse("compaction manual", "compaction manual"), parse("compaction manual"), "1 right [compaction manual] [] []"},
		{"other parts", parse("stop user"), parse("stop user|tool"), "0 right [stop user] [stop user|tool] []"},
		{"unknown", parse("unknown_field user old"), parse("unknown_field user old", "unknown_field user new", "unknown_kind note"), "1 right [] [] [unknown_field user new unknown_kind note]"},
	}
	for _, test := range tests {
		o := compare(test.wanted, test.got)
		if got := fmt.Sprintf("%d right %v %v %v", o.right, o.missing, o.extra, o.unknown); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	drifted := &verdict{agent: &agent{title: "One"}, tested: "1.0", newest: "1.1", of: 2, unknown: map[fact]bool{}}
	drifted.add("esc", []fact{{"prompts", "1"}, {"stop", "user|response"}}, []fact{{"prompts", "2"}, {"stop", "user|response"}, {"clear", "recorded"}, {"unknown_kind", "note"}})
	verdicts := []*verdict{drifted, {agent: &agent{title: "Two"}, tested: "2.0", cannot: "npm view: 404 Not Found"}, {agent: &agent{title: "Three"}, tested: "3.0", compared: "recordings of 3.0"}}
	var b strings.Builder
	printTable(&b, verdicts)
	want := `agent  tested  newest  scenarios run  rows right      unknown
One    1.0     1.1     1 of 2         1 of 2, 1 more  kinds: 1, fields: 0
Two    2.0     –       can't: npm view: 404 Not Found
Three  3.0     –       recordings of 3.0

One
    esc: prompts 2, not 1
    esc: clear recorded isn't wanted
    esc: unknown_kind note
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if err := summed(verdicts); err == nil || err.Error() != "not as wanted: One, Two" {
		t.Error(err)
	}
}

// TestLastTable checks that the kept table of the last whole run has a row for each agent.
func TestLastTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), lastFile)
	if err := keepTable(path, time.Date(2026, 11, 27, 23, 0, 0, 0, time.FixedZone("", -3600)), []*verdict{{agent: &codex, newest: "9.1", ran: 6, of: 6, right: 2, wanted: 3}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if want := "make drift, 2026-11-28\n\nagent  tested  newest  scenarios run  rows right  unknown\nCodex          9.1     6 of 6         2 of 3      –\n"; err != nil || string(text) != want {
		t.Errorf("%v\n%s, want\n%s", err, text, want)
	}
	last, err := os.ReadFile(lastFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range agents {
		if !strings.Contains(string(last), "\n"+a.title+" ") {
			t.Errorf("%s: no row of %s: a whole run of make drift writes the file", lastFile, a.title)
		}
	}
}
