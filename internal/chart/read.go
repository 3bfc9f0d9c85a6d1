package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Data is what is drawn of a result.
type Data struct {
	Kind   Kind
	Label  string // the columns of the labels; of a histogram the column of the numbers
	Value  string // the column of the numbers; of a histogram "rows"
	At     int    // the place of Value among the result's columns
	Unit   Unit   // of a line's and bar's numbers
	Count  bool   // numbers may be summed
	Days   bool   // of a line: its times are days, without a clock
	Points []Point
	Rows   int      // of the result
	Notes  []string // what isn't drawn as it is, each a part of a sentence

	inWords func(number string) string // a number of the values' column
}

// Point is a bar, a moment of a line, or a range of a histogram.
type Point struct {
	Label  string    // raw text of the log: what draws it makes it safe
	Null   bool      // the label is NULL, and reads so
	At     time.Time // of a line, in the session's time zone
	Number float64   // NaN for NULL, and for what is no finite number
	Text   string    // the number for people; "NULL", "nan" or "inf" where it is none
	Gap    bool      // of a line: not joined to the point before, as times between are missing
	From   int       // the row it is of, counted from 0; -1 when it is of none or of several

	extra    string  // texts that stand beside a time
	rows     int     // that it is made of
	decimals int     // of the number as it was written
	finite   bool    // the value was a number, or NULL
	instant  instant // the label as a time, where it is one
}

// instant is a moment that compares alike in any zone.
type instant struct {
	at time.Time
	ok bool
}

// IsNumber says that the point has a finite number.
func (p *Point) IsNumber() bool { return !math.IsNaN(p.Number) }

// plan says which columns are drawn, and as what.
type plan struct {
	Declaration
	axes
	extra  []int // texts behind a time; they part rows of one time
	inRule bool  // no declaration, but the rule
}

// Read takes from a result what the declaration says. With none, or one that
// says a kind only, the rule decides: the label is the first time or text,
// with the texts right behind it; the value is the first number after it; of
// numbers alone the first is the label, of one alone the histogram. The rule sums
// nothing and fills nothing.
func Read(r *result.Rows, d *Declaration) (*Data, error) {
	p, err := planOf(r.Columns, d)
	if err != nil {
		return nil, cmp.Or(drain(r), err)
	}
	all := &Data{Kind: p.Kind, Value: r.Columns[p.value].Name, At: p.value, Count: p.Count, Unit: cmp.Or(p.Unit, UnitOf(r.Columns[p.value].Name))}
	all.Label = names(pick(r.Columns, p.label))
	types := result.Types(r.Columns)
	all.inWords = func(number string) string { return types[p.value].Words(number, all.Value) }
	for values, err := range r.All() {
		if err != nil {
			return nil, err
		}
		point := p.point(values, types)
		point.From = all.Rows
		all.Rows++
		if !p.excepted(values, types) {
			all.Points = append(all.Points, point)
		}
	}
	if left := all.Rows - len(all.Points); left > 0 {
		all.note("%q is not drawn", p.Except)
	}
	all.noteNumbers()
	switch {
	case p.Kind == Hist:
		all.bins()
	case p.Kind == Line || p.inRule && p.Kind == "":
		all.overTime(p, types)
	default:
		all.bars(p)
	}
	return all, nil
}

func drain(r *result.Rows) error {
	for r.Next() {
	}
	return r.Err()
}

func pick(columns []result.Column, at []int) (picked []result.Column) {
	for _, i := range at {
		picked = append(picked, columns[i])
	}
	return picked
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
	return p, p.rule(columns)
}

// rule chooses the columns of a chart that nobody declared.
func (p *plan) rule(columns []result.Column) error {
	isNumber := result.Column.IsNumber
	label := slices.IndexFunc(columns, func(c result.Column) bool { return !c.IsNumber() })
	p.value = slices.IndexFunc(columns, isNumber)
	switch {
	case p.value < 0:
		return noNumber(columns)
	case p.Kind == Hist || label < 0 && len(columns) == 1 && p.Kind == "":
		p.Kind = Hist
		return nil
	case label < 0 && len(columns) == 1:
		return fmt.Errorf("chart: a %s needs a label beside the number %s", p.Kind, columns[0].Name)
	case label < 0: // numbers only, such as an hour and a count
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

func noNumber(columns []result.Column) error {
	var have []string
	for _, c := range columns {
		have = append(have, c.Name+" "+c.Type)
	}
	return fmt.Errorf("chart: no number among %s; bars need a text and a number, a line a time and a number, a histogram one number alone", strings.Join(have, ", "))
}

func (p *plan) excepted(values []any, types []result.Type) bool {
	return p.Except != "" && slices.ContainsFunc(p.label, func(i int) bool { return types[i].Text(values[i]) == p.Except })
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
	if len(p.label) == 1 {
		point.instant = instantOf(values[p.label[0]], &types[p.label[0]])
	}
	return point
}

// joined is a label of several columns, without those that are NULL; null says
// that all are.
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

// instantOf reads a label as a time: one of a time's type, or a text that is
// written like a date. An infinite time is none.
func instantOf(v any, t *result.Type) instant {
	const end = 200_000 // a year beyond which only infinity lies
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

func (d *Data) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// noteNumbers says how many rows have no number that can be drawn.
func (d *Data) noteNumbers() {
	nulls, odd := d.without()
	if nulls > 0 {
		d.note("%s with NULL for %s", rows(nulls), d.Value)
	}
	if odd > 0 {
		d.note("%s with no finite %s", rows(odd), d.Value)
	}
}

// without counts the rows whose number is NULL, and those of which it is nan or
// infinite.
func (d *Data) without() (nulls, odd int) {
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
