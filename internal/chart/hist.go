package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/words"
)

// mostBins is the maximum number of ranges of a histogram.
const mostBins = 20

// bins turns the points into ranges with round ends. A range counts the rows with
// numbers from its first end to below its last. If the numbers span decades, each range
// is a multiple of the previous; if not, all have the same size. Rows without a number
// come last. Ranges without rows are included.
func (d *Data) bins() {
	var numbers []float64
	whole := true
	for i := range d.Points {
		if p := &d.Points[i]; p.IsNumber() {
			numbers = append(numbers, p.Number)
			whole = whole && p.Number == math.Trunc(p.Number)
		}
	}
	nulls, odd := d.without()
	slices.Sort(numbers)
	unit := d.Unit
	d.Label, d.Value, d.Unit, d.Count, d.Points = d.Value, "rows", "", false, nil
	switch edges := decades(numbers, unit); {
	case edges != nil:
		d.between(edges, numbers, func(from, to float64) string { return rangeLabel(from, to, unit, whole) })
	case len(numbers) > 0:
		d.alike(numbers, unit, whole)
	}
	for _, rest := range []struct {
		label string
		rows  int
	}{{"NULL", nulls}, {"nan, inf", odd}} {
		if rest.rows > 0 {
			d.Points = append(d.Points, Point{Label: rest.label, Null: true, Number: float64(rest.rows)})
		}
	}
	for i := range d.Points {
		d.Points[i].Text, d.Points[i].From = words.Int(int(d.Points[i].Number)), -1
	}
}

// alike counts sorted numbers in ranges of the same size.
func (d *Data) alike(numbers []float64, unit Unit, whole bool) {
	least, most := numbers[0], numbers[len(numbers)-1]
	step := binSize(least, most, len(numbers), whole)
	if size := unit.size(most); size != 1 && !math.IsInf(most-least, 0) { // round ends in the larger unit
		step = binSize(least/size, most/size, len(numbers), false) * size
	}
	first := math.Floor(least / step)
	edges := make([]float64, int(math.Floor(most/step)-first)+2)
	for i := range edges {
		edges[i] = (first + float64(i)) * step
	}
	d.Points = make([]Point, len(edges)-1)
	for i := range d.Points {
		d.Points[i].Label = binLabel(edges[i], step, unit, whole)
	}
	for _, n := range numbers {
		d.Points[int(math.Floor(n/step)-first)].Number++
	}
}

// between counts sorted numbers between edges. Zeros have their own range.
func (d *Data) between(edges, numbers []float64, label func(from, to float64) string) {
	if numbers[0] == 0 {
		d.Points = append(d.Points, Point{Label: "0"})
	}
	zero := len(d.Points)
	for i := range edges[1:] {
		d.Points = append(d.Points, Point{Label: label(edges[i], edges[i+1])})
	}
	for _, n := range numbers {
		at, exact := slices.BinarySearch(edges, n)
		switch {
		case n == 0:
			d.Points[0].Number++
		case exact:
			d.Points[zero+at].Number++
		default:
			d.Points[zero+at-1].Number++
		}
	}
}

// decades returns the ends of ranges for sorted numbers that span decades: no number is
// below zero, the greatest is at least a hundred times the least positive number, and
// most numbers are small. Returns nil for other numbers.
func decades(numbers []float64, unit Unit) []float64 {
	at := slices.IndexFunc(numbers, func(f float64) bool { return f > 0 })
	if at < 0 || numbers[0] < 0 {
		return nil
	}
	positive := numbers[at:]
	least, most := positive[0], positive[len(positive)-1]
	if least < most/1e12 || most < 100*least || most < 10*positive[len(positive)/2] {
		return nil
	}
	room := int(min(mostBins/4*3, 2*(math.Log2(float64(len(numbers)))+1))) // twice the number by Sturges' rule
	for i, steps := range unit.ladders() {
		var edges []float64
		for _, edge := range steps {
			if len(edges) > 0 && edges[len(edges)-1] > most {
				break
			}
			if edge <= least {
				edges = edges[:0]
			}
			edges = append(edges, edge)
		}
		if len(edges) > 1 && (len(edges) <= room || i == 2 && len(edges) <= mostBins) && edges[0] <= least && edges[len(edges)-1] > most {
			return edges
		}
	}
	return nil
}

