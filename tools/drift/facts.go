package main

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

//go:embed scenarios
var scenarioFiles embed.FS

// A fact is a number or a row of a recording: a key, and parts with | in between. In a
// wanted fact, a/b is a or b, and * any text.
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

//go:embed facts.sql
var factsSQL string

// loaded returns the facts of the logs in a home folder, by the program binary.
func loaded(ctx context.Context, binary, home string) ([]fact, error) {
	scratch, err := os.MkdirTemp("", "hindsql-drift-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	cmd := exec.CommandContext(ctx, binary, "--no-init", "--store", filepath.Join(scratch, "store.duckdb"), "--format", "ndjson", "-c", factsSQL)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "XDG_CONFIG_HOME=" + scratch, "XDG_STATE_HOME=" + scratch, "XDG_CACHE_HOME=" + scratch}
	var wrong strings.Builder
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("hindsql: %w: %s", err, strings.TrimSpace(wrong.String()))
	}
	return parseFacts(string(out))
}

func parseFacts(text string) ([]fact, error) {
	var facts []fact
	for line := range strings.Lines(text) {
		var row struct{ Key, Value string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, fmt.Errorf("hindsql's answer: %w", err)
		}
		facts = append(facts, fact{row.Key, row.Value})
	}
	return facts, nil
}

// lastFile has the table of the last run of all agents and scenarios. It is committed.
const lastFile = "last.txt"

// keepTable writes the table of a whole run to a file, below the day of the run.
func keepTable(path string, day time.Time, verdicts []*verdict) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "make drift, %s\n\n", day.UTC().Format(time.DateOnly))
	printTable(&text, verdicts)
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// printTable writes the table, a row for each agent, and all differences below.
func printTable(w io.Writer, verdicts []*verdict) {
	rows := [][]string{{"agent", "tested", "newest", "scenarios run", "rows right", "unknown"}}
	for _, v := range verdicts {
		rows = append(rows, v.row())
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			if i < len(row)-1 {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))+2))
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
	for _, v := range verdicts {
		for i, remark := range v.remarks {
			if i == 0 {
				fmt.Fprintf(w, "\n%s\n", v.agent.title)
			}
			fmt.Fprintln(w, "    "+remark)
		}
	}
}

// row returns the cells of an agent's row.
func (v *verdict) row() []string {
	row := []string{v.agent.title, v.tested, cmp.Or(v.newest, "–")}
	switch {
	case v.cannot != "":
		return append(row, "can't: "+v.cannot)
	case v.compared != "":
		return append(row, v.compared)
	}
	ran, right := fmt.Sprintf("%d of %d", v.ran, v.of), fmt.Sprintf("%d of %d", v.right, v.wanted)
	if v.extra > 0 {
		right += fmt.Sprintf(", %d more", v.extra)
	}
	return append(row, ran, right, v.unknownCount())
}

func (v *verdict) unknownCount() string {
	kinds := 0
	for f := range v.unknown {
		if f.key == "unknown_kind" {
			kinds++
		}
	}
	if len(v.unknown) == 0 {
		return "–"
	}
	return fmt.Sprintf("kinds: %d, fields: %d", kinds, len(v.unknown)-kinds)
}

// drifted reports whether anything of the agent differs from the scenarios.
func (v *verdict) drifted() bool {
	return v.cannot != "" || v.ran < v.of || v.right < v.wanted || v.extra > 0 || len(v.unknown) > 0
}
