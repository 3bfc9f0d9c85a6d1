package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/words"
)

// Unit is the unit of a number. The unit decides the writing of marks. An empty Unit
// means no particular unit.
type Unit string

// The units with their own way of writing.
const (
	Milliseconds Unit = "ms"
	Seconds      Unit = "seconds"
	Minutes      Unit = "minutes"
	Hours        Unit = "hours"
	Bytes        Unit = "bytes"
	Tokens       Unit = "tokens"
	Percent      Unit = "percent"
	Dollars      Unit = "usd"
)

func units() []Unit {
	return []Unit{Milliseconds, Seconds, Minutes, Hours, Bytes, Tokens, Percent, Dollars}
}

func (u Unit) known() bool { return slices.Contains(units(), u) }

// unitOf returns the unit in a column's name, as in duration_ms, median_seconds,
// all_tokens or percent.
func unitOf(column string) Unit {
	parts := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return r == '_' || r == ' ' })
	if len(parts) == 0 {
		return ""
	}
	last := Unit(parts[len(parts)-1])
	for _, other := range []struct{ name, unit Unit }{{"s", Seconds}, {"sec", Seconds}, {"min", Minutes}, {"h", Hours}} {
		if last == other.name && len(parts) > 1 {
			return other.unit
		}
	}
	if last.known() {
		return last
	}
	return ""
}

// time returns the seconds in the unit; 0 if the unit is no unit of time.
func (u Unit) time() float64 { return words.UnitSeconds(string(u)) }

// scale is a larger unit, with its name.
type scale struct {
	from, size float64
	name       string
}

var (
	times = []scale{{86400, 86400, " d"}, {3600, 3600, " h"}, {60, 60, " min"}, {1, 1, " s"}, {0, 1e-3, " ms"}}
	sizes = []scale{{1 << 40, 1 << 40, " TiB"}, {1 << 30, 1 << 30, " GiB"}, {1 << 20, 1 << 20, " MiB"}, {1 << 10, 1 << 10, " KiB"}, {0, 1, " B"}}
	many  = []scale{{1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}, {0, 1, ""}}
)

// Mark formats a number of an axis or an end of a range, shortly and with its unit,
// unless the column's name has the unit: 10k, 1.5 s, 2 KiB, 40 %.
func (u Unit) Mark(f float64) string {
	if f < 0 {
		return "-" + u.Mark(-f)
	}
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || f >= 1e15 || f != 0 && f < 1e-6:
		return strconv.FormatFloat(f, 'g', 4, 64)
	case (u.time() > 0 || u == Bytes) && f == 0:
		return "0"
	case u.time() > 0:
		return scaled(f*u.time(), times)
	case u == Bytes:
		return scaled(f, sizes)
	case u == Percent:
		return digits(f) + " %"
	case u == Dollars:
		return "$" + scaled(f, many)
	}
	return scaled(f, many)
}

func scaled(f float64, scales []scale) string {
	const close = 1 - 1e-9 // so that a computed 59.9999999999 s is a minute
	for _, s := range scales {
		if f >= s.from*close {
			return digits(f/s.size) + s.name
		}
	}
	return digits(f)
}

// digits formats a number with at most four digits, enough for an axis.
func digits(f float64) string {
	if f == 0 {
		return "0"
	}
	power := math.Floor(math.Log10(f)) - 3
	if power < 0 {
		to := math.Pow(10, -power)
		f = math.Round(f*to) / to
	} else {
		f = math.Round(f)
	}
	return words.Digits(strconv.FormatFloat(f, 'f', -1, 64))
}

// calendarUnit is the regular step between the times of a line, for example a day.
type calendarUnit int

// The steps, the finest first. byNone means no regular step.
const (
	byNone calendarUnit = iota
	byMinute
	byHour
	byDay
	byWeek
	byMonth
	byYear
)

