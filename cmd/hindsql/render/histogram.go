package render

import (
	"math"
	"strconv"
	"strings"

	"hindsql/engine/result"
)

// mostBins are the bars of a histogram.
const mostBins = 20

// bins counts the numbers in ranges of one size, with round ends. NULL and what
// is no finite number come last. The chart's columns become the bins'.
func (c *chart) bins() []point {
	whole := true
	n := 0
	for _, p := range c.points {
		if p.isNumber() {
			n++
			whole = whole && p.number == math.Trunc(p.number)
		}
	}
	least, most := bounds(c.points)
	step := binSize(least, most, n, whole)
	c.label, c.value = result.Column{Name: c.value.Name, Type: "VARCHAR"}, result.Column{Name: "rows", Type: "BIGINT"}
	var bins []point
	if n > 0 {
		first := math.Floor(least / step)
		bins = make([]point, int(math.Floor(most/step)-first)+1)
		for i := range bins {
			bins[i].label = binLabel((first+float64(i))*step, step, whole)
		}
		for _, p := range c.points {
			if p.isNumber() {
				bins[int(math.Floor(p.number/step)-first)].number++
			}
		}
	}
	if rest := len(c.points) - n; rest > 0 {
		bins = append(bins, point{label: "NULL", number: float64(rest)})
	}
	for i := range bins {
		bins[i].written = strconv.Itoa(int(bins[i].number))
	}
	return bins
}

// binSize is 1, 2 or 5 times a power of ten, so that there are about as many
// bins as Sturges' rule asks for.
func binSize(least, most float64, n int, whole bool) float64 {
	span := most/mostBins - least/mostBins // divided first: the difference may have no float
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
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, times := range []float64{1, 2, 5, 10} {
		if size := times * power; size >= rough {
			if whole {
				return max(1, size)
			}
			return size
		}
	}
	return rough
}

// binLabel names the range from a number on; a range of whole numbers has its
// last one as its end.
func binLabel(from, step float64, whole bool) string {
	number := func(f float64) string {
		if math.Abs(f) >= 1e15 || step < 1e-12 {
			return strconv.FormatFloat(f, 'g', 3, 64)
		}
		return fixed(f, step)
	}
	switch {
	case !whole:
		return number(from) + " to " + number(from+step)
	case step == 1:
		return number(from)
	}
	return number(from) + " to " + number(from+step-1)
}

// fixed writes a number with as many decimals as tell it from one a step away.
func fixed(f, step float64) string {
	decimals := max(0, int(math.Ceil(-math.Log10(step))))
	s := strconv.FormatFloat(f, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}
