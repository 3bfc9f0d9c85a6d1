package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"hindsql/internal/whole"
	"hindsql/queries"
)

// TestWidths: on terminals of three widths, the main columns of an answer are visible.
// No line is wider than the terminal. On 120 columns the main text of a table has at least
// 40, that of a saved query 28, with no id before it. The footer counts the hidden columns.
func TestWidths(t *testing.T) {
	t.Parallel()
	saved, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, text string }{
		{"overview", ""}, // only numbers
		{"sessions", "about"},
		{"rejections", "refused"},
		{"FROM messages", "text"},
		{"FROM rejections", ""}, // several texts
		{"FROM search('the')", "snippet"},
	} {
		for _, columns := range []int{80, 120, 200} {
			t.Run(c.command+" at "+strconv.Itoa(columns), func(t *testing.T) {
				if columns != 120 {
					whole.Test(t, "other widths than the usual")
				}
				all := len(strings.Split(firstLine(answerAt(t, 0, "--format", "csv", c.command)), ","))
				got := answerAt(t, columns, c.command)
				for _, line := range strings.Split(got, "\n") {
					if n := utf8.RuneCountInString(line); n > columns && !strings.HasPrefix(line, "+ ") {
						t.Fatalf("a line of %d columns:\n%s", n, line)
					}
				}
				if !strings.HasPrefix(got, "┌") {
					return // the line format hides nothing
				}
				heads, widths := head(got)
				hidden := hiddenIn(got)
				if q := queries.Named(saved, c.command); q != nil && hidden == 0 {
					all -= len(q.Hidden) // files have the hidden columns; a table with other columns left out names them, too
				}
				if len(heads)+hidden != all {
					t.Errorf("%d columns are shown and %d said to be hidden, of %d:\n%s", len(heads), hidden, all, got)
				}
				if columns == 120 && c.text != "" {
					least := 40
					if queries.Named(saved, c.command) != nil {
						least = 26 // the card's other columns are kept, too
					}
					checkText(t, c.text, least, heads, widths)
				}
			})
		}
	}
}

// TestWidthsOfPages: no line of a session's page is wider than the terminal.
func TestWidthsOfPages(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{80, 120, 200}[:whole.Or(3, 1)] {
		got := answerAt(t, columns, "show", "9a3f50d7")
		for _, line := range strings.Split(got, "\n") {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("at %d a line of %d columns: %s", columns, n, line)
			}
		}
	}
}

// TestColoursOfPages: on a terminal, output has hindsql's colours as escape sequences,
// not as visible codes.
func TestColoursOfPages(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"show", "9a3f50d7"}, {"find", "promo"}, {"rejections"}, {"doctor"}} {
		e, stdout, stderr := onSample(t, append(args, "--no-pager")...)
		e.stdoutTerminal, e.width = true, 100
		if got := succeed(t, e, stdout, stderr); !strings.Contains(got, "\x1b[") || strings.Contains(got, "␛") {
			t.Errorf("%s:\n%q", args, got[:min(len(got), 300)])
		}
	}
}

// checkText checks that the column with the main text is shown, has a width of at least
// least, and comes before any id.
func checkText(t *testing.T, text string, least int, heads []string, widths []int) {
	t.Helper()
	isID := regexp.MustCompile(`^(session|source|uuid|.*_id|.*uuid)$`)
	for i, name := range heads {
		switch {
		case name == text && widths[i] < least:
			t.Errorf("%s has %d columns", text, widths[i])
			return
		case name == text:
			return
		case isID.MatchString(name):
			t.Errorf("%s stands before %s", name, text)
		}
	}
	t.Errorf("no %s among %q", text, heads)
}

// head returns the names and widths of a table's shown columns.
func head(table string) (names []string, widths []int) {
	lines := strings.SplitN(table, "\n", 3)
	for _, border := range strings.Split(strings.Trim(lines[0], "┌┐"), "┬") {
		widths = append(widths, utf8.RuneCountInString(border)-2)
	}
	for _, name := range strings.Split(strings.Trim(lines[1], "│…"), "│") {
		names = append(names, strings.TrimSpace(name))
	}
	return names, widths
}

var hiddenColumns = regexp.MustCompile(`(?m)^\+ (\d+) columns?:`)

// hiddenIn returns the number of hidden columns in the table's last lines.
func hiddenIn(table string) int {
	n := 0
	if m := hiddenColumns.FindStringSubmatch(table); m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	return n
}

// answerAt returns a command's output on a terminal of that many columns; 0 for a pipe.
func answerAt(t *testing.T, columns int, args ...string) string {
	t.Helper()
	e, stdout, stderr := onSample(t, args...)
	e.getenv = cachedIn(sampleCache(), "NO_COLOR=1", "PAGER=cat")
	e.stdoutTerminal, e.width = columns > 0, columns
	return succeed(t, e, stdout, stderr)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
