package export_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"hindsql/engine/export"
	"hindsql/tables"
)

// TestEnginesRead: other engines count the same in every column of an export as hindsql
// in its tables. `make e2e` installs the engines from PyPI into two environments below
// $HINDSQL_ENGINES.
func TestEnginesRead(t *testing.T) {
	folder := os.Getenv("HINDSQL_ENGINES")
	if folder == "" {
		t.Skip("$HINDSQL_ENGINES is not set; `make e2e` sets it")
	}
	s := open(t, sampleHome(t))
	whole, parted := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "parted")
	mustExport(t, s, export.Options{Dir: whole})
	mustExport(t, s, export.Options{Dir: parted, PartitionBy: byDay})
	want := countedHere(t, s)
	for _, e := range [][2]string{{"many", "duckdb"}, {"next", "duckdb"}, {"many", "polars"}, {"many", "pyarrow"}, {"many", "datafusion"}, {"many", "chdb"}} {
		for name, dir := range map[string]string{"whole": whole, "parted": parted} {
			t.Run(strings.Join(e[:], " ")+" "+name, func(t *testing.T) {
				got := countedBy(t, filepath.Join(folder, e[0], "bin", "python"), e[1], dir)
				for _, table := range userTables() {
					wantCounts(t, table, want[table.Name], got[table.Name])
				}
			})
		}
	}
}

// countedBy asks an engine for the counts and sums of each table.
func countedBy(t *testing.T, python, engine, dir string) (counts map[string][]*float64) {
	t.Helper()
	columns := map[string]map[string]string{}
	for _, table := range userTables() {
		columns[table.Name] = map[string]string{}
		kinds := kindsOf(t, table)
		for _, c := range exportedColumns(table) {
			columns[table.Name][c.Name] = kinds[c.Name]
		}
	}
	asked, err := json.Marshal(columns) // sorted by name
	must(t, err)
	cmd := exec.Command(python, filepath.Join("testdata", "engines.py"), engine, dir)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(asked)), os.Stderr
	out, err := cmd.Output()
	must(t, err)
	must(t, json.Unmarshal(out, &counts))
	return counts
}

// kindsOf returns the kind of each exported column, which says how engines.py sums the
// column. The kind follows from the column's Arrow type in package tables.
func kindsOf(t *testing.T, table *tables.Table) map[string]string {
	t.Helper()
	kinds := map[string]string{"host": "text"} // the export adds the host
	for _, field := range table.Schema().Fields() {
		kind, err := kindOf(field.Type)
		if err != nil {
			t.Fatalf("%s.%s: %v", table.Name, field.Name, err)
		}
		kinds[field.Name] = kind
	}
	return kinds
}

func kindOf(of arrow.DataType) (string, error) {
	switch id := of.ID(); {
	case id == arrow.STRING:
		return "text", nil
	case id == arrow.TIMESTAMP:
		return "moment", nil
	case id == arrow.BOOL:
		return "boolean", nil
	case id == arrow.LIST:
		return "list", nil
	case arrow.IsInteger(id) || arrow.IsFloating(id) || arrow.IsDecimal(id):
		return "number", nil
	}
	return "", fmt.Errorf("no sum is known for type %s; add a kind here, and to each engine in engines.py", of)
}

// TestEveryTypeHasASum: each declared column has a kind that engines.py can sum. The
// test needs no engine.
func TestEveryTypeHasASum(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("testdata", "engines.py"))
	must(t, err)
	for _, table := range userTables() {
		for column, kind := range kindsOf(t, table) {
			if n := strings.Count(string(script), `"`+kind+`": `); n != 5 {
				t.Errorf("%s.%s: %d engines of 5 sum columns of kind %s", table.Name, column, n, kind)
			}
		}
	}
}

// countedHere returns the same counts from hindsql's tables.
func countedHere(t *testing.T, s face) map[string][]*float64 {
	t.Helper()
	sums := map[string]string{
		"text": "sum(strlen(CAST(%s AS VARCHAR)))", "moment": "sum(epoch_ms(%s) // 1000)", "boolean": "count(*) FILTER (%s)",
		"list": "sum(len(%s))", "number": "sum(%s)",
	}
	counts := map[string][]*float64{}
	for _, table := range userTables() {
		list, kinds := []string{"count(*)"}, kindsOf(t, table)
		for _, c := range sortedNames(exportedColumns(table)) {
			list = append(list, "count("+c.Name+")", fmt.Sprintf(sums[kinds[c.Name]], c.Name))
		}
		row := rows(t, s, "SELECT to_json(["+castAll(list)+"]) FROM (SELECT *, 'here' AS here FROM "+table.Name+") "+withHost(table))[0]
		var values []*float64
		must(t, json.Unmarshal([]byte(row), &values))
		counts[table.Name] = values
	}
	return counts
}

// withHost names the columns of a table, including the host that the export adds.
func withHost(table *tables.Table) string {
	var names []string
	for _, c := range exportedColumns(table) {
		names = append(names, c.Name)
	}
	if len(names) == len(table.Columns) {
		return "AS t"
	}
	return "AS t(" + strings.Join(names, ", ") + ")"
}

func castAll(list []string) string {
	for i, expression := range list {
		list[i] = "CAST(" + expression + " AS DOUBLE)"
	}
	return strings.Join(list, ", ")
}

func wantCounts(t *testing.T, table *tables.Table, want, got []*float64) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%s: %d counts, want %d", table.Name, len(got), len(want))
		return
	}
	columns := sortedNames(exportedColumns(table))
	for i := range want {
		what := "rows"
		if i > 0 {
			what = columns[(i-1)/2].Name
		}
		if i%2 == 1 && got[i] == nil { // the engine doesn't distinguish null lists
			continue
		}
		w, g := value(want[i]), value(got[i])
		if math.Abs(w-g) > 1e-6*math.Max(1, math.Abs(w)) {
			t.Errorf("%s: %s: %v, want %v", table.Name, what, g, w)
		}
	}
}

func sortedNames(columns []tables.Column) []tables.Column {
	list := slices.Clone(columns)
	slices.SortFunc(list, func(a, b tables.Column) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// value returns 0 for a missing sum, because some engines give no sum for no rows.
func value(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
