package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/whole"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/readers/all"
	"hindsql/readers/sample"
	"hindsql/tables"
)

var update = flag.Bool("update", false, "rewrite the golden files; look at the difference before you commit it")

// outside returns the environment of a command in a test: a new home folder, and no
// terminal.
func outside(t *testing.T, args ...string) (e environment, stdout, stderr *strings.Builder) {
	t.Helper()
	home := t.TempDir()
	stdout, stderr = &strings.Builder{}, &strings.Builder{}
	return environment{
		args:      args,
		streams:   streams{stdin: strings.NewReader(""), stdout: stdout, stderr: stderr},
		variables: variables{getenv: cachedIn(filepath.Join(home, ".cache"))},
		identity:  identity{os: "linux", home: home, hostname: "test"},
		readers:   all.Readers(),
	}, stdout, stderr
}

// cachedIn returns an environment with a cache folder, the sample as written, and more
// variables, NAME=VALUE.
func cachedIn(folder string, more ...string) func(string) string {
	vars := map[string]string{"XDG_CACHE_HOME": folder, sampleDay: sample.Last}
	for _, v := range more {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = value
	}
	return func(name string) string { return vars[name] }
}

// rootOf returns the root command in an environment.
func rootOf(env environment) *cobra.Command { return newRootCommand(&env, &namedQuery{}) }

// onSample returns a command on the sample, with the store shared by all tests.
func onSample(t *testing.T, args ...string) (e environment, stdout, stderr *strings.Builder) {
	t.Helper()
	e, stdout, stderr = outside(t, append([]string{"--sample", "--timezone", "UTC"}, args...)...)
	e.getenv = cachedIn(sampleCache())
	e.now = func() time.Time { return time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC) } // a table leaves out the year of recent times
	return e, stdout, stderr
}

// succeed runs a command that must succeed, and returns the standard output.
func succeed(t *testing.T, e environment, stdout, stderr *strings.Builder) string {
	t.Helper()
	if code := execute(context.Background(), e); code != exitOK {
		t.Fatalf("%q: exit code %d: %s", e.args, code, stderr)
	}
	return stdout.String()
}

// TestBuiltInQueries compares each built-in query's output on the sample with
// testdata/queries, with and without --safe.
func TestBuiltInQueries(t *testing.T) {
	t.Parallel()
	list, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range list {
		t.Run(q.Name, func(t *testing.T) {
			e, stdout, stderr := onSample(t, "run", q.Name)
			got := succeed(t, e, stdout, stderr)
			compareGolden(t, filepath.Join("testdata", "queries", q.Name+".txt"), got)
			whole.Most(t, i, 20, "a process for each query")
			e, stdout, stderr = onSample(t, "run", q.Name, "--safe")
			if safe := succeed(t, e, stdout, stderr); safe != got {
				t.Errorf("with --safe: %s", safe)
			}
		})
	}
}

// TestAlert: an alert with rows writes the same as the query without --alert, in every
// format. An alert without rows writes nothing.
func TestAlert(t *testing.T) {
	t.Parallel()
	for i, format := range term.Names() {
		t.Run(format, func(t *testing.T) {
			whole.Most(t, i, 8, "three commands for each format")
			args := []string{"--format", format, "run", "rejections", "agent=codex"}
			e, stdout, stderr := onSample(t, args...)
			want := succeed(t, e, stdout, stderr)
			e, stdout, stderr = onSample(t, append(args, "--alert")...)
			if code := execute(context.Background(), e); code != exitAlert || stdout.String() != want || stderr.Len() > 0 {
				t.Errorf("exit code %d, stderr %q, %d bytes, want %d", code, stderr, stdout.Len(), len(want))
			}
			e, stdout, stderr = onSample(t, append(args, "--alert", "since=2100-01-01")...)
			if got := succeed(t, e, stdout, stderr); got != "" || stderr.Len() > 0 {
				t.Errorf("without rows: %q, stderr %q", got, stderr)
			}
		})
	}
}

