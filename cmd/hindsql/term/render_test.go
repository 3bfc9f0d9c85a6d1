package term

import (
	"errors"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/result"
)

func rowsOf(columns []result.Column, rows ...[]any) *result.Rows {
	set := result.Set{Columns: columns, Rows: rows}
	return set.Read()
}

func written(t *testing.T, format string, r *result.Rows, o Options) string {
	t.Helper()
	f, err := ByName(format)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := f.Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(strings.TrimPrefix(want, "\n"), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s\n%s", diff, got)
	}
}

// mixed has a value for every kind that formats treat differently.
func mixed() *result.Rows {
	berlin := time.FixedZone("", 2*60*60)
	return rowsOf(
		result.Columns("id BIGINT", "text VARCHAR", "at TIMESTAMPTZ", "input JSON", "list INTEGER[]", "huge HUGEINT", "id DOUBLE"),
		[]any{
			int64(1), "a \"b\",\tc\nd|e", time.Date(2026, 10, 1, 9, 30, 0, 500_000_000, berlin), `{"b": 1, "a": 12345678901234567890}`,
			[]any{int32(1), nil, int32(3)}, new(big.Int).Lsh(big.NewInt(1), 100), 0.1,
		},
		[]any{int64(2), nil, nil, nil, nil, nil, nil},
	)
}

func TestTable(t *testing.T) {
	check(t, written(t, "table", mixed(), Options{}), `
┌────────┬──────────────┬──────────────────────────┬─────────────────────────────────────┬──────────────┬─────────────────────────────────┬────────┐
│     id │ text         │ at                       │ input                               │ list         │                            huge │     id │
│ bigint │ varchar      │ timestamptz              │ json                                │ integer[]    │                         hugeint │ double │
├────────┼──────────────┼──────────────────────────┼─────────────────────────────────────┼──────────────┼─────────────────────────────────┼────────┤
│      1 │ a "b",⇥c⏎d|e │ 2026-10-01 09:30:00.5+02 │ {"b": 1, "a": 12345678901234567890} │ [1, NULL, 3] │ 1267650600228229401496703205376 │    0.1 │
│      2 │ NULL         │ NULL                     │ NULL                                │ NULL         │                            NULL │   NULL │
└────────┴──────────────┴──────────────────────────┴─────────────────────────────────────┴──────────────┴─────────────────────────────────┴────────┘
2 rows × 7 columns
`)
}

func TestTableWidths(t *testing.T) {
	r := rowsOf(result.Columns("日本語 VARCHAR", "b VARCHAR"),
		[]any{"漢字", "e\u0301 🙂 👩‍👩‍👧"},
		[]any{"x", "\x1b[31mred\x1b[0m \x00 \u202e \xff"},
		[]any{"", "a\r\nb\r\n"})
	check(t, written(t, "table", r, Options{}), `
┌─────────┬────────────────────────────────┐
│ 日本語  │ b                              │
│ varchar │ varchar                        │
├─────────┼────────────────────────────────┤
│ 漢字    │ e`+"\u0301"+` 🙂 👩‍👩‍👧                        │
│ x       │ ␛[31mred␛[0m ␀ <U+202E> <0xFF> │
│         │ a⏎b                            │
└─────────┴────────────────────────────────┘
3 rows × 2 columns
`)
}

func TestTableFits(t *testing.T) {
	long := strings.Repeat("long text ", 20)
	r := rowsOf(result.Columns("number BIGINT", "one VARCHAR", "two VARCHAR", "漢 VARCHAR"),
		[]any{int64(1234567890), "short", long, strings.Repeat("漢", 30)})
	check(t, written(t, "table", r, Options{Width: 60}), `
┌────────────┬─────────┬──────────────────────┬────────────┐
│     number │ one     │ two                  │ 漢         │
│     bigint │ varchar │ varchar              │ varchar    │
├────────────┼─────────┼──────────────────────┼────────────┤
│ 1234567890 │ short   │ long text long text  │ 漢漢漢漢漢 │
│            │         │ long text long text… │ 漢漢漢漢…  │
└────────────┴─────────┴──────────────────────┴────────────┘
1 row × 4 columns
texts with … are cut; --format line shows them whole
`)
}

