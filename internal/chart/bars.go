package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/words"
)

// bars turns the points into bars. If the declaration says "count", rows with the same
// label become one bar with their sum. Otherwise each row is a bar, and a note names
// labels with several rows.
func (d *Data) bars(p *plan) {
	d.Kind = Bar
	if p.Count && d.dated() {
		d.merge(func(p *Point) any { return p.instant.at.UnixNano() })
		d.fillBars()
	} else {
		if len(p.extra) > 0 {
			for i := range d.Points {
				d.Points[i].Label += " · " + d.Points[i].extra
			}
		}
		d.distinct(p)
	}
	d.write()
}

// distinct joins the numbers of rows with the same label if the declaration says how.
// Otherwise it notes labels with several rows.
func (d *Data) distinct(p *plan) {
	if p.joins() {
		before, falling := len(d.Points), d.falling()
		d.merge(func(p *Point) any { return p.Label })
		if falling && len(d.Points) < before {
			slices.SortStableFunc(d.Points, func(a, b Point) int { return cmp.Compare(b.Number, a.Number) })
		}
		return
	}
	seen := map[string]int{}
	var order []string
	for i := range d.Points {
		label := d.Points[i].Label
		if seen[label]++; seen[label] == 2 {
			order = append(order, label)
		}
	}
	d.noteShared(order, func(label string) int { return seen[label] })
}

// falling reports whether the greatest numbers come first. If they do, bars are sorted
// in this way again after sums.
func (d *Data) falling() bool {
	return slices.IsSortedFunc(d.Points, func(a, b Point) int { return cmp.Compare(b.Number, a.Number) })
}

// noteShared notes the first three labels with several rows.
func (d *Data) noteShared(labels []string, of func(string) int) {
	if len(labels) == 0 {
		return
	}
	const named, longestLabel = 3, 40 // the writer of a label makes it safe
	var parts []string
	for _, label := range labels[:min(len(labels), named)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", words.Line(label, longestLabel), rows(of(label))))
	}
	text := strings.Join(parts, ", ")
	if more := len(labels) - named; more > 0 {
		text += fmt.Sprintf(" and %s more", words.Int(more))
	}
	d.note("a label has several rows, nothing is summed: %s", text)
}

// merge joins points with the same key, in the order of each key's first point.
func (d *Data) merge(key func(*Point) any) {
	at := map[any]int{}
	merged := d.Points[:0:0]
	for _, p := range d.Points {
		k := key(&p)
		i, ok := at[k]
		if !ok {
			at[k] = len(merged)
			merged = append(merged, p)
			continue
		}
		merged[i].join(&p, d.Weight != "")
	}
	d.Points = merged
}

// join adds a point's number to the sum, or, if the numbers are weighted, makes their
// mean. A point without a number adds nothing.
func (sum *Point) join(p *Point, weighted bool) {
	sum.rows, sum.From = sum.rows+p.rows, -1
	sum.decimals = max(sum.decimals, p.decimals)
	switch {
	case !p.IsNumber():
		return
	case !sum.IsNumber():
		sum.Number, sum.Text, sum.finite, sum.weight = p.Number, p.Text, p.finite, p.weight
		return
	case !weighted:
		sum.Number += p.Number
	case sum.weight+p.weight > 0:
		sum.weight += p.weight
		sum.Number += (p.Number - sum.Number) * (p.weight / sum.weight)
	}
	if math.IsInf(sum.Number, 0) || math.IsNaN(sum.Number) {
		sum.Number, sum.Text, sum.finite = math.NaN(), "inf", false
	}
}

// dated reports whether every label except NULL is a time.
func (d *Data) dated() bool {
	some := false
	for i := range d.Points {
		p := &d.Points[i]
		if !p.instant.ok && !p.Null {
			return false
		}
		some = some || p.instant.ok
	}
	return some
}

// mostFilled is the maximum number of zeros inserted for days without a row. A chart
// with more would show only zeros.
const mostFilled = 10_000

// fillBars inserts a bar of zero for each day without a row between two days with rows.
// It sorts the bars by time, forwards or backwards like the rows.
func (d *Data) fillBars() {
	nulls := slices.DeleteFunc(slices.Clone(d.Points), func(p Point) bool { return p.instant.ok })
	dated := slices.DeleteFunc(d.Points, func(p Point) bool { return !p.instant.ok })
	backwards := len(dated) > 1 && dated[0].instant.at.After(dated[len(dated)-1].instant.at)
	for i := range dated {
		dated[i].At = dated[i].instant.at
	}
	byTime(dated)
	dated = gridOf(dated, d.Label).filled(dated)
	for i := range dated {
		if dated[i].rows == 0 {
			dated[i].Label = dated[i].At.Format("2006-01-02 15:04"[:len(gridForm(dated))])
		}
	}
	if backwards {
		slices.Reverse(dated)
	}
	d.Points = append(dated, nulls...)
}

// gridForm returns a time format for inserted bars. It is as long as the shortest label
// of a row.
func gridForm(points []Point) string {
	const longest = "2006-01-02 15:04"
	for i := range points {
		if n := len(points[i].Label); points[i].rows > 0 && n < len(longest) {
			return longest[:n]
		}
	}
	return longest
}

// write sets each point's text for people. A sum gets as many decimals as its parts
// have.
func (d *Data) write() {
	for i := range d.Points {
		p := &d.Points[i]
		switch {
		case !p.IsNumber():
		case p.rows != 1:
			p.Text = d.inWords(strconv.FormatFloat(p.Number, 'f', p.decimals, 64))
		default:
			p.Text = d.inWords(p.Text)
		}
	}
}
