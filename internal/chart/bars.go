package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/words"
)

// makeBars turns the points into bars. If the declaration says "count", rows with the same
// label become one bar with their sum. Otherwise each row is a bar, and a note names
// labels with several rows.
func (d *Data) makeBars(p *plan) {
	d.Kind = Bar
	if p.Count && d.isDated() {
		d.merge(func(p *Point) any { return p.instant.at.UnixNano() })
		d.fillBars()
	} else {
		if len(p.extra) > 0 {
			for i := range d.Points {
				d.Points[i].Label += " · " + d.Points[i].extra
			}
		}
		d.joinSameLabels(p)
	}
	d.setTexts()
}

// joinSameLabels joins the numbers of rows with the same label if the declaration says
// how. Otherwise it notes labels with several rows. If the greatest numbers come first,
// they come first again after the sums.
func (d *Data) joinSameLabels(p *plan) {
	if p.joins() {
		descending := func(a, b Point) int { return cmp.Compare(b.Number, a.Number) }
		before, isDescending := len(d.Points), slices.IsSortedFunc(d.Points, descending)
		d.merge(func(p *Point) any { return p.Label })
		if isDescending && len(d.Points) < before {
			slices.SortStableFunc(d.Points, descending)
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
	d.addSharedNote(order, func(label string) int { return seen[label] })
}

// addSharedNote notes the first three labels with several rows.
func (d *Data) addSharedNote(labels []string, of func(string) int) {
	if len(labels) == 0 {
		return
	}
	const named, longestLabel = 3, 40 // the writer of a label makes it safe
	text := lists.Join(labels[:min(len(labels), named)], ", ", func(label string) string {
		return fmt.Sprintf("%s (%s)", words.Line(label, longestLabel), rows(of(label)))
	})
	if more := len(labels) - named; more > 0 {
		text += fmt.Sprintf(" and %s more", words.Int(more))
	}
	d.addNote("a label has several rows, nothing is summed: %s", text)
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

// isDated reports whether every label except NULL is a time.
func (d *Data) isDated() bool {
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
	dated = gridOf(dated, d.Label).fillSteps(dated)
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

// setTexts sets each point's text for people. A sum gets as many decimals as its parts
// have.
func (d *Data) setTexts() {
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

// mostRanges is the maximum number of ends of ranges in a declaration.
const mostRanges = 40

func (d *Declaration) setRanges(value string) error {
	for _, text := range strings.Split(value, ",") {
		end, err := strconv.ParseFloat(text, 64)
		n := len(d.Ranges)
		if err != nil || math.IsInf(end, 0) || math.IsNaN(end) || n == mostRanges || n > 0 && end <= d.Ranges[n-1] {
			return fmt.Errorf("chart: ranges=%s is no list of at most %d ascending numbers; write the ends of ranges, such as ranges=1,10,100", value, mostRanges)
		}
		d.Ranges = append(d.Ranges, end)
	}
	return nil
}

// ranges turns the points into bars of ranges. A range counts the rows with numbers
// from its first end to below its last. Empty ranges at both ends are left out. Rows
// without a number come last.
func (d *Data) ranges(ends []float64) {
	counts := make([]int, len(ends)+1)
	for i := range d.Points {
		if p := &d.Points[i]; p.IsNumber() {
			at, exact := slices.BinarySearch(ends, p.Number)
			if exact {
				at++
			}
			counts[at]++
		}
	}
	nulls, odd := d.countUndrawn()
	unit, all := d.Unit, d.Points[:0:0]
	add := func(label string, rows int) {
		all = append(all, Point{Label: label, Number: float64(rows), Text: words.Int(rows), From: -1})
	}
	for i, rows := range counts {
		switch {
		case i == 0:
			add("below "+unit.Mark(ends[0]), rows)
		case i == len(ends):
			add(unit.Mark(ends[i-1])+" and more", rows)
		default:
			add(unit.Mark(ends[i-1])+" – "+unit.Mark(ends[i]), rows)
		}
	}
	for len(all) > 0 && all[0].Number == 0 {
		all = all[1:]
	}
	for len(all) > 0 && all[len(all)-1].Number == 0 {
		all = all[:len(all)-1]
	}
	if nulls > 0 {
		add("NULL", nulls)
	}
	if odd > 0 {
		add("nan, inf", odd)
	}
	for i := range all {
		all[i].Null = i >= len(all)-min(nulls, 1)-min(odd, 1)
	}
	d.Label, d.Value, d.Unit, d.Points = d.Value, "rows", "", all
}