func TestTableLeavesOutColumns(t *testing.T) {
	var columns []result.Column
	var row []any
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		columns = append(columns, result.Column{Name: name, Type: "VARCHAR"})
		row = append(row, strings.Repeat(name, 20))
	}
	check(t, written(t, "table", rowsOf(columns, row), Options{Width: 50}), `
┌────────────────┬───────────────┬───────────────┐
│ a              │ b             │ c             …
│ varchar        │ varchar       │ varchar       │
├────────────────┼───────────────┼───────────────┤
│ aaaaaaaaaaaaaa │ bbbbbbbbbbbbb │ ccccccccccccc │
│ aaaaaa         │ bbbbbbb       │ ccccccc       │
└────────────────┴───────────────┴───────────────┘
1 row × 6 columns
+ 3 columns: d, e, f; --format line shows them
`)
}

func TestTableKeepsTimesWhole(t *testing.T) {
	long := strings.Repeat("text ", 20)
	r := rowsOf(result.Columns("time VARCHAR", "a VARCHAR", "b VARCHAR"),
		[]any{"2026-10-01 10:00", long, long}, []any{nil, long, nil}, []any{"2026-10-02 10:00", nil, long})
	check(t, written(t, "table", r, Options{Width: 50}), `
┌──────────────────┬──────────────┬──────────────┐
│ time             │ a            │ b            │
│ varchar          │ varchar      │ varchar      │
├──────────────────┼──────────────┼──────────────┤
│ 2026-10-01 10:00 │ text text    │ text text    │
│                  │ text text t… │ text text t… │
│ NULL             │ text text    │ NULL         │
│                  │ text text t… │              │
│ 2026-10-02 10:00 │ NULL         │ text text    │
│                  │              │ text text t… │
└──────────────────┴──────────────┴──────────────┘
3 rows × 3 columns
texts with … are cut; --format line shows them
  whole
`)
}

func TestTableStaysInWidth(t *testing.T) {
	r := rowsOf(result.Columns("a_rather_long_name INTEGER", "b VARCHAR", "c TIMESTAMPTZ", "d VARCHAR"),
		[]any{int32(7), strings.Repeat("b", 90), time.Unix(0, 0).UTC(), strings.Repeat("漢", 40)})
	for columns := 30; columns < 300; columns++ {
		for line := range strings.Lines(written(t, "table", r, Options{Width: columns})) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "│") && width(line) > columns {
				t.Fatalf("width %d: %d cells: %s", columns, width(line), line)
			}
		}
	}
}

func TestTableOnTerminal(t *testing.T) {
	r := rowsOf(result.Columns("a INTEGER", "proposed_diff VARCHAR"),
		[]any{int32(1), "@@ -1 +1 @@\n-a\n+b"}, []any{nil, nil}, []any{int32(3), ""})
	got := written(t, "table", r, Options{Width: 80, MaxRows: 2, Color: true, Elapsed: func() time.Duration { return 12 * time.Millisecond }})
	got = strings.NewReplacer("\x1b[1m", "<b>", "\x1b[2m", "<dim>", "\x1b[31m", "<red>", "\x1b[32m", "<green>", "\x1b[36m", "<cyan>", "\x1b[0m", "</>").Replace(got)
	check(t, got, `
┌─────────┬───────────────────┐
│       <b>a</> │ <b>proposed_diff</>     │
│ <dim>integer</> │ <dim>varchar</>           │
├─────────┼───────────────────┤
│       1 │ <cyan>@@ -1 +1 @@</><dim>⏎</><red>-a</><dim>⏎</><green>+b</> │
│    <dim>NULL</> │ <dim>NULL</>              │
└─────────┴───────────────────┘
<dim>3 rows (first 2 shown; --rows 0 shows all) × 2 columns · 12 ms</>
`)
}

