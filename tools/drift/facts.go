package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed scenarios
var scenarioFiles embed.FS

// A fact is a number or a row of a recording: a key, and parts with | in between. In a wanted fact, a/b is a or b, and * any text.
type fact struct{ key, value string }

func (f fact) String() string { return strings.TrimSpace(f.key + " " + f.value) }

// numbers are counts and sums. A number is compared if the scenario's file names it. Of
// rows, no line means no row.
var numbers = []string{"sessions", "prompts", "calls", "nested_calls", "pending", "input_tokens", "output_tokens"}

// rowKeys are the keys of rows. unknown_kind and unknown_field are kinds and fields
// that hindsql doesn't know.
var rowKeys = []string{"refused", "granted", "stop", "compaction", "clear", "error", "problem", "unknown_kind", "unknown_field"}

// A scenario holds the facts that a recording must give.
type scenario struct {
	facts  []fact
	cannot string // why it isn't run; empty if it is
}

// readScenario reads a scenario's file of an agent.
func readScenario(agent, name string) (scenario, error) {
	path := "scenarios/" + agent + "/" + name + ".txt"
	text, err := scenarioFiles.ReadFile(path)
	if err != nil {
		return scenario{}, err
	}
	s, err := parseScenario(string(text))
	if err != nil {
		return s, fmt.Errorf("tools/drift/%s: %w", path, err)
	}
	return s, nil
}

// parseScenario reads lines of key and value. A line with # is for people.
func parseScenario(text string) (scenario, error) {
	var s scenario
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		switch {
		case key == "cannot" && value != "":
			s.cannot = value
		case slices.Contains(numbers, key), slices.Contains(rowKeys, key):
			s.facts = append(s.facts, fact{key, strings.TrimSpace(value)})
		default:
			return s, fmt.Errorf("%s: the keys are cannot, %s, %s", key, strings.Join(numbers, ", "), strings.Join(rowKeys, ", "))
		}
	}
	if (s.cannot == "") == (len(s.facts) == 0) {
		return s, fmt.Errorf("it needs facts, or why it can't run")
	}
	return s, nil
}

// An outcome is the comparison of a recording with its scenario.
type outcome struct {
	right   int
	missing []fact // wanted and not there
	extra   []fact // there and not wanted
	unknown []fact // unknown kinds and fields that aren't wanted
}

// compare matches facts with wanted facts, one to one.
func compare(wanted, got []fact) outcome {
	var o outcome
	owner := make([]int, len(got)) // index of the line that has the fact, or -1
	for i := range owner {
		owner[i] = -1
	}
	var place func(w int, seen []bool) bool
	place = func(w int, seen []bool) bool {
		for g := range got {
			if seen[g] || !fits(wanted[w], got[g]) {
				continue
			}
			seen[g] = true
			if owner[g] < 0 || place(owner[g], seen) {
				owner[g] = w
				return true
			}
		}
		return false
	}
	for w := range wanted {
		if place(w, make([]bool, len(got))) {
			o.right++
		} else {
			o.missing = append(o.missing, wanted[w])
		}
	}
	for g, f := range got {
		switch {
		case owner[g] >= 0 || slices.Contains(numbers, f.key):
		case strings.HasPrefix(f.key, "unknown_"):
			o.unknown = append(o.unknown, f)
		default:
			o.extra = append(o.extra, f)
		}
	}
	return o
}

// fits reports whether a fact matches a wanted fact.
func fits(wanted, got fact) bool {
	w, g := strings.Split(wanted.value, "|"), strings.Split(got.value, "|")
	if wanted.key != got.key || len(w) != len(g) {
		return false
	}
	for i := range w {
		if w[i] != "*" && !slices.Contains(strings.Split(w[i], "/"), g[i]) {
			return false
		}
	}
	return true
}
