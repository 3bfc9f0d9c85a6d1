package chart

import (
	"slices"
	"time"

	"hindsql/internal/result"
)

// overTime turns the points into a line. It makes bars if the points form no line: if
// labels aren't times, if there is only one moment, or if rows share a time and may not
// be joined.
func (d *Data) overTime(p *plan, types []result.Type) {
	if len(p.label) != 1 || !d.dated() {
		d.bars(p)
		return
	}
	if p.joins() {
		d.merge(func(p *Point) any { return [2]any{p.instant.ok, p.instant.at.UnixNano()} })
	}
	moments, shared := d.moments()
	if moments < 2 || shared {
		d.bars(p)
		return
	}
	d.Kind = Line
	t := &types[p.label[0]]
	d.Days = t.Base == "DATE" || t.Base == "VARCHAR"
	if left := d.dropUndated(); left > 0 {
		d.note("%s without a time left out", rows(left))
	}
	byTime(d.Points)
	grid := gridOf(d.Points, d.Label)
	d.whole = &whole{d.Points, grid, d.Days && grid.unit >= byDay, d.Notes}
	*d = *d.Fit(Usual)
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
func (d *Data) Ends() (first, last time.Time) {
	return d.Points[0].At, d.Points[len(d.Points)-1].At
}
