package chart

import "time"

// step is a length of calendar time: n hours, a day, a week from Monday, and so on.
type step struct {
	unit byWhat
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
func stepOf(unit byWhat) step {
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
