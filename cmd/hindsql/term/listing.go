package term

import (
	"bufio"
	"io"
	"strings"
)

// leastRoom is the width of a column that is too narrow for prose.
const leastRoom = 20

// Listing writes rows of short texts in aligned columns without borders. The last
// column is wrapped to the width columns. If no room is left for the last column, a
// value that doesn't fit begins a line. A width of 0 means no wrapping.
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
		b.WriteString(strings.TrimRight(aligned(row, widths, columns), " ") + "\n")
	}
	return b.Flush()
}

func aligned(row []string, widths []int, columns int) string {
	var b strings.Builder
	indent := 0
	for i, s := range row {
		if i == len(row)-1 {
			if columns > 0 && indent+min(width(s), leastRoom) > columns {
				return folded(row, columns)
			}
			b.WriteString(Wrap(s, columns, indent))
			break
		}
		b.WriteString(s + strings.Repeat(" ", widths[i]-width(s)+2))
		indent += widths[i] + 2
	}
	return b.String()
}

// folded returns a row in lines that fit the width.
func folded(row []string, columns int) string {
	const indent = 2
	var b strings.Builder
	used := 0
	for i, s := range row {
		switch n := width(s); {
		case n == 0:
		case i == 0:
			b.WriteString(s)
			used = n
		case used+2+n <= columns:
			b.WriteString("  " + s)
			used += 2 + n
		default:
			s = Wrap(s, columns, indent)
			b.WriteString("\n" + strings.Repeat(" ", indent) + s)
			used = indent + width(s[strings.LastIndexByte(s, '\n')+1:])
		}
	}
	return b.String()
}

// Wrap breaks a text at spaces into lines of the width columns, and indents all lines
// after the first. It breaks nothing if the width is 0, or too narrow for prose.
func Wrap(s string, columns, indent int) string {
	room := columns - indent
	if columns == 0 || room < leastRoom {
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