// TestBuiltInCharts compares the charts of built-in queries with testdata/charts. A
// chart of a missing column fails.
func TestBuiltInCharts(t *testing.T) {
	t.Parallel()
	list, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range list {
		if q.Chart == nil {
			continue
		}
		t.Run(q.Name, func(t *testing.T) {
			whole.Most(t, i, 3, "draws the chart of each query")
			e, stdout, stderr := onSample(t, "--chart", "run", q.Name)
			compareGolden(t, filepath.Join("testdata", "charts", q.Name+".txt"), succeed(t, e, stdout, stderr))
		})
	}
}

// nothing has values of parameters with which a query has no rows.
var nothing = map[string]string{"since": "2100-01-01", "until": "1900-01-01", "project": "no such folder", "model": "none",
	"tool": "none", "session": "none", "text": "no such text", "call": "none", "alike": "2", "min": "1000000", "min_calls": "1000000", "min_refused": "1000000",
	"min_percent": "101", "minutes": "-1", "seconds": "1000000", "wait": "-1"}

// TestBuiltInQueriesFiltered: each parameter narrows the answer, down to no rows, with a
// reason. On empty tables a
// query has an empty answer and no error.
func TestBuiltInQueriesFiltered(t *testing.T) {
	t.Parallel()
	list, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	keepOpen(t, home)
	measures := map[string]bool{"idle": true, "words": true, "rate_from": true, "guess": true, "least": true, "suggested": true, "lasting": true} // these change computed values, not which rows are returned
	drawn := 0
	for i, q := range list {
		for _, p := range q.Params {
			if measures[p.Name] || p.Values != nil || p.Name == "agent" || p.Name == queries.Top {
				continue // TestClosedSets, TestTop
			}
			drawn++
			t.Run(q.Name+" "+p.Name, func(t *testing.T) {
				value, ok := nothing[p.Name]
				if !ok {
					t.Fatalf("parameter %s: add a value that leaves no rows to nothing, or the name to measures if the parameter changes computed values only", p.Name)
				}
				whole.Most(t, drawn, 20, "each parameter of each query")
				e, stdout, stderr := onSample(t, "--format", "csv", "run", q.Name, p.Name+"="+value)
				rows := strings.Count(succeed(t, e, stdout, stderr), "\n") - 1
				want := 0
				if q.Name == "overview" {
					want = 1 // the total
				}
				if rows != want {
					t.Errorf("%d rows, want %d:\n%s", rows, want, stdout)
				}
				if rows == 0 && stderr.Len() == 0 {
					t.Error("no rows, and no reason")
				}
			})
		}
		t.Run(q.Name+" without logs", func(t *testing.T) {
			whole.Most(t, i, 12, "each query")
			e, stdout, stderr := outside(t, "run", q.Name)
			e.home = home
			succeed(t, e, stdout, stderr)
			if !strings.Contains(stderr.String(), "no logs found; looked in ~") {
				t.Errorf("stderr doesn't say that no logs were found: %s", stderr)
			}
		})
	}
}

// TestTop: with top=0 a query returns all rows, with top=1 one row. The table's last
// line then says how many rows there are.
func TestTop(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 2.5 s of processor time")
	t.Parallel()
	list, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range list {
		if q.Param(queries.Top) == nil {
			continue
		}
		t.Run(q.Name, func(t *testing.T) {
			t.Parallel()
			whole.Most(t, i, 12, "five statements for each query")
			given := func(args ...string) string {
				e, stdout, stderr := onSample(t, append([]string{"run", q.Name}, args...)...)
				return succeed(t, e, stdout, stderr)
			}
			text := given("top=0", "--format", "csv")
			if text != given("top=1000000", "--format", "csv") {
				t.Error("top=0 isn't all")
			}
			var rows []any
			if err := json.Unmarshal([]byte(given("top=0", "--format", "json")), &rows); err != nil {
				t.Fatal(err)
			}
			n := len(rows)
			if q.Total {
				n--
			}
			if n < 2 {
				return // no row is cut
			}
			want := "1 of " + words.Quantity(n, cmp.Or(q.Row, "row")) + "; top=0 for all"
			if got := given("top=1"); !strings.Contains(got, "\n"+want+"\n") {
				t.Errorf("no %q in\n%s", want, got)
			}
			if got := given(); n <= 15 && strings.Contains(got, "top=0") {
				t.Errorf("all %d rows are there:\n%s", n, got)
			}
		})
	}
}

