package html

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/internal/chart"
	"hindsql/internal/lists"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// ShownRows is the default maximum number of a table's rows.
const ShownRows = 100

// TableOptions holds options for a table. The zero value is valid.
type TableOptions struct {
	By   string                       // id of the table's heading
	Link func(row, column int) string // URL of a cell; empty if none
	Rows int                          // maximum number of rows; 0 for ShownRows
	// Exact: columns and values are written as in SQL.
	Exact bool
}

// value writes a value; NULL is empty.
func (o *TableOptions) value(v any, c result.Column) string {
	if !o.Exact || v == nil {
		return Value(v, c)
	}
	t := result.TypeOf(c.Type)
	return t.Text(v)
}

// Table returns a result as a scrollable table.
func Table(r *result.Set, o TableOptions) template.HTML { return execute("table", tableOf(r, nil, o)) }

// CutNote says how many rows are shown; empty if all are.
func CutNote(r *result.Set, most int) string {
	if len(r.Rows) <= most {
		return ""
	}
	return fmt.Sprintf("The first %d of %s rows.", most, words.Int(len(r.Rows)))
}

// htmlTable is a table in the template's form.
type htmlTable struct {
	By   string
	Head []htmlCell
	Rows [][]htmlCell
	Note string
	// Stack: on a phone each row is a block of lines, because texts are long.
	Stack bool
	Bars  bool
}

// htmlCell is a cell, or a bar between cells.
type htmlCell struct {
	Text  string
	Class string // num, mid, long, id, bar, or empty
	Bar   string // width in percent; empty for a cell of text
	Label string // the column's title
	Index string // index of a message, after the session's id: :4
	Link  string
}

// Lengths in letters: from midText on a column's lines are broken, and from longText on
// the column gets room for sentences.
const midText, longText = 24, 40

// column is a column of bars in a table. behind is the index of the column that the
// bars follow.
type column struct {
	behind int
	widths []string // lengths of bars in percent, by row
}

// bars returns the lengths of a chart's bars, starting at zero. Negative numbers have
// no bar.
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

// tableOf makes a table, with a column of bars if of isn't nil.
func tableOf(r *result.Set, of *column, o TableOptions) htmlTable {
	most := cmp.Or(o.Rows, ShownRows)
	t := htmlTable{By: o.By, Note: CutNote(r, most), Bars: of != nil}
	var classes []string
	for i, title := range o.titles(r.Columns) {
		classes = append(classes, class(r, i))
		head := htmlCell{Text: title}
		if classes[i] == "num" {
			head.Class = "num"
		}
		t.Head = append(t.Head, head)
	}
	for n, row := range r.Rows[:min(len(r.Rows), most)] {
		var cells []htmlCell
		for i, v := range row {
			cell := htmlCell{Text: printable.Text(beginning(o.value(v, r.Columns[i]), longestCell)), Class: classes[i], Label: t.Head[i].Text}
			if cell.Class == "id" {
				cell.Text, cell.Index = CutIndex(cell.Text)
			}
			if o.Link != nil {
				cell.Link = o.Link(n, i)
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

// titles returns the columns' titles.
func (o *TableOptions) titles(columns []result.Column) []string {
	if !o.Exact {
		return Titles(columns)
	}
	return lists.Map(columns, func(c result.Column) string { return printable.Line(c.Name) })
}

// IsID reports whether a column holds ids of sessions. The page shows the beginning of
// an id, and copies the whole id.
func IsID(c result.Column) bool {
	return c.Name == "session" || strings.HasSuffix(c.Name, "session_id")
}

// CutIndex splits a session's id from the index of a message, with the colon.
func CutIndex(reference string) (session, index string) {
	session, _ = conversation.Split(reference)
	return session, reference[len(session):]
}

func class(r *result.Set, column int) string {
	switch {
	case r.Columns[column].IsNumber():
		return "num"
	case IsID(r.Columns[column]):
		return "id"
	}
	most := 0
	for _, row := range r.Rows {
		s := Value(row[column], r.Columns[column])
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

// Titles returns the columns' names for people. A duration's title has no unit, because
// each value has one.
func Titles(columns []result.Column) []string {
	return lists.Map(result.Heads(columns), func(name string) string { return printable.Text(beginning(words.Spaced(name), longestLabel)) })
}

// Paragraphs splits a text at empty lines; nil for an empty text.
func Paragraphs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n\n")
}

// Value writes a value for people; NULL is empty.
func Value(v any, c result.Column) string {
	if v == nil {
		return ""
	}
	if s, ok := v.(string); ok && c.Type == "VARCHAR" {
		return s
	}
	t := result.TypeOf(c.Type)
	return t.Words(v, c.Name)
}

// Grid returns rows of two labels and a number as a table with a row for each first
// label and a column for each second label, both in the result's order. A 0 is empty.
func Grid(r *result.Set) *result.Set {
	grid := &result.Set{Columns: []result.Column{r.Columns[0]}}
	cells, labels := map[[2]string]float64{}, []string(nil)
	for _, row := range r.Rows {
		at := [2]string{Value(row[0], r.Columns[0]), Value(row[1], r.Columns[1])}
		if !slices.Contains(labels, at[0]) {
			labels = append(labels, at[0])
		}
		if c := (result.Column{Name: at[1], Type: r.Columns[2].Type}); !slices.Contains(grid.Columns[1:], c) {
			grid.Columns = append(grid.Columns, c)
		}
		n, _ := number(row[2])
		cells[at] += n
	}
	for _, label := range labels {
		row := []any{label}
		for _, c := range grid.Columns[1:] {
			row = append(row, gridValue(cells[[2]string{label, c.Name}]))
		}
		grid.Rows = append(grid.Rows, row)
	}
	return grid
}

// gridValue returns a cell's number, as an integer if possible; nil for 0.
func gridValue(n float64) any {
	switch {
	case n == 0:
		return nil
	case n == math.Trunc(n) && math.Abs(n) < 1e15:
		return int64(n)
	}
	return n
}
