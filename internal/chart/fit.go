package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"hindsql/internal/words"
)

// The largest numbers of a line's points. Terminal, page and report draw the same
// points, because all of them draw Usual: two months of days fit into 80 columns. Only
// a drawing of 200 letters or more has Wide points: half a year of days.
const (
	Usual = 62
	Wide  = 184
)

// whole is a line before it was fitted: one point for each time, in order.
type whole struct {
	points []Point
	grid   step // between the times
	days   bool // as in [Data]
	notes  []string
}

// Fit returns a line with at most room points; other charts are returned as they are.
// If the line has more, times are joined to longer steps, for example days to weeks. A
// count is summed, and steps without a row count 0. Numbers with a weight become means.
// Of other numbers, which can't be joined, the newest are kept. A line at irregular
// times keeps all of them, unless its numbers are counts. The title tells each change.
func (d *Data) Fit(room int) *Data {
	if d.whole == nil {
		return d
	}
	room = max(room, 2)
	fit := *d
	fit.Points, fit.Notes, fit.Days = slices.Clone(d.whole.points), slices.Clone(d.whole.notes), d.whole.days
	fit.Step, fit.title = "", d.named
	native := d.whole.grid
	switch {
	case native.unit == byNone && (!d.joins() || len(fit.Points) <= room):
	case native.unit != byNone && fit.has(native) <= room:
		fit.native(native)
	case d.joins():
		fit.coarser(native, room)
	default:
		fit.newest(native, room)
	}
	fit.write()
	return &fit
}

// has returns how many points the line has if its times stay as they are.
func (d *Data) has(native step) int {
	if !d.Count {
		return len(d.Points)
	}
	first, last := d.Ends()
	return native.steps(first, last, mostFilled)
}

// joins reports whether numbers of several times can be joined to one.
func (d *Data) joins() bool { return d.Count || d.Weight != "" }

// native leaves the times as they are. Missing steps are zeros in a count, and gaps in
// any other line.
func (d *Data) native(s step) {
	if !d.Count {
		d.whole.grid.part(d.Points)
		return
	}
	d.Points = s.filled(d.Points)
	d.title += " " + s.each
}

// coarser joins the times to the shortest step of which at most room fit.
func (d *Data) coarser(native step, room int) {
	first, last := d.Ends()
	s := ladder[len(ladder)-1]
	for _, longer := range ladder {
		if native.isShorter(longer) && longer.steps(first, last, room) <= room {
			s = longer
			break
		}
	}
	d.Days = d.Days || s.unit >= byDay
	d.join(s)
	ends := d.ragged(native, s, first, last)
	if d.Step = s.name; d.Count {
		d.title += " " + s.each
		if ends != "" {
			d.note("%s", ends)
		}
	} else {
		d.title += ", mean of " + s.article()
	}
}

// join makes a point for each step.
func (d *Data) join(s step) {
	for i := range d.Points {
		p := &d.Points[i]
		p.At = s.floor(p.At)
		p.Label, p.From = s.label(p.At), -1
	}
	d.merge(func(p *Point) any { return p.At.UnixNano() })
	if d.Count {
		d.Points = s.filled(d.Points)
		return
	}
	s.part(d.Points)
}

// part marks points after which the line must have a gap, because a step is missing.
func (s step) part(points []Point) {
	for i := range points {
		points[i].Gap = i > 0 && s.unit != byNone && s.next(points[i-1].At).Before(points[i].At)
	}
}

// newest drops all points but the newest with a number.
func (d *Data) newest(s step, room int) {
	all, from := 0, 0
	for i := len(d.Points) - 1; i >= 0; i-- {
		if d.Points[i].IsNumber() {
			if all++; all == room {
				from = i
			}
		}
	}
	d.Points = d.Points[from:]
	d.whole.grid.part(d.Points)
	if all > room {
		d.title += fmt.Sprintf(", newest %s of %s", words.Int(room), words.Quantity(all, s.name))
		d.note("%s left out, because such numbers can't be summed", words.Quantity(all-room, "earlier "+s.name))
	}
}

// filled returns the points, sorted by time, with a point of zero for each step without
// a point. If there would be too many, only the first zero between two points is
// inserted.
func (s step) filled(points []Point) (all []Point) {
	if s.unit == byNone {
		return points
	}
	whole := s.steps(points[0].At, points[len(points)-1].At, mostFilled) <= mostFilled
	for i, p := range points {
		if i > 0 {
			for at := s.next(points[i-1].At); at.Before(p.At); at = s.next(at) {
				all = append(all, Point{At: at, Label: s.label(at), Text: "0", From: -1, finite: true})
				if !whole {
					break
				}
			}
		}
		all = append(all, p)
	}
	return all
}

// label names a step by its beginning.
func (s step) label(at time.Time) string {
	switch {
	case s.unit == byYear:
		return at.Format("2006")
	case s.unit == byMonth:
		return at.Format("2006-01")
	case s.unit >= byDay:
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02 15:04")
}

// article returns the step's name with an article, unless the name has a number.
func (s step) article() string {
	if name, ok := strings.CutPrefix(s.each, "per "); ok {
		return name
	}
	return s.each
}

// ragged tells whether the first and the last step are longer than the times in them:
// the day of the first row may be a Wednesday.
func (d *Data) ragged(native, s step, first, last time.Time) string {
	begin, end := first, last
	if native.unit != byNone {
		begin, end = native.floor(first), native.next(native.floor(last))
	}
	early, late := s.floor(first).Before(begin), s.next(s.floor(last)).After(end)
	switch {
	case early && late:
		return fmt.Sprintf("the first and the last %s are not whole", s.name)
	case early:
		return fmt.Sprintf("the first %s is not whole", s.name)
	case late:
		return fmt.Sprintf("the last %s is not whole", s.name)
	}
	return ""
}

// Title says what a line is of, and for which step: "output tokens a week".
func (d *Data) Title() string {
	if d.title == "" {
		return d.named
	}
	return d.title
}

// Steps returns a line's numbers, one for each step of its times; NaN for a step
// without a number. At irregular times, each point is a step.
func (d *Data) Steps() (numbers []float64) {
	s := d.step()
	for i := range d.Points {
		p := &d.Points[i]
		if i > 0 && s.unit != byNone {
			for at := s.next(d.Points[i-1].At); at.Before(p.At) && len(numbers) < Wide; at = s.next(at) {
				numbers = append(numbers, math.NaN())
			}
		}
		numbers = append(numbers, p.Number)
	}
	return numbers
}

// step returns the step between the points of a line; the zero step at irregular times.
func (d *Data) step() step {
	for _, s := range ladder {
		if s.name == d.Step {
			return s
		}
	}
	return d.whole.grid
}
