package term

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// messages is a result like FROM messages: many columns, the text among the middle
// ones, ids at the end.
func messages(rows int) *result.Rows {
	columns := result.Columns("timestamp TIMESTAMPTZ", "agent VARCHAR", "project VARCHAR", "kind VARCHAR", "role VARCHAR", "text VARCHAR", "thinking VARCHAR", "tokens BIGINT", "uuid VARCHAR", "source_id BIGINT")
	var list [][]any
	for i := range rows {
		text := any(nil)
		if i%2 == 0 {
			text = "\n\nthe gallery jumps when the images load, reserve space for them before that, 漢字 and 👩‍👩‍👧 too\nand test it"
		}
		list = append(list, []any{"2026-10-20 09:30:00.123+00", "claude", "/home/ada/work/clients/north/shop-api", "tool_result", "assistant", text, "so I " + strings.Repeat("think ", 20), int64(1234567), fmt.Sprintf("01ae8323-3017-40c5-a344-05b54fc9e2%02d", i), int64(7437761287359433)})
	}
	return rowsOf(columns, list...)
}

// straight checks that all lines of a table are as wide as its head.
func straight(t *testing.T, table string) {
	t.Helper()
	want := 0
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.ContainsAny(line[:min(len(line), 3)], "┌│├└") {
			break
		}
		if want == 0 {
			want = width(line)
		}
		if width(line) != want {
			t.Errorf("%d cells, not %d: %s\n%s", width(line), want, line, table)
			return
		}
	}
}

// headOf returns the names and widths of a table's columns.
func headOf(table string) (names []string, widths map[string]int) {
	lines := strings.SplitN(table, "\n", 3)
	widths = map[string]int{}
	for _, cell := range strings.FieldsFunc(strings.TrimSuffix(lines[1], "…"), func(r rune) bool { return r == '│' }) {
		name := strings.TrimSpace(cell)
		names, widths[name] = append(names, name), width(cell)-2
	}
	return names, widths
}

// TestFitsText: the main text gets its width. If columns don't fit, those after the
// text are hidden first, and the footer names them.
func TestFitsText(t *testing.T) {
	for _, test := range []struct {
		columns, least int
		shown          string
		hidden         string
	}{
		{80, 32, "timestamp agent text", "+ 7 columns: project, kind, role …; --format line shows them, and cut texts\n"},
		{120, 40, "timestamp agent project kind text", "+ 5 columns: role, thinking, tokens, uuid, source_id; --format line shows them, and cut texts\n"},
		{200, 40, "timestamp agent project kind role text thinking tokens uuid source_id", "texts with … are cut; --format line shows them whole\n"},
	} {
		got := written(t, "table", messages(12), Options{Width: test.columns})
		straight(t, got)
		names, widths := headOf(got)
		if shown := strings.Join(names, " "); shown != test.shown || widths["text"] < test.least {
			t.Errorf("%d columns: %s, and text has %d:\n%s", test.columns, shown, widths["text"], got)
		}
		if !strings.HasSuffix(got, "columns\n"+test.hidden) || !strings.Contains(got, "reserve space") || strings.Contains(got, " …\n") != strings.HasPrefix(test.hidden, "+") {
			t.Errorf("%d columns:\n%s", test.columns, got)
		}
		for line := range strings.Lines(got) {
			if width(strings.TrimSuffix(line, "\n")) > test.columns {
				t.Errorf("%d columns: %s", test.columns, line)
			}
		}
	}
}

func TestFitsTwoLines(t *testing.T) {
	check(t, written(t, "table", messages(2), Options{Width: 80}), `
┌────────────────────────────┬─────────┬───────────────────────────────────────┐
│ timestamp                  │ agent   │ text                                  …
│ timestamptz                │ varchar │ varchar                               │
├────────────────────────────┼─────────┼───────────────────────────────────────┤
│ 2026-10-20 09:30:00.123+00 │ claude  │ the gallery jumps when the images     │
│                            │         │ load, reserve space for them before … │
│ 2026-10-20 09:30:00.123+00 │ claude  │ NULL                                  │
└────────────────────────────┴─────────┴───────────────────────────────────────┘
2 rows × 10 columns
+ 7 columns: project, kind, role …; --format line shows them, and cut texts
`)
}

