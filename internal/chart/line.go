package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// makeLine turns the points into a line. It makes bars if the points form no line: if
// labels aren't times, if there is only one moment, or if rows share a time and may not
// be joined.
func (d *Data) makeLine(p *plan, types []result.Type) {
	if len(p.label) != 1 || !d.isDated() {
		d.makeBars(p)
		return
	}
	if p.joins() {
		d.merge(func(p *Point) any { return [2]any{p.instant.ok, p.instant.at.UnixNano()} })
	}
	moments, shared := d.moments()
	if moments < 2 || shared {
		d.makeBars(p)
		return
	}
	d.Kind = Line
	t := &types[p.label[0]]
	d.Days = t.Base == "DATE" || t.Base == "VARCHAR"
	if left := d.dropUndated(); left > 0 {
		d.addNote("%s without a time left out", rows(left))
	}
	byTime(d.Points)
	grid := gridOf(d.Points, d.Label)
	d.whole = &unfitted{d.Points, grid, d.Days && grid.unit >= byDay, d.Notes}
	*d = *d.Fit(UsualPoints)
}

// moments counts the times with a number. shared reports whether several rows have the
// same time.
func (d *Data) moments() (n int, shared bool) {
	seen := map[int64]bool{}
	for i := range d.Points {
		p := &d.Points[i]
		if !p.instant.ok || !p.IsNumber() {
			continue
		}
		at := p.instant.at.UnixMicro()
		shared = shared || seen[at]
		seen[at] = true
	}
	return len(seen), shared
}

// dropUndated drops points without a time, sets At of the rest, and returns the number
// of dropped points.
func (d *Data) dropUndated() (left int) {
	all := len(d.Points)
	d.Points = slices.DeleteFunc(d.Points, func(p Point) bool { return !p.instant.ok })
	for i := range d.Points {
		d.Points[i].At = d.Points[i].instant.at
	}
	return all - len(d.Points)
}

func byTime(points []Point) {
	slices.SortStableFunc(points, func(a, b Point) int { return a.At.Compare(b.At) })
}

// Runs returns the pieces of a line between gaps, leaving out points without a number.
func (d *Data) Runs() (runs [][]Point) {
	open := false
	for _, p := range d.Points {
		if !p.IsNumber() {
			open = false
			continue
		}
		if !open || p.Gap {
			runs = append(runs, nil)
		}
		open = true
		last := len(runs) - 1
		runs[last] = append(runs[last], p)
	}
	return runs
}

// Ends returns the first and the last time of a line.
func (d *Data) Ends() (first, last time.Time) { return d.Points[0].At, d.Points[len(d.Points)-1].At }

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
			for at := s.next(d.Points[i-1].At); at.Before(p.At) && len(numbers) < WidePoints; at = s.next(at) {
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

// The largest numbers of a line's points. Terminal, page and report draw the same
// points, because all of them draw UsualPoints: two months of days fit into 80 columns.
// Only a drawing of 200 letters or more has WidePoints: half a year of days.
const (
	UsualPoints = 62
	WidePoints  = 184
)

// unfitted is a line before it was fitted: one point for each time, in order.
type unfitted struct {
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
	case native.unit != byNone && fit.countPoints(native) <= room:
		fit.keepSteps(native)
	case d.joins():
		fit.coarsen(native, room)
	default:
		fit.keepNewest(native, room)
	}
	fit.setTexts()
	return &fit
}

// countPoints returns how many points the line has if its times stay as they are.
func (d *Data) countPoints(native step) int {
	if !d.Count {
		return len(d.Points)
	}
	first, last := d.Ends()
	return native.steps(first, last, mostFilled)
}

// joins reports whether numbers of several times can be joined to one.
func (d *Data) joins() bool { return d.Count || d.Weight != "" }

// keepSteps leaves the times as they are. Missing steps are zeros in a count, and gaps in
// any other line.
func (d *Data) keepSteps(s step) {
	if !d.Count {
		d.whole.grid.markGaps(d.Points)
		return
	}
	d.Points = s.fillSteps(d.Points)
	d.title += " " + s.each
}

// coarsen joins the times to the shortest step of which at most room fit.
func (d *Data) coarsen(native step, room int) {
	first, last := d.Ends()
	s := ladder[len(ladder)-1]
	for _, longer := range ladder {
		if native.isShorter(longer) && longer.steps(first, last, room) <= room {
			s = longer
			break
		}
	}
	d.Days = d.Days || s.unit >= byDay
	d.joinSteps(s)
	ends := d.endsNote(native, s, first, last)
	if d.Step = s.name; d.Count {
		d.title += " " + s.each
		if ends != "" {
			d.addNote("%s", ends)
		}
	} else {
		d.title += ", mean of " + s.article()
	}
}

// joinSteps makes a point for each step.
func (d *Data) joinSteps(s step) {
	for i := range d.Points {
		p := &d.Points[i]
		p.At = s.floor(p.At)
		p.Label, p.From = s.label(p.At), -1
	}
	d.merge(func(p *Point) any { return p.At.UnixNano() })
	if d.Count {
		d.Points = s.fillSteps(d.Points)
		return
	}
	s.markGaps(d.Points)
}

// markGaps marks points after which the line must have a gap, because a step is missing.
func (s step) markGaps(points []Point) {
	for i := range points {
		points[i].Gap = i > 0 && s.unit != byNone && s.next(points[i-1].At).Before(points[i].At)
	}
}

// keepNewest drops all points but the newest with a number.
func (d *Data) keepNewest(s step, room int) {
	all, from := 0, 0
	for i := len(d.Points) - 1; i >= 0; i-- {
		if d.Points[i].IsNumber() {
			if all++; all == room {
				from = i
			}
		}
	}
	d.Points = d.Points[from:]
	d.whole.grid.markGaps(d.Points)
	if all > room {
		d.title += fmt.Sprintf(", newest %s of %s", words.Int(room), words.Quantity(all, s.name))
		d.addNote("%s left out, because such numbers can't be summed", words.Quantity(all-room, "earlier "+s.name))
	}
}

// fillSteps returns the points, sorted by time, with a point of zero for each step without
// a point. If there would be too many, only the first zero between two points is
// inserted.
func (s step) fillSteps(points []Point) (all []Point) {
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

// endsNote tells whether the first and the last step are longer than the times in them:
// the day of the first row may be a Wednesday.
func (d *Data) endsNote(native, s step, first, last time.Time) string {
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
