package fleet_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine/fleet/landing"
	"hindsql/internal/corpus"
	"hindsql/internal/sqltext"
	"hindsql/readers/sample"
	"hindsql/tables"
)

// lakeCounts returns eleven counts and four sums in SQL that every engine understands.
// {NAME} stands for a table with each row once, and bytes is the function for the
// length of a text.
func lakeCounts(bytes string) (list []string) {
	for _, t := range tables.Pushed() {
		list = append(list, "SELECT count(*) AS n FROM {"+t.Name+"} AS t")
	}
	return append(list, "SELECT sum(coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0)) AS n FROM {messages} AS t",
		"SELECT sum(output_tokens) AS n FROM {messages} AS t",
		"SELECT sum("+bytes+"(text)) AS n FROM {messages} AS t",
		"SELECT sum("+bytes+"(output)) AS n FROM {tool_calls} AS t")
}

// TestEnginesReadLanding: other engines get the same counts from a landing of three
// machines as hindsql from a store with all their rows. `make e2e` gets the engines
// from PyPI.
func TestEnginesReadLanding(t *testing.T) {
	folder := os.Getenv("HINDSQL_ENGINES")
	if folder == "" {
		t.Skip("$HINDSQL_ENGINES is not set; `make e2e` sets it")
	}
	home, err := sample.Write(t.TempDir())
	must(t, err)
	t.Run("sample", func(t *testing.T) { wantEnginesRead(t, folder, home) })
	t.Run("corpus", func(t *testing.T) { wantEnginesRead(t, folder, corpus.Home(t, "home")) })
}

func wantEnginesRead(t *testing.T, folder, home string) {
	t.Helper()
	dir := t.TempDir()
	whole := threeMachines(t, home, dir)
	var want []string
	for _, query := range lakeCounts("strlen") {
		for _, table := range tables.Pushed() {
			query = strings.ReplaceAll(query, "{"+table.Name+"}", table.Name)
		}
		want = append(want, rows(t, whole, query)[0])
	}
	for _, e := range [][3]string{{"many", "duckdb", "strlen"}, {"next", "duckdb", "strlen"}, {"many", "polars", "octet_length"}, {"many", "datafusion", "octet_length"}, {"many", "chdb", "length"}} {
		t.Run(e[0]+" "+e[1], func(t *testing.T) {
			asked, err := json.Marshal(map[string]any{"tables": landedTables(t, dir, e[1]), "counts": lakeCounts(e[2])})
			must(t, err)
			cmd := exec.Command(filepath.Join(folder, e[0], "bin", "python"), filepath.Join("testdata", "lake_counts.py"), e[1])
			cmd.Stdin, cmd.Stderr = strings.NewReader(string(asked)), os.Stderr
			out, err := cmd.Output()
			must(t, err)
			if d := cmp.Diff("["+strings.Join(want, ", ")+"]", strings.TrimSpace(string(out))); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// landedTables returns the live files of each table, and the query for its rows without
// copies.
func landedTables(t *testing.T, dir, engine string) map[string]map[string]any {
	t.Helper()
	quote := sqltext.Identifier
	if engine == "chdb" {
		quote = func(name string) string { return "`" + name + "`" }
	}
	list := map[string]map[string]any{}
	target, err := landing.Open(dir, landing.Options{})
	must(t, err)
	machines, err := landing.Machines(t.Context(), target)
	must(t, err)
	for _, table := range tables.Pushed() {
		var live []string
		for _, m := range machines {
			prefix, err := landing.Prefix(m.Machine)
			must(t, err)
			for _, f := range m.Manifest.Files {
				if f.Table == table.Name && !f.Beside {
					live = append(live, filepath.Join(dir, filepath.FromSlash(prefix), filepath.FromSlash(f.Path)))
				}
			}
		}
		slices.Sort(live)
		list[table.Name] = map[string]any{"files": live, "once": table.DistinctSQL("landed_"+table.Name, quote)}
	}
	if len(list) != 11 {
		t.Fatal(fmt.Sprint(len(list), " tables"))
	}
	return list
}