// TestFitsAnyScreen: the borders are straight at any width.
func TestFitsAnyScreen(t *testing.T) {
	strange := "e\u0301\u0302 \x1b[31m\tred\x07 \u202e \xff 🙂🏽 👩‍👩‍👧 ｱ 漢字\r\nसुप्रभात 🇩🇪" + strings.Repeat("\u0301", 300)
	for columns := 1; columns < 220; columns++ {
		for _, r := range []*result.Rows{
			messages(3), rowsOf(result.Columns("a VARCHAR", "漢字 VARCHAR", "n HUGEINT"), []any{strange, strings.Repeat(strange, 9), int64(1)}, []any{nil, "", nil}),
			rowsOf(result.Columns("a VARCHAR")), rowsOf(result.Columns("c VARCHAR"), []any{strings.Repeat("漢", 500)}),
		} {
			straight(t, written(t, "table", r, Options{Width: columns}))
		}
	}
}

// TestFitsSideways: if the pager scrolls to the right, columns that don't fit are on
// the right of the screen. What is on the screen looks the same as without them.
func TestFitsSideways(t *testing.T) {
	narrow := written(t, "table", messages(30), Options{Width: 120})
	wide := written(t, "table", messages(30), Options{Width: 120, Height: 20, Paged: true, Sideways: true})
	straight(t, wide)
	first := strings.TrimSuffix(strings.Split(narrow, "\n")[5], "│")
	if got := strings.Split(wide, "\n")[5]; !strings.HasPrefix(got, first) {
		t.Errorf("%s\n%s", got, first)
	}
	if !strings.Contains(strings.SplitN(wide, "\n", 3)[1], " source_id │") {
		t.Error(wide[:1000])
	}
	if !strings.Contains(wide, "\n+ 5 columns to the right: role, thinking, tokens, uuid, source_id\n") {
		t.Error(wide[len(wide)-300:])
	}
	if short := written(t, "table", messages(5), Options{Width: 120, Height: 20, Paged: true, Sideways: true}); strings.Contains(short, "source_id  ") {
		t.Errorf("it isn't paged:\n%s", short)
	}
}

// TestFitsInLines: a few rows are written in lines if a table would hide most of them.
func TestFitsInLines(t *testing.T) {
	auto := Options{Width: 100, Height: 40, Auto: true}
	for rows, inLines := range map[int]bool{1: true, 2: true, 4: false, 50: false} {
		got := written(t, "table", messages(rows), auto)
		if strings.HasPrefix(got, "timestamp = ") != inLines {
			t.Errorf("%d rows:\n%s", rows, got)
		}
		if !strings.Contains(got, words.Quantity(rows, "row")+" × 10 columns\n") {
			t.Errorf("%d rows are not counted:\n%s", rows, got)
		}
	}
	if got := written(t, "table", messages(1), Options{Width: 100, Height: 40}); !strings.HasPrefix(got, "┌") {
		t.Errorf("nobody asked for it:\n%s", got)
	}
	if got := written(t, "table", messages(1), Options{Width: 400, Height: 40, Auto: true}); !strings.HasPrefix(got, "┌") {
		t.Errorf("all of it fits:\n%s", got)
	}
	text := rowsOf(result.Columns("text VARCHAR"), []any{strings.Repeat("a long text, ", 60)})
	check(t, strings.Join(strings.SplitAfter(written(t, "table", text, auto), "\n")[:2], ""), `
text = a long text, a long text, a long text, a long text, a long text, a long text, a long text, a
       long text, a long text, a long text, a long text, a long text, a long text, a long text, a
`)
}

// TestFitsPaths: a cut path shows its end.
func TestFitsPaths(t *testing.T) {
	check(t, strings.Join(wrapCell("/home/ada/work/clients/north/shop-api", 12), "|"), "…/clients/no|rth/shop-api")
	check(t, strings.Join(wrapCell("/home/ada", 5), "|"), "/home|/ada")
	check(t, strings.Join(wrapCell("/etc/init.d/x restart and more", 12), "|"), "/etc/init.d/|x restart a…")
	check(t, strings.Join(wrapCell("漢字", 1), "|"), "…|…")
}

