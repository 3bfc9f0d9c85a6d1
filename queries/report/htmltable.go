package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/engine/result"
)

// htmlTable is a table as the template wants it.
type htmlTable struct {
	Head []htmlCell
	Rows [][]htmlCell
	Note string
	// Stack: on a phone each row is a block of lines, as its texts are long.
	Stack bool
	Bars  bool
}

// htmlCell is a cell, or a bar between cells.
type htmlCell struct {
	Text  string
	Class string // num, mid, long, bar, or empty
	Bar   string // width in percent; empty for a cell of text
	Label string // the column's title
}

// Letters from which a column's lines are broken, and from which it gets room
// for sentences.
const midText, longText = 24, 40

// bars are the widths of the bars by row.
func (p *Part) bars() []string {
	_, value := axes(&p.Set, Bars)
	most := greatest(&p.Set, value)
	widths := make([]string, len(p.Rows))
	for i, row := range p.Rows {
		widths[i] = "0"
		if n, ok := number(row[value]); ok && n > 0 && most > 0 {
			widths[i] = fmt.Sprintf("%.1f", max(0.5, n/most*100))
		}
	}
	return widths
}

// tableOf makes a table; bars, if there are any, follow the number they are of.
func tableOf(r *result.Set, bars []string) htmlTable {
	t := htmlTable{Note: cutNote(r), Bars: bars != nil}
	_, value := axes(r, Bars)
	var classes []string
	for i, c := range r.Columns {
		classes = append(classes, class(r, i))
		t.Head = append(t.Head, htmlCell{Text: title(c), Class: headClass(classes[i])})
	}
	for n, row := range r.Rows[:min(len(r.Rows), shownRows)] {
		var cells []htmlCell
		for i, v := range row {
			cells = append(cells, htmlCell{Text: valueText(v, r.Columns[i]), Class: classes[i], Label: title(r.Columns[i])})
		}
		if bars != nil {
			cells = slices.Insert(cells, value+1, htmlCell{Class: "bar", Bar: bars[n]})
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Stack = slices.Contains(classes, "long")
	if bars != nil {
		t.Head = slices.Insert(t.Head, value+1, htmlCell{Class: "bar", Bar: "0"})
	}
	return t
}

func headClass(of string) string {
	if of == "num" {
		return of
	}
	return ""
}

func class(r *result.Set, column int) string {
	if r.Columns[column].IsNumber() {
		return "num"
	}
	most := 0
	for _, row := range r.Rows {
		s := valueText(row[column], r.Columns[column])
		most = max(most, utf8.RuneCountInString(s))
		if strings.Contains(s, "\n") {
			return "long"
		}
	}
	switch {
	case most > longText:
		return "long"
	case most > midText:
		return "mid"
	}
	return ""
}
