package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/words"
)

// Tick is a mark of an axis.
type Tick struct {
	At    float64 // the number; for a time, seconds since 1970
	Label string
}

// Bounds returns the ends of a line's axis. Zero is an end, unless the numbers aren't
// counts and differ little from each other.
func (d *Data) Bounds() (least, most float64) {
	least, most = Extent(d.Points)
	if most < least {
		return 0, 1
	}
	const little = 0.01
	if d.Count || most-least >= little*max(math.Abs(most), math.Abs(least)) || most == least {
		least, most = min(least, 0), max(most, 0)
	}
	if least == most {
		most = 1
	}
	return least, most
}

// PlotNotes returns the notes, and a further one for drawings whose axis doesn't begin
// at zero.
func (d *Data) PlotNotes() []string {
	if least, most := d.Bounds(); d.Kind == Line && (least > 0 || most < 0) {
		return append(slices.Clone(d.Notes), "the axis does not begin at zero")
	}
	return d.Notes
}

// Extent returns the least and the greatest number; +Inf and -Inf if no point has a
// number.
func Extent(points []Point) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for i := range points {
		if p := &points[i]; p.IsNumber() {
			least, most = min(least, p.Number), max(most, p.Number)
		}
	}
	return least, most
}

// size returns the size of the larger unit used for numbers up to most, in unit u:
// 3,600 for 7,200 seconds.
func (u Unit) size(most float64) float64 {
	scales, base := times, u.time()
	switch {
	case u == Bytes:
		scales, base = sizes, 1
	case base == 0:
		return 1
	}
	for _, s := range scales {
		if most*base >= s.from {
			return s.size / base
		}
	}
	return 1
}

// Ticks returns about as many marks of a line's axis as wanted, at round numbers, or at
// whole numbers if all numbers are whole. The axis begins at the first mark and ends at
// the last.
func (d *Data) Ticks(wanted int) []Tick {
	least, most := d.Bounds()
	finest := 1.0
	for i := range d.Points {
		if p := &d.Points[i]; p.IsNumber() && p.Number != math.Trunc(p.Number) || d.Unit.time() > 0 {
			finest = 0
		}
	}
	return d.Unit.ticks(least, most, wanted, finest)
}

func (u Unit) ticks(least, most float64, wanted int, finest float64) (ticks []Tick) {
	span := most/float64(wanted) - least/float64(wanted) // divided first, because the difference may overflow
	size := u.size(max(math.Abs(least), math.Abs(most)))
	step := max(roundUp(span/size)*size, finest)
	first, last := math.Floor(least/step+1e-9), math.Ceil(most/step-1e-9)
	if math.IsInf(step*last, 0) || math.IsInf(step*first, 0) || math.IsNaN(first) || last-first > 100 {
		return []Tick{{least, u.Mark(least)}, {most, u.Mark(most)}}
	}
	magnitude := max(math.Abs(least), math.Abs(most))
	for i := first; i <= last; i++ {
		at := round(i * step)
		ticks = append(ticks, Tick{at, u.tick(at, step, magnitude)})
	}
	return ticks
}

// tick returns a mark's label, with enough digits to differ from the next mark.
// magnitude is the largest number of the axis.
func (u Unit) tick(at, step, magnitude float64) string {
	if magnitude >= 1e4 && step < magnitude/2000 && magnitude < 1e15 && (u == "" || u == Tokens) {
		return words.Digits(fixed(at, min(step, 1)))
	}
	return u.Mark(at)
}

// calendar lists the distances of marks on a time axis.
var calendar = []struct {
	seconds float64
	unit    calendarUnit
	steps   int
}{
	{60, byMinute, 1}, {300, byMinute, 5}, {900, byMinute, 15}, {1800, byMinute, 30},
	{3600, byHour, 1}, {3 * 3600, byHour, 3}, {6 * 3600, byHour, 6}, {12 * 3600, byHour, 12},
	{day, byDay, 1}, {2 * day, byDay, 2}, {7 * day, byDay, 7}, {14 * day, byDay, 14},
	{30 * day, byMonth, 1}, {61 * day, byMonth, 2}, {91 * day, byMonth, 3}, {182 * day, byMonth, 6},
	{year, byYear, 1}, {2 * year, byYear, 2}, {5 * year, byYear, 5}, {10 * year, byYear, 10}, {20 * year, byYear, 20}, {50 * year, byYear, 50},
	{100 * year, byYear, 100}, {200 * year, byYear, 200}, {500 * year, byYear, 500},
	{1000 * year, byYear, 1000}, {2000 * year, byYear, 2000}, {5000 * year, byYear, 5000}, {10_000 * year, byYear, 10_000}, {100_000 * year, byYear, 100_000},
}

// Lengths in seconds.
const day, year = 86400.0, 365 * 86400.0

// TimeTicks returns marks of a line's time axis, at beginnings of hours, days, months
// or years: at most room marks, and at least a mark at the first time.
func (d *Data) TimeTicks(room int) (ticks []Tick) {
	first, last := d.Ends()
	span := Epoch(last) - Epoch(first)
	for _, c := range calendar {
		if d.Days && c.seconds < day || span/float64(max(room-1, 1)) > c.seconds && c.steps < 100_000 {
			continue
		}
		form := tickFormat(c.unit, span)
		s := step{unit: c.unit, n: c.steps}
		for at := s.floor(first); !at.After(last); at = s.next(at) {
			if !at.Before(first) {
				ticks = append(ticks, Tick{Epoch(at), at.Format(form)})
			}
		}
		break
	}
	if len(ticks) == 0 {
		from, _ := d.Span()
		ticks = []Tick{{Epoch(first), from}}
	}
	return ticks
}

func tickFormat(unit calendarUnit, span float64) string {
	switch {
	case unit == byYear:
		return "2006"
	case unit == byMonth && span > 330*day:
		return "Jan 2006"
	case unit >= byDay:
		return "Jan 2"
	case span >= day:
		return "Jan 2 15:04"
	case unit == byNone && span < 300:
		return "15:04:05"
	}
	return "15:04"
}

// Epoch returns a time on an axis: seconds since 1970.
func Epoch(at time.Time) float64 { return float64(at.Unix()) + float64(at.Nanosecond())/1e9 }

// Span returns the first and last time of a line for people, to the day or to the
// minute. If the points are longer steps, these are the times of the rows.
func (d *Data) Span() (first, last string) {
	from, to := d.Ends()
	if d.Step != "" {
		from, to = d.whole.points[0].At, d.whole.points[len(d.whole.points)-1].At
	}
	return from.Format(d.timeFormat()), to.Format(d.timeFormat())
}

// Moment returns a point's time for people: a day, a month, a time to the minute.
func (d *Data) Moment(p *Point) string {
	if d.Step != "" {
		return p.Label
	}
	return p.At.Format(d.timeFormat())
}

func (d *Data) timeFormat() string {
	if d.Days {
		return time.DateOnly
	}
	return "2006-01-02 15:04"
}

// round removes the error of a product of decimal fractions.
func round(f float64) float64 {
	n, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 12, 64), 64)
	return n
}

// roundUp returns the least of 1, 2 and 5 times a power of ten that is at least rough.
func roundUp(rough float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, times := range []float64{1, 2, 5, 10} {
		if size := times * power; size >= rough {
			return size
		}
	}
	return rough
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