// ladders returns lists of range ends, from fine to coarse, in the unit's numbers.
// Times and sizes get ends with round names.
func (u Unit) ladders() (all [][]float64) {
	switch {
	case u == Bytes:
		for _, power := range []int{1, 2, 5, 10} {
			var steps []float64
			for i := 0; i <= 60; i += power {
				steps = append(steps, math.Exp2(float64(i)))
			}
			all = append(all, steps)
		}
	case u.time() > 0:
		for i, of := range fractions {
			steps := append(powers(of, -9, 0), clocks[i]...)
			for k := range steps {
				steps[k] = round(steps[k] / u.time())
			}
			all = append(all, steps)
		}
	default:
		for _, of := range fractions {
			all = append(all, powers(of, -9, 18))
		}
	}
	return all
}

// fractions divide a decade.
var fractions = [][]float64{{1, 2, 5}, {1, 3}, {1}}

// clocks lists ends of ranges in seconds, from 10 s up, with round names in minutes,
// hours and days.
var clocks = [][]float64{
	{10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 5 * 3600, 12 * 3600, day, 2 * day, 5 * day, 10 * day, 20 * day, 50 * day, 100 * day, 200 * day, 500 * day, 1000 * day},
	{10, 30, 60, 180, 600, 1800, 3600, 3 * 3600, 10 * 3600, day, 3 * day, 10 * day, 30 * day, 100 * day, 300 * day, 1000 * day},
	{10, 60, 600, 3600, 10 * 3600, day, 10 * day, 100 * day, 1000 * day, 10_000 * day},
}

// powers returns the fractions of each power of ten between two exponents.
func powers(of []float64, from, to int) (steps []float64) {
	for power := from; power <= to; power++ {
		for _, times := range of {
			steps = append(steps, round(times*math.Pow10(power)))
		}
	}
	return steps
}

// round removes the error of a product of decimal fractions.
func round(f float64) float64 {
	n, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 12, 64), 64)
	return n
}

// rangeLabel names a range by both ends. For short whole numbers, the last number of
// the range replaces the end.
func rangeLabel(from, to float64, unit Unit, whole bool) string {
	const short = 10_000
	if whole && to <= short && (unit == "" || unit == Tokens) {
		if from = math.Ceil(from); from == to-1 {
			return unit.Mark(from)
		}
		return unit.Mark(from) + " – " + unit.Mark(to-1)
	}
	return unit.Mark(from) + " – " + unit.Mark(to)
}

// binSize returns a range size of 1, 2 or 5 times a power of ten, for about as many
// ranges as Sturges' rule gives.
func binSize(least, most float64, n int, whole bool) float64 {
	span := most/mostBins - least/mostBins // divided first, because the difference may overflow
	if whole && span < 1 {
		return 1
	}
	if n == 0 || span == 0 {
		return max(math.Abs(most), 1)
	}
	wanted := min(mostBins, math.Ceil(math.Log2(float64(n)))+1)
	rough := max(span*mostBins/wanted, span*1.05)
	if math.IsInf(rough, 0) {
		rough = span * 2
	}
	if size := nice(rough); whole {
		return max(1, size)
	} else {
		return size
	}
}

// nice returns the least of 1, 2 and 5 times a power of ten that is at least rough.
func nice(rough float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, times := range []float64{1, 2, 5, 10} {
		if size := times * power; size >= rough {
			return size
		}
	}
	return rough
}

// binLabel names the range of size step from a number. For whole numbers, the range's
// last number is the end.
func binLabel(from, step float64, unit Unit, whole bool) string {
	number := func(f float64) string {
		switch {
		case unit != "" && (unit != Tokens || step >= 1000):
			return unit.Mark(round(f))
		case math.Abs(f) >= 1e15 || step < 1e-12:
			return strconv.FormatFloat(f, 'g', 3, 64)
		}
		return words.Digits(fixed(f, step))
	}
	switch {
	case !whole || unit != "" && (unit != Tokens || step >= 1000):
		return number(from) + " – " + number(from+step)
	case step == 1:
		return number(from)
	}
	return number(from) + " – " + number(from+step-1)
}

// fixed formats a number with enough decimals to differ from the next step.
func fixed(f, step float64) string {
	decimals := max(0, int(math.Ceil(-math.Log10(step))))
	s := strconv.FormatFloat(f, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}
