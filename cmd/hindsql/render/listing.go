package render

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// Listing writes rows of short texts in columns, without borders. The last
// column is broken into lines that fit the width; 0 breaks none.
func Listing(w io.Writer, columns int, rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, s := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(s))
		}
	}
	b := bufio.NewWriter(w)
	for _, row := range rows {
		indent := 0
		for i, s := range row {
			if i == len(row)-1 {
				b.WriteString(Wrap(s, columns, indent))
				break
			}
			b.WriteString(s + strings.Repeat(" ", widths[i]-width(s)+2))
			indent += widths[i] + 2
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// Wrap breaks a text at spaces into lines of at most the given width, each but
// the first indented. Width 0, or one too narrow for prose, breaks nothing.
func Wrap(s string, columns, indent int) string {
	const least = 20
	room := columns - indent
	if columns == 0 || room < least {
		return s
	}
	var out strings.Builder
	used := 0
	for i, word := range strings.Fields(s) {
		n := width(word)
		switch {
		case i == 0:
		case used+1+n > room:
			out.WriteString("\n" + strings.Repeat(" ", indent))
			used = 0
		default:
			out.WriteByte(' ')
			used++
		}
		out.WriteString(word)
		used += n
	}
	return out.String()
}

// Quantity writes a number with its noun: "1 row", "12,345 rows".
func Quantity(n int64, noun string) string { return quantity(int(n), noun) }

// Thousands writes a number with commas: "12,345".
func Thousands(n int64) string { return thousands(int(n)) }

// Size writes a number of bytes: "812 B", "34.2 MB".
func Size(n int64) string {
	const units = "kMGTP"
	if n < 1000 {
		return thousands(int(n)) + " B"
	}
	f, unit := float64(n)/1000, 0
	for f >= 999.95 && unit < len(units)-1 {
		f /= 1000
		unit++
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") + " " + units[unit:unit+1] + "B"
}
