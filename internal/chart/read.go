package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/lists"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Data is the drawable form of a result. A line has at most [UsualPoints] points; see
// [Data.Fit].
type Data struct {
	Kind   Kind
	Label  string // names of the label columns; for ranges, of the number column
	Value  string // name of the number column; "rows" for ranges
	At     int    // index of the number column in the result
	Unit   Unit   // for a line's and bar's numbers
	Count  bool   // numbers may be summed
	Weight string // name of the column by which numbers are joined to a mean; empty if none
	Days   bool   // of a line: true if its times are days, without a clock
	Points []Point
	Rows   int      // of the result
	Notes  []string // parts of sentences about rows not drawn, or drawn changed

	// Step is the time that a line's point stands for, if several rows' times were joined:
	// "week". Empty if each point is a time of the rows.
	Step string

	inWords func(number string) string // formats a number of the value column for people
	named   string                     // the value in words, with its unit
	title   string                     // of a line
	whole   *unfitted                  // of a line
}

// Point is a bar, a moment of a line, or a range.
type Point struct {
	Label  string    // raw text of the log: the drawing code makes it safe
	Null   bool      // true if the label is NULL, with "NULL" as text
	At     time.Time // of a line, in the session's time zone; the beginning of the step
	Number float64   // NaN for NULL and for values without a finite number
	Text   string    // the number for people; or "NULL", "nan" or "inf"
	Gap    bool      // of a line: not joined to the point before, because times between are missing
	From   int       // index of the point's row, from 0; -1 if the point has no row, or several

	extra    string  // texts beside a time
	rows     int     // number of rows in the point
	decimals int     // decimals of the number as recorded
	weight   float64 // from the weight column; 0 if there is none
	finite   bool    // true if the value is a finite number or NULL
	instant  instant // the label as a time, if the label is one
}

// instant is a moment, comparable across time zones.
type instant struct {
	at time.Time
	ok bool
}

// IsNumber reports whether the point has a finite number.
func (p *Point) IsNumber() bool { return !math.IsNaN(p.Number) }

// plan holds the columns to draw and their roles.
type plan struct {
	Declaration
	axes
	extra  []int // text columns after a time, to tell apart rows of the same time
	inRule bool  // true if the rule chose the columns
}

// Read reads a result and returns its points. The declaration says which columns are
// drawn. If d is nil or has only a kind, a rule decides: the label is the first time or
// text, with the texts right after it; the value is the first number after the label. If
// all columns are numbers, the first is the label. The rule sums numbers and fills in
// missing days only if d names the column in Sums.
func Read(r *result.Rows, d *Declaration) (*Data, error) {
	p, err := planOf(r.Columns, d)
	if err != nil {
		return nil, cmp.Or(drain(r), err)
	}
	all := &Data{Kind: p.Kind, Value: r.Columns[p.value].Name, At: p.value, Count: p.Count, Weight: p.Weight}
	all.Unit, all.named = cmp.Or(p.Unit, unitOf(all.Value)), p.valueWords(all.Value)
	all.Label = lists.Join(p.label, ", ", func(i int) string { return r.Columns[i].Name })
	types := result.Types(r.Columns)
	all.inWords = func(number string) string { return types[p.value].Words(number, all.Value) }
	for values, err := range r.All() {
		if err != nil {
			return nil, err
		}
		point := p.point(values, types)
		point.From = all.Rows
		all.Rows++
		if p.Except == "" || !slices.ContainsFunc(p.label, func(i int) bool { return types[i].Text(values[i]) == p.Except }) {
			all.Points = append(all.Points, point)
		}
	}
	if left := all.Rows - len(all.Points); left > 0 {
		all.addNote("%q is not drawn", p.Except)
	}
	all.addNumbersNote()
	switch {
	case len(p.Ranges) > 0:
		all.ranges(p.Ranges)
	case p.Kind == Line || p.inRule && p.Kind == "":
		all.makeLine(p, types)
	default:
		all.makeBars(p)
	}
	return all, nil
}

func drain(r *result.Rows) error {
	for r.Next() {
	}
	return r.Err()
}

func planOf(columns []result.Column, d *Declaration) (p *plan, err error) {
	p = &plan{}
	if d != nil && d.Value != "" {
		p.Declaration = *d
		p.axes, err = d.bind(columns)
		return p, err
	}
	p.inRule = true
	if d != nil {
		p.Declaration = *d
	}
	if err = cmp.Or(p.Wrong, p.chooseColumns(columns)); err == nil {
		p.Count = slices.Contains(p.Sums, p.value)
	}
	return p, err
}