// step is a length of calendar time: n hours, a day, a week from Monday, and so on.
type step struct {
	unit calendarUnit
	n    int
	name string
	each string // what follows the value's name in a title: "output tokens a week"
}

// ladder lists the steps to which times are joined, the finest first.
var ladder = []step{
	{byMinute, 1, "minute", "a minute"}, {byMinute, 5, "5 minutes", "per 5 minutes"}, {byMinute, 15, "15 minutes", "per 15 minutes"}, {byMinute, 30, "30 minutes", "per 30 minutes"},
	{byHour, 1, "hour", "an hour"}, {byHour, 3, "3 hours", "per 3 hours"}, {byHour, 6, "6 hours", "per 6 hours"}, {byHour, 12, "12 hours", "per 12 hours"},
	{byDay, 1, "day", "a day"}, {byWeek, 1, "week", "a week"}, {byMonth, 1, "month", "a month"}, {byMonth, 3, "quarter", "a quarter"},
	{byYear, 1, "year", "a year"}, {byYear, 10, "10 years", "per 10 years"}, {byYear, 100, "100 years", "per 100 years"},
	{byYear, 1000, "1,000 years", "per 1,000 years"}, {byYear, 10_000, "10,000 years", "per 10,000 years"}, {byYear, 100_000, "100,000 years", "per 100,000 years"},
}

// stepOf returns the step of one unit; the zero step for byNone.
func stepOf(unit calendarUnit) step {
	for _, s := range ladder {
		if s.unit == unit && s.n == 1 {
			return s
		}
	}
	return step{}
}

// isShorter reports whether a step of the ladder is shorter than another. The zero step
// is shorter than all.
func (s step) isShorter(than step) bool {
	return s.unit < than.unit || s.unit == than.unit && s.n < than.n
}

// floor returns the beginning of the step that a time lies in. Steps of hours begin at
// midnight, by the wall clock.
func (s step) floor(at time.Time) time.Time {
	y, m, d := at.Date()
	hour, minute := 0, 0
	switch s.unit {
	case byYear:
		y, m, d = y-((y%s.n)+s.n)%s.n, 1, 1
	case byMonth:
		m, d = m-time.Month((int(m)-1)%s.n), 1
	case byWeek:
		d -= (int(at.Weekday()) + 6) % 7
	case byHour:
		hour = at.Hour() - at.Hour()%s.n
	case byMinute:
		hour, minute = at.Hour(), at.Minute()-at.Minute()%s.n
	}
	return s.date(y, m, d, hour, minute, at)
}

// next returns the beginning of the step after the step that begins at a time.
func (s step) next(at time.Time) time.Time {
	y, m, d := at.Date()
	hour, minute := 0, 0
	switch s.unit {
	case byYear:
		y += s.n
	case byMonth:
		m += time.Month(s.n)
	case byWeek:
		d += 7
	case byDay:
		d += s.n
	case byHour:
		if hour = at.Hour() + s.n; s.n == 1 {
			return at.Add(time.Hour)
		}
	case byMinute:
		return at.Add(time.Duration(s.n) * time.Minute)
	}
	if next := s.date(y, m, d, hour, minute, at); next.After(at) {
		return next
	}
	return at.Add(time.Duration(s.n) * time.Hour) // the clock is put back
}

func (s step) date(y int, m time.Month, d, hour, minute int, like time.Time) time.Time {
	at := time.Date(y, m, d, hour, minute, 0, 0, like.Location())
	if s.unit >= byDay && at.Hour() == 23 { // the day has no midnight: the clock was then put forward
		at = at.Add(time.Hour)
	}
	return at
}

// steps counts the steps from a time to a later time, both included, up to most+1.
func (s step) steps(first, last time.Time, most int) (n int) {
	for at := s.floor(first); !at.After(last) && n <= most; n++ {
		at = s.next(at)
	}
	return n
}

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
func coarsest(at time.Time) calendarUnit {
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