// TestClosedSets: the values that a parameter declares are exactly the values that its
// column can have. With agent=NAME, a query returns only rows of that agent.
func TestClosedSets(t *testing.T) {
	t.Parallel()
	saved, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{tables.ToolEdit, tables.ToolCommand, tables.ToolRead, tables.ToolSearch, tables.ToolWeb, tables.ToolMCP, tables.ToolPlan,
		tables.ToolQuestion, tables.ToolAgent, tables.ToolScript, tables.ToolOther}
	vocabulary := map[string][]string{
		"kind": kinds, "type": {tables.InterruptedByUser, tables.InterruptedBySystem, "all"}, "phase": {tables.PhaseResponse, tables.PhaseTool, tables.PhaseApproval},
		"decided_by": {tables.ByUser, tables.ByRule, tables.ByMode, tables.BySetting, tables.ByNobody, tables.ByHook, tables.ByClassifier, tables.BySandbox, tables.ByUnknown, "all"},
	}
	one := all.Readers()[1].Agent
	for i, q := range saved {
		for _, p := range q.Params {
			if list := vocabulary[p.Name]; list != nil && !slices.Equal(slices.Sorted(slices.Values(list)), slices.Sorted(slices.Values(p.Values))) {
				t.Errorf("%s: %s is one of %q, want %q", q.Name, p.Name, p.Values, list)
			}
		}
		if q.Param("agent") == nil {
			continue
		}
		t.Run(q.Name, func(t *testing.T) {
			whole.Most(t, i, 12, "each query that takes an agent")
			e, stdout, stderr := onSample(t, "--format", "csv", "run", q.Name, "agent="+strings.ToUpper(one))
			records, err := csv.NewReader(strings.NewReader(succeed(t, e, stdout, stderr))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if records[0][0] != "agent" {
				return
			}
			for _, record := range records[1:] {
				if record[0] != one && record[0] != "all" {
					t.Error(record)
				}
			}
		})
	}
}

// TestBuiltInExamples: the example of each built-in query works, and so does each value
// of its parameter by, which groups the rows.
func TestBuiltInExamples(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.4 s of processor time")
	t.Parallel()
	list, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for _, q := range list {
		lines = append(lines, strings.Fields(q.Example)[1:])
	}
	for _, q := range list {
		if by := q.Param("by"); by != nil {
			for _, value := range by.Values {
				lines = append(lines, []string{"run", q.Name, "by=" + value})
			}
		}
	}
	for i, line := range lines {
		t.Run(strings.Join(line, " "), func(t *testing.T) {
			whole.Most(t, i, 12, "each query's example, each way to cut it")
			e, stdout, stderr := onSample(t, append([]string{"--format", "csv"}, line...)...)
			rows := strings.Count(succeed(t, e, stdout, stderr), "\n") - 1
			if by := strings.HasPrefix(line[2], "by="); by && len(line) == 3 && rows == 0 {
				t.Error("no rows")
			}
		})
	}
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if want := string(want); got != want {
		t.Errorf("%s is out of date; go test -update rewrites it\n%s", path, firstDifference(want, got))
	}
}

// firstDifference returns the first different line.
func firstDifference(want, got string) string {
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(wants), len(gots)) {
		if wants[i] != gots[i] {
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i+1, wants[i], gots[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(gots), len(wants))
}