func TestTableFoldsJSONOnTerminal(t *testing.T) {
	r := rowsOf(result.Columns("input JSON"), []any{"{\n  \"a\": [\n    1,\n    \"x y\"\n  ]\n}"}, []any{"no\nJSON"})
	check(t, written(t, "table", r, Options{Width: 80}), `
┌─────────────────┐
│ input           │
│ json            │
├─────────────────┤
│ {"a":[1,"x y"]} │
│ no⏎JSON         │
└─────────────────┘
2 rows × 1 column
`)
}

// TestDiffsAreToldByTheirValue: a diff is recognized by its text, whatever the column's
// name.
func TestDiffsAreToldByTheirValue(t *testing.T) {
	r := func() *result.Rows {
		return rowsOf(result.Columns("it_wanted VARCHAR"), []any{"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"}, []any{"- a list\n+ a plus"})
	}
	const diff = "\x1b[31m-old\x1b[0m"
	for _, format := range []string{"table", "line"} {
		got := written(t, format, r(), Options{Width: 80, Color: true})
		if !strings.Contains(got, diff) || strings.Contains(got, "\x1b[31m- a list") {
			t.Errorf("%s:\n%q", format, got)
		}
	}
}

func TestEmptyTable(t *testing.T) {
	check(t, written(t, "table", rowsOf(result.Columns("a STRUCT(x INTEGER)[]")), Options{Width: 80}), `
┌──────────┐
│ a        │
│ struct[] │
└──────────┘
0 rows × 1 column
`)
}

func TestCSV(t *testing.T) {
	check(t, written(t, "csv", mixed(), Options{}), `
id,text,at,input,list,huge,id
1,"a ""b"",	c
d|e",2026-10-01T09:30:00.5+02:00,"{""b"": 1, ""a"": 12345678901234567890}","[1, NULL, 3]",1267650600228229401496703205376,0.1
2,,,,,,
`)
}

func TestCSVKeepsLonelyNull(t *testing.T) {
	check(t, written(t, "csv", rowsOf(result.Columns("a VARCHAR"), []any{"x"}, []any{nil}, []any{"y"}), Options{}), "a\nx\n\"\"\ny\n")
}

func TestTSV(t *testing.T) {
	check(t, written(t, "tsv", mixed(), Options{}),
		"id\ttext\tat\tinput\tlist\thuge\tid\n"+
			`1	a "b",\tc\nd|e	2026-10-01T09:30:00.5+02:00	{"b": 1, "a": 12345678901234567890}	[1, NULL, 3]	1267650600228229401496703205376	0.1`+"\n"+
			"2\t\t\t\t\t\t\n")
}

func TestJSON(t *testing.T) {
	check(t, written(t, "json", mixed(), Options{}), `
[
{"id":1,"text":"a \"b\",\tc\nd|e","at":"2026-10-01T09:30:00.5+02:00","input":{"b":1,"a":12345678901234567890},"list":[1,null,3],"huge":1267650600228229401496703205376,"id_1":0.1},
{"id":2,"text":null,"at":null,"input":null,"list":null,"huge":null,"id_1":null}
]
`)
	check(t, written(t, "json", rowsOf(result.Columns("a VARCHAR")), Options{}), "[\n]\n")
}

func TestNDJSON(t *testing.T) {
	r := rowsOf(result.Columns("a JSON", "b VARCHAR"), []any{"{\n \"x\": [1]\n}", "<&>"}, []any{"no JSON", "\xff"})
	check(t, written(t, "ndjson", r, Options{}), `
{"a":{"x":[1]},"b":"<&>"}
{"a":"no JSON","b":"�"}
`)
}

