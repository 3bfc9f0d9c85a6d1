package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/words"
)

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

func rangesText(ends []float64) string {
	var texts []string
	for _, end := range ends {
		texts = append(texts, strconv.FormatFloat(end, 'f', -1, 64))
	}
	return strings.Join(texts, ",")
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
	nulls, odd := d.without()
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
