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

// gridOf returns the calendar step on which sorted times lie; the zero step if there is
// none. If every time is the beginning of a day, the steps are days. Weeks, months and
// years need three times, or a column named so, because two Mondays may be just two
// days.
func gridOf(points []Point, label string) step {
	unit := byYear
	for i := range points {
		unit = min(unit, coarsest(points[i].At))
	}
	name := strings.ToLower(label)
	sure := func(word string) bool { return len(points) > 2 || strings.Contains(name, word) }
	if unit == byYear && !sure("year") || unit == byMonth && !sure("month") {
		unit = byDay
	}
	if unit == byDay && sure("week") {
		weekday := points[0].At.Weekday()
		if !slices.ContainsFunc(points, func(p Point) bool { return p.At.Weekday() != weekday }) {
			unit = byWeek
		}
	}
	return stepOf(unit)
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
