package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/chart"
	"hindsql/engine/conversation"
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
	Class string // num, mid, long, id, bar, or empty
	Bar   string // width in percent; empty for a cell of text
	Label string // the column's title
	Index string // of a message, behind its session's id: :4
}

// Letters from which a column's lines are broken, and from which it gets room
// for sentences.
const midText, longText = 24, 40

// column is a column of bars: behind which other it stands, and how long they are.
type column struct {
	behind int
	widths []string // in percent, by row
}

// bars are the lengths of the bars of a chart, from zero on. There are none for
// numbers below zero.
func bars(d *chart.Data) []string {
	_, most := chart.Extent(d.Points)
	widths := make([]string, len(d.Points))
	for i, p := range d.Points {
		widths[i] = "0"
		if p.IsNumber() && p.Number > 0 {
			widths[i] = fmt.Sprintf("%.1f", max(0.5, p.Number/most*100))
		}
	}
	return widths
}

// tableOf makes a table, with a column of bars if there is one.
func tableOf(r *result.Set, of *column) htmlTable {
	t := htmlTable{Note: cutNote(r), Bars: of != nil}
	var classes []string
	for i, c := range r.Columns {
		classes = append(classes, class(r, i))
		t.Head = append(t.Head, htmlCell{Text: title(c), Class: headClass(classes[i])})
	}
	for n, row := range r.Rows[:min(len(r.Rows), shownRows)] {
		var cells []htmlCell
		for i, v := range row {
			cell := htmlCell{Text: valueText(v, r.Columns[i]), Class: classes[i], Label: title(r.Columns[i])}
			if cell.Class == "id" {
				cell.Text, cell.Index = cutIndex(cell.Text)
			}
			cells = append(cells, cell)
		}
		if of != nil {
			cells = slices.Insert(cells, of.behind+1, htmlCell{Class: "bar", Bar: of.widths[n]})
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Stack = slices.Contains(classes, "long")
	if of != nil {
		t.Head = slices.Insert(t.Head, of.behind+1, htmlCell{Class: "bar", Bar: "0"})
	}
	return t
}

func headClass(of string) string {
	if of == "num" {
		return of
	}
	return ""
}

// isID says that a column holds ids of sessions: they are shown by their beginning,
// and whole where they are copied.
func isID(c result.Column) bool {
	return c.Name == "session" || strings.HasSuffix(c.Name, "session_id")
}

// cutIndex parts a session's id from the index of a message in it, with its colon.
func cutIndex(reference string) (session, index string) {
	session, _ = conversation.Split(reference)
	return session, reference[len(session):]
}

func class(r *result.Set, column int) string {
	switch {
	case r.Columns[column].IsNumber():
		return "num"
	case isID(r.Columns[column]):
		return "id"
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
