package prompt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

// glass is a terminal's screen, as far as the prompt uses it. A row has a cell for each
// column; the second cell of a wide character is empty.
type glass struct {
	columns, height int
	rows            [][]string
	x, y            int // the cursor; x is columns behind a full row
}

func (g *glass) Write(b []byte) (int, error) {
	for text := string(b); text != ""; {
		var first string
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' })
			g.obey(rest[:end], rest[end])
			text = rest[end+1:]
			continue
		}
		first, text, _, _ = uniseg.FirstGraphemeClusterInString(text, -1)
		switch {
		case first == "\r":
			g.x = 0
		case strings.HasSuffix(first, "\n"):
			g.x *= len("\r\n") - len(first) // 0 with a carriage return
			g.down()
		default:
			g.put(first)
		}
	}
	return len(b), nil
}

func (g *glass) obey(parameter string, final byte) {
	n, _ := strconv.Atoi(parameter)
	switch final {
	case 'A':
		g.y = max(0, g.y-n)
	case 'C':
		g.x = min(g.columns-1, g.x+n)
	case 'H':
		g.x, g.y = 0, 0
	case 'J':
		if parameter == "2" {
			g.rows = nil
			return
		}
		g.rows = g.rows[:min(len(g.rows), g.y+1)]
		if g.y < len(g.rows) {
			g.rows[g.y] = g.rows[g.y][:min(len(g.rows[g.y]), g.x)]
		}
	}
}

func (g *glass) put(cluster string) {
	width := uniseg.StringWidth(cluster)
	if g.x+width > g.columns {
		g.x = 0
		g.down()
	}
	for len(g.rows) <= g.y {
		g.rows = append(g.rows, nil)
	}
	row := g.rows[g.y]
	for len(row) < g.x+width {
		row = append(row, " ")
	}
	for i := range width {
		row[g.x+i] = map[bool]string{true: cluster}[i == 0]
	}
	g.rows[g.y] = row
	g.x += width
}

func (g *glass) down() {
	if g.y++; g.y == g.height {
		g.y--
		g.rows = g.rows[min(1, len(g.rows)):]
	}
}

// resize does what tmux does: it breaks rows that are too wide, and rows leave the screen
// at its top.
func (g *glass) resize(columns, height int) {
	var rows [][]string
	y := 0
	for i, row := range g.rows {
		if i == g.y {
			y = len(rows) + g.x/columns
		}
		for len(row) > columns {
			at := columns
			if row[at] == "" { // in a wide character
				at--
			}
			rows, row = append(rows, row[:at]), row[at:]
		}
		rows = append(rows, row)
	}
	g.columns, g.height, g.x = columns, height, g.x%columns
	g.rows, g.y = rows, y
	if gone := y - height + 1; gone > 0 {
		g.rows, g.y = g.rows[gone:], y-gone
	}
	g.rows = g.rows[:min(len(g.rows), height)]
}

