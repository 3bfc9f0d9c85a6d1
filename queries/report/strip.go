package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"hindsql/internal/chart"
	"hindsql/internal/words"
	"hindsql/queries/html"
)

// strip is a line chart as one line of bars, for text and Markdown.
type strip struct {
	Title string // of the points, and their first and last time
	Bars  string // a letter for each step; a dot stands for a step without a number
	Told  string // the greatest number, and the sum of a count
}

// The letters of bars. The first stands for zero.
var (
	blocks  = []rune("▁▂▃▄▅▆▇█")
	letters = []rune("_.:-=+*#")
)

// stripOf returns a line's strip; ok is false for other charts, and for numbers below
// zero, which such bars can't show.
func stripOf(d *chart.Data, bars []rune, none rune) (s strip, ok bool) {
	if d.Kind != chart.Line {
		return s, false
	}
	least, most := chart.Extent(d.Points)
	if least < 0 {
		return s, false
	}
	var b strings.Builder
	for _, n := range d.Steps() {
		switch {
		case math.IsNaN(n):
			b.WriteRune(none)
		case n == 0 || most == 0:
			b.WriteRune(bars[0])
		default:
			b.WriteRune(bars[max(1, int(math.Ceil(n/most*float64(len(bars)-1))))])
		}
	}
	first, last := d.Span()
	s = strip{fmt.Sprintf("%s, %s to %s", d.Title(), first, last), b.String(), told(d, most)}
	return s, true
}

// said returns the words below the bars.
func (s *strip) said(d *chart.Data) string {
	return words.Sentence(html.Spaced(strings.Join(append([]string{s.Told}, d.Notes...), "; ")))
}

// told returns the greatest number with its time, the sum of a count, and the last
// number.
func told(d *chart.Data, most float64) string {
	sum, last, at := 0.0, "", ""
	greatest := ""
	for i := range d.Points {
		p := &d.Points[i]
		if !p.IsNumber() {
			continue
		}
		if sum += p.Number; p.Number == most && greatest == "" {
			greatest, at = p.Text, d.Moment(p)
		}
		last = p.Text
	}
	told := fmt.Sprintf("greatest %s (%s), last %s", greatest, at, last)
	if d.Count {
		told += ", sum " + words.Amount(strconv.FormatFloat(math.Round(sum*100)/100, 'f', -1, 64))
	}
	return told
}