// TestFitsDiffs: if a cell breaks a line of a diff, both parts have the line's colour.
func TestFitsDiffs(t *testing.T) {
	r := rowsOf(result.Columns("diff VARCHAR"), []any{"--- a/x\n+++ b/x\n-one two three\n+four"})
	got := written(t, "table", r, Options{Width: 26, Color: true})
	for _, want := range []string{"\x1b[31m-one\x1b[0m", "\x1b[31mtwo three\x1b[0m"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestLinesWrapProse(t *testing.T) {
	r := rowsOf(result.Columns("text VARCHAR", "command VARCHAR", "diff VARCHAR"),
		[]any{"one two three four five six seven", "go test ./... -run 'TestSomething'", "--- a\n+++ b\n+one two three four five six"})
	check(t, written(t, "line", r, Options{Width: 31}), `
   text = one two three four
          five six seven
command = go test ./... -run 'TestSomething'
   diff = --- a
          +++ b
          +one two three four five six
`)
}

// TestFitsHuge: a table with megabytes of text, or hundreds of columns, takes only as
// much time as the shown part.
func TestFitsHuge(t *testing.T) {
	huge := strings.Repeat("megabytes of text, ", 1<<19)
	got := written(t, "table", rowsOf(result.Columns("text VARCHAR"), []any{huge}), Options{Width: 80, Height: 24, Auto: true})
	if straight(t, got); len(got) > 2000 || !strings.HasPrefix(got, "┌") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
	var columns []result.Column
	for i := range 300 {
		columns = append(columns, result.Column{Name: fmt.Sprintf("column_%d", i), Type: "VARCHAR"})
	}
	got = written(t, "table", rowsOf(columns, make([]any, 300), make([]any, 300)), Options{Width: 80})
	if straight(t, got); !strings.Contains(got, "+ 293 columns: column_7, column_8") {
		t.Error(got)
	}
}

// TestCardColumns: a narrow table keeps the columns of the query's `-- card` line, and
// shows them in the result's order. The footer names the columns that tables never show
// last.
func TestCardColumns(t *testing.T) {
	rows := func() *result.Rows {
		list := [][]any{}
		for i := range 3 {
			list = append(list, []any{"2026-10-01 08:0" + strconv.Itoa(i), strings.Repeat("shop/", 8), "Bash", strings.Repeat("what was refused ", 8), "what you said to it, at some length", strings.Repeat("place/", 9), "a diff"})
		}
		return rowsOf(result.Columns("time VARCHAR", "project VARCHAR", "tool VARCHAR", "refused VARCHAR", "said VARCHAR", "place VARCHAR", "diff VARCHAR"), list...)
	}
	card := &Answer{Noun: "refusal", Card: [][]string{{"Time", "tool", "refused"}, {"said"}}, Hidden: []string{"Diff"}}
	for _, test := range []struct {
		answer *Answer
		width  int
		head   string
		more   string
	}{
		{&Answer{Noun: "refusal"}, 90, "time project tool refused", "+ 3 columns: said, place, diff; --format line shows them, and cut texts"},
		{card, 100, "time project tool refused said", "+ 2 columns: place, Diff; --format line shows them, and cut texts"},
		{card, 240, "time project tool refused said place", ""},
		{card, 0, "time project tool refused said place", ""},
	} {
		got := written(t, "table", rows(), Options{Width: test.width, Answer: test.answer})
		head := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "…", " ").Replace(strings.Split(got, "\n")[1])), " ")
		if head != test.head {
			t.Errorf("%d: columns %s, want %s\n%s", test.width, head, test.head, got)
		}
		if _, more, _ := strings.Cut(got, "3 refusals\n"); strings.TrimSpace(more) != test.more {
			t.Errorf("%d: %q, want %q", test.width, more, test.more)
		}
	}
	for _, format := range []string{"csv", "json", "line", "markdown"} {
		if got := written(t, format, rows(), Options{Answer: card}); !strings.Contains(got, "a diff") {
			t.Errorf("%s: without the hidden column:\n%s", format, got)
		}
	}
}