// chooseColumns chooses the columns of a chart without a declaration.
func (p *plan) chooseColumns(columns []result.Column) error {
	isNumber := result.Column.IsNumber
	label := slices.IndexFunc(columns, func(c result.Column) bool { return !c.IsNumber() })
	p.value = slices.IndexFunc(columns, isNumber)
	switch {
	case p.value < 0:
		have := lists.Join(columns, ", ", func(c result.Column) string { return c.Name + " " + c.Type })
		return fmt.Errorf("chart: no number among %s; bars need a text and a number, a line a time and a number", have)
	case len(columns) == 1:
		return fmt.Errorf("chart: no label beside the number %s; declare ranges to count its rows: -- chart bar value=%[1]s ranges=1,10,100", columns[0].Name)
	case label < 0: // only numbers, such as an hour and a count
		p.label, p.value, p.Kind = []int{0}, 1, Bar
		return nil
	}
	end := label
	for end < len(columns) && !columns[end].IsNumber() {
		end++
	}
	if after := slices.IndexFunc(columns[end:], isNumber); after >= 0 {
		p.value = end + after
	}
	for i := label; i < end; i++ {
		p.label = append(p.label, i)
	}
	if columns[label].IsTime() {
		p.label, p.extra = p.label[:1], p.label[1:]
	}
	return nil
}

func (p *plan) point(values []any, types []result.Type) Point {
	point := Point{Number: math.NaN(), Text: types[p.value].Text(values[p.value]), rows: 1}
	n, err := strconv.ParseFloat(point.Text, 64)
	point.finite = values[p.value] == nil || err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
	if values[p.value] != nil && point.finite {
		point.Number = n
		_, fraction, _ := strings.Cut(point.Text, ".")
		if fraction != "0" && !strings.ContainsAny(fraction, "eE") {
			point.decimals = len(fraction)
		}
	}
	point.Label, point.Null = joined(p.label, values, types)
	point.extra, _ = joined(p.extra, values, types)
	if p.Weight != "" {
		if w, err := strconv.ParseFloat(types[p.weight].Text(values[p.weight]), 64); err == nil && w > 0 && !math.IsInf(w, 0) {
			point.weight = w
		}
	}
	if len(p.label) == 1 {
		point.instant = instantOf(values[p.label[0]], &types[p.label[0]])
	}
	return point
}

// joined joins the label columns that aren't NULL. null is true if all are NULL.
func joined(at []int, values []any, types []result.Type) (label string, null bool) {
	null = len(at) > 0
	var parts []string
	for _, i := range at {
		null = null && values[i] == nil
		if values[i] != nil || len(at) == 1 {
			parts = append(parts, types[i].Text(values[i]))
		}
	}
	if null {
		return "NULL", true
	}
	return strings.Join(parts, " · "), false
}

// instantOf reads a label as a time: a value of a time type, or a text like a date.
// Infinite times don't count.
func instantOf(v any, t *result.Type) instant {
	const end = 200_000 // years beyond mean infinity
	switch v := v.(type) {
	case time.Time:
		return instant{v, t.IsTime() && v.Year() < end && v.Year() > -end}
	case string:
		for _, form := range []string{time.DateOnly, "2006-01", "2006-01-02 15:04", time.DateTime} {
			if len(v) == len(form) {
				if at, err := time.Parse(form, v); err == nil {
					return instant{at, true}
				}
			}
		}
	}
	return instant{}
}

func (d *Data) addNote(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// addNumbersNote notes how many rows have no drawable number.
func (d *Data) addNumbersNote() {
	nulls, odd := d.countUndrawn()
	if nulls > 0 {
		d.addNote("%s with NULL for %s", rows(nulls), d.Value)
	}
	if odd > 0 {
		d.addNote("%s with no finite %s", rows(odd), d.Value)
	}
}

// countUndrawn counts the rows whose number is NULL, and the rows whose number is nan or
// infinite.
func (d *Data) countUndrawn() (nulls, odd int) {
	for i := range d.Points {
		switch p := &d.Points[i]; {
		case !p.finite:
			odd++
		case !p.IsNumber():
			nulls++
		}
	}
	return nulls, odd
}

func rows(n int) string { return words.Quantity(n, "row") }

// Set returns the chart as a result with two columns, label and number.
func (d *Data) Set() *result.Set {
	kind := "BIGINT"
	if slices.ContainsFunc(d.Points, func(p Point) bool { return p.IsNumber() && !isWhole(p.Number) }) {
		kind = "DOUBLE"
	}
	set := &result.Set{Columns: []result.Column{{Name: d.Label, Type: "VARCHAR"}, {Name: d.Value, Type: kind}}}
	for _, p := range d.Points {
		row := []any{p.Label, nil}
		switch {
		case p.IsNumber() && kind == "BIGINT":
			row[1] = int64(p.Number)
		case p.IsNumber():
			row[1] = p.Number
		}
		set.Rows = append(set.Rows, row)
	}
	return set
}

func isWhole(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1e15 }

// HasBarPerRow reports whether the chart has exactly one bar for each row of the
// result, so the bars can be drawn beside the rows.
func (d *Data) HasBarPerRow(rows int) bool {
	return len(d.Points) == rows && !slices.ContainsFunc(d.Points, func(p Point) bool { return p.From < 0 })
}
