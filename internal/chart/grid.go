package chart

import (
	"slices"
	"strings"
	"time"
)

// byWhat is the regular step between the times of a line, for example a day.
type byWhat int

// The steps, the finest first. byNone means no regular step.
const (
	byNone byWhat = iota
	byMinute
	byHour
	byDay
	byWeek
	byMonth
	byYear
)

// grid is the calendar steps on which a line's times lie. If every time is the
// beginning of a day, the steps are days. A step without a point is missing.
type grid struct {
	unit  byWhat
	first time.Time
}

// gridOf returns the grid of sorted times. Weeks, months and years need three times, or
// a column named so, because two Mondays may be just two days.
func gridOf(points []Point, label string) grid {
	g := grid{unit: byYear, first: points[0].At}
	for i := range points {
		g.unit = min(g.unit, coarsest(points[i].At))
	}
	name := strings.ToLower(label)
	sure := func(word string) bool { return len(points) > 2 || strings.Contains(name, word) }
	switch {
	case g.unit == byYear && !sure("year"), g.unit == byMonth && !sure("month"):
		g.unit = byDay
	}
	if g.unit == byDay && sure("week") {
		days := grid{byDay, g.first}
		if !slices.ContainsFunc(points, func(p Point) bool { return days.index(p.At)%7 != 0 }) {
			g.unit = byWeek
		}
	}
	return g
}

// coarsest returns the longest step that begins at a moment.
func coarsest(at time.Time) byWhat {
	before := at.Add(-1)
	switch {
	case at.Nanosecond() != 0 || at.Second() != 0:
		return byNone
	case before.Year() != at.Year():
		return byYear
	case before.Month() != at.Month():
		return byMonth
	case before.Day() != at.Day(): // also for a day that begins at 1:00, after a clock change
		return byDay
	case at.Minute() == 0:
		return byHour
	}
	return byMinute
}

// index returns the number of the step at a time, counted from the first. Days are
// calendar days, maybe of 23 or 25 hours.
func (g grid) index(at time.Time) int {
	days := func(t time.Time) int {
		return int(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / 86400)
	}
	switch g.unit {
	case byYear:
		return at.Year() - g.first.Year()
	case byMonth:
		return (at.Year()-g.first.Year())*12 + int(at.Month()-g.first.Month())
	case byWeek:
		return (days(at) - days(g.first)) / 7
	case byDay:
		return days(at) - days(g.first)
	case byHour:
		return int(at.Unix()-g.first.Unix()) / 3600
	}
	return int(at.Unix()-g.first.Unix()) / 60
}

// at returns the time of a step.
func (g grid) at(index int) time.Time {
	y, m, d := g.first.Date()
	switch g.unit {
	case byYear:
		y += index
	case byMonth:
		m += time.Month(index)
	case byWeek:
		d += 7 * index
	case byDay:
		d += index
	case byHour:
		return g.first.Add(time.Duration(index) * time.Hour)
	default:
		return g.first.Add(time.Duration(index) * time.Minute)
	}
	at := time.Date(y, m, d, 0, 0, 0, 0, g.first.Location())
	if at.Hour() == 23 { // the day has no midnight: the clock was then put forward
		at = at.Add(time.Hour)
	}
	return at
}

// part marks points after which the line must have a gap, because a step is missing.
func (g grid) part(points []Point) {
	for i := range points {
		points[i].Gap = i > 0 && g.unit != byNone && g.index(points[i].At)-g.index(points[i-1].At) > 1
	}
}

// filled inserts a point of zero for each missing step, for bars. If there would be too
// many bars, only the first and the last zero between two points are inserted.
func (g grid) filled(points []Point) (all []Point) {
	if g.unit == byNone {
		return points
	}
	whole := g.index(points[len(points)-1].At) < mostFilled
	for i, p := range points {
		if i > 0 {
			from, to := g.index(points[i-1].At)+1, g.index(p.At)-1
			for k := from; k <= to; k++ {
				if !whole && k == from+1 && k < to {
					k = to
				}
				all = append(all, Point{At: g.at(k), Text: "0", From: -1, finite: true})
			}
		}
		all = append(all, p)
	}
	return all
}