// String returns the shown rows, with | at the cursor.
func (g *glass) String() string {
	var rows []string
	for y := range max(len(g.rows), g.y+1) {
		var row []string
		if y < len(g.rows) {
			row = g.rows[y]
		}
		if y == g.y {
			row = slices.Insert(append(slices.Clone(row), slices.Repeat([]string{" "}, max(0, g.x-len(row)))...), g.x, "|")
		}
		rows = append(rows, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return strings.Join(rows, "\n")
}

// behindGlass returns a terminal that shows an empty entry. An entry that ends in a
// semicolon can be run.
func behindGlass(columns, height int) (*Terminal, *glass) {
	g := &glass{columns: columns, height: height}
	t := &Terminal{ctx: context.Background(), out: g, size: func() (int, int) { return g.columns, g.height }}
	t.Compose(Composing{
		CanRun: func(text string) bool { return strings.HasSuffix(text, ";") },
		Complete: func(before, _ string) (head string, words []string) {
			return strings.TrimSuffix(before, "s"), []string{"session_calls", "session_days", "sessions"}
		},
	})
	t.Remember([]string{"SELECT 1;", "SELECT 'हिन्दी',\n  '漢字';"})
	t.begin("sql> ")
	t.draw()
	return t, g
}

// typeInto handles keys, each followed by a drawing.
func typeInto(t *Terminal, keys string) {
	t.input = []byte(keys)
	for len(t.input) > 0 && !t.isOver {
		key, rest, _ := cutKey(t.input)
		t.input = rest
		t.handle(string(key))
		t.draw()
	}
}

func TestDraw(t *testing.T) {
	nine := strings.Join(strings.Split("123456789", ""), "\r")
	const hint = "\n…> ; ends the statement"
	for _, test := range []struct {
		name            string
		columns, height int
		keys, want      string
	}{
		{"a row", 20, 10, "SELECT 1", "sql> SELECT 1|"},
		{"a full row", 12, 10, "SELECT ", "sql> SELECT\n|"},
		{"a row that breaks", 12, 10, "SELECT 123\x1b[D\x1b[D\x1b[D\x1b[D", "sql> SELECT|\n123"},
		{"a removed row", 12, 10, "SELECT 123\x7f\x7f\x7f\x7f", "sql> SELECT|"},
		{"a wide character that has no room", 10, 10, "漢字中文", "sql> 漢字\n中文|"},
		{"a character of several code points", 20, 10, "'हिन्दी'\x1b[D\x1b[D", "sql> 'हिन्|दी'"},
		{"lines", 20, 10, "SELECT\r1;\x1b[D", "sql> SELECT\n     1|;"},
		{"a hint that is too wide", 12, 10, "SE\r1", "sql> SE\n     1|\n…> ; ends t…"},
		{"a line that isn't whole", 30, 10, "SELECT\r1\x1b[A", "sql> S|ELECT\n     1" + hint},
		{"a tab", 30, 10, "\x1b[200~a\tb\x1b[201~", "sql> a       b|"},
		{"Escape in a paste", 30, 10, "\x1b[200~a\x1b[31mb\x1b[201~", "sql> a␛[31mb|"},
		{"the end of a tall entry", 30, 5, nine, "     7\n     8\n     9|" + hint},
		{"the begin of a tall entry", 30, 5, nine + "\x1b<a", "sql> a|1\n     2\n     3" + hint},
		{"the middle of a tall entry", 30, 5, nine + strings.Repeat("\x1b[A", 4) + "a", "     5a|\n     6\n     7" + hint},
		{"completions", 36, 10, "s\t", "sql> session|\nsession_calls  session_days\nsessions"},
		{"a chosen completion", 36, 10, "s\t\t\t", "sql> session_days|\nsession_calls  session_days\nsessions"},
		{"a search", 30, 10, "\x12हिन", "sql> SELECT '|हिन्दी',\n       '漢字';\nsearch: हिन"},
		{"a search in vain", 30, 10, "abc\x12x", "sql> abc|\nnothing earlier has x"},
		{"a search that is given up", 30, 10, "abc\x12SEL\x07", "sql> abc|"},
		{"a cleared screen", 30, 10, "abc\x0cd", "sql> abcd|"},
	} {
		terminal, shown := behindGlass(test.columns, test.height)
		if typeInto(terminal, test.keys); shown.String() != test.want {
			t.Errorf("%s:\n%s\nwanted:\n%s", test.name, shown, test.want)
		}
	}
}

// TestDrawBelowOutput checks that output without a line end stays, and that output with
// a line end has no empty line below.
func TestDrawBelowOutput(t *testing.T) {
	for output, want := range map[string]string{
		"some":                             "some\nsql> 1|",
		"some\r\n":                         "some\nsql> 1|",
		strings.Repeat("x", 20):            strings.Repeat("x", 20) + "\nsql> 1|",
		strings.Repeat("x\r\n", 9) + "end": strings.Repeat("x\n", 8) + "end\nsql> 1|",
	} {
		terminal, shown := behindGlass(20, 10)
		shown.Write([]byte("\r\x1b[J" + output))
		terminal.begin("sql> ")
		if typeInto(terminal, "1"); shown.String() != want {
			t.Errorf("behind %q:\n%s\nwanted:\n%s", output, shown, want)
		}
	}
}

// TestDrawAgain types random keys and resizes the screen, and compares the screen with a
// drawing on an empty screen of that size.
func TestDrawAgain(t *testing.T) {
	keys := []string{
		"a", " ", "SELECT", "漢字", "हिन्दी", "👩‍👩‍👧", "e\u0301", ",", "1234567890", "\r", "\t", "\x1b[Z", "\x7f", "\x17", "\x15", "\x0b", "\x19", "\x1f",
		"\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b<", "\x1b>", "\x12", "\x07", "\x1b[200~x\ty\nz\x1b[201~",
	}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		terminal, shown := behindGlass(80, 24)
		for range 200 {
			var did string
			if random.IntN(10) == 0 {
				columns, height := 20+random.IntN(60), 5+random.IntN(20)
				shown.resize(columns, height)
				terminal.draw()
				did = fmt.Sprintf("resized to %d columns, %d rows", columns, height)
			} else {
				did = keys[random.IntN(len(keys))]
				typeInto(terminal, did)
			}
			if terminal.isOver {
				break
			}
			fresh := &glass{columns: shown.columns, height: shown.height}
			again := *terminal
			again.out, again.above, again.shownColumn = fresh, nil, 0
			again.draw()
			if shown.String() != fresh.String() {
				t.Fatalf("seed %d, after %q:\n%s\nan empty screen shows:\n%s", seed, did, shown, fresh)
			}
		}
	}
}
