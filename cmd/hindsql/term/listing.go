package term

import (
	"bufio"
	"io"
	"strings"
)

// Listing writes rows of short texts in aligned columns without borders. The last
// column is wrapped to the width columns; 0 means no wrapping.
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

// Wrap breaks a text at spaces into lines of the width columns, and indents all lines
// after the first. It breaks nothing if the width is 0, or too narrow for prose.
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