func TestMarkdown(t *testing.T) {
	check(t, written(t, "markdown", mixed(), Options{}), `
| id | text | at | input | list | huge | id |
| ---: | --- | --- | --- | --- | ---: | ---: |
| 1 | a "b",	c<br>d\|e | 2026-10-01 09:30:00.5+02 | {"b": 1, "a": 12345678901234567890} | [1, NULL, 3] | 1267650600228229401496703205376 | 0.1 |
| 2 |  |  |  |  |  |  |
`)
}

func TestLines(t *testing.T) {
	r := rowsOf(result.Columns("a INTEGER", "diff VARCHAR"), []any{int32(1), "-x\n+y\x1b\n"}, []any{nil, "z"})
	check(t, written(t, "line", r, Options{}), `
   a = 1
diff = -x
       +y␛

   a = NULL
diff = z
`)
}

func TestNoResult(t *testing.T) {
	for _, f := range formats {
		check(t, written(t, f.Name, rowsOf(nil), Options{}), "")
	}
}

// writable returns the formats written by this package.
func writable() []Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f Format) bool { return f.write == nil })
}

func TestRowError(t *testing.T) {
	broken := errors.New("broken")
	for _, f := range writable() {
		given := 0
		r := result.NewRows(result.Columns("a INTEGER"), func() ([]any, error) {
			if given++; given > 1 {
				return nil, broken
			}
			return []any{int32(1)}, nil
		})
		if err := f.Write(io.Discard, r, Options{}); err != broken {
			t.Errorf("%s: %v, want %v", f.Name, err, broken)
		}
	}
}

func TestWriteError(t *testing.T) {
	for _, f := range writable() {
		left := 100_000
		many := result.NewRows(result.Columns("a INTEGER", "b INTEGER"), func() ([]any, error) {
			if left--; left < 0 {
				return nil, nil
			}
			return []any{int32(1), int32(1)}, nil
		})
		if err := f.Write(fullDisk{}, many, Options{}); err != errFull {
			t.Errorf("%s: %v, want %v", f.Name, err, errFull)
		}
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestByPath(t *testing.T) {
	for path, want := range map[string]string{"": "table", "a.txt": "table", "a.CSV": "csv", "x/a.jsonl": "ndjson", "a.md": "markdown", "a.tsv": "tsv"} {
		if got, err := ByPath(path); err != nil || got.Name != want {
			t.Errorf("%q: %s %v, want %s", path, got.Name, err, want)
		}
	}
	const want = "x.pdf: no format is called .pdf; one of .txt, .csv, .tsv, .json, .ndjson, .jsonl, .md, .html, .htm, .xlsx, .parquet, or say --format"
	if _, err := ByPath("x.pdf"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestFit(t *testing.T) {
	for _, test := range []struct {
		natural, least []int
		room           int
		want           []int
	}{
		{[]int{5, 5}, []int{1, 1}, 20, []int{5, 5}},
		{[]int{5, 50, 50}, []int{1, 1, 1}, 25, []int{5, 10, 10}},
		{[]int{5, 50, 50}, []int{1, 1, 1}, 26, []int{5, 11, 10}},
		{[]int{30, 50}, []int{30, 1}, 40, []int{30, 10}},
		{[]int{30, 50}, []int{30, 10}, 5, []int{30, 10}},
	} {
		if diff := cmp.Diff(test.want, fit(test.natural, test.least, test.room)); diff != "" {
			t.Errorf("%v in %d: %s", test.natural, test.room, diff)
		}
	}
}

func TestListing(t *testing.T) {
	var b strings.Builder
	if err := Listing(&b, 36, [][]string{{"a", "bb", "some words that are too long for it"}, {"漢字", "b", "short"}}); err != nil {
		t.Fatal(err)
	}
	check(t, b.String(), `
a     bb  some words that are too
          long for it
漢字  b   short
`)
}
