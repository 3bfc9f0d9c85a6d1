package report

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Span is a length of time as it is written: 90m, 12h, 7d, 4w. The days of it
// are those of the calendar, 23 to 25 hours long. Empty is no length.
type Span string

var spanForm = regexp.MustCompile(`^([1-9]\d{0,5})([mhdw])$`)

// ParseSpan reads a length of time.
func ParseSpan(text string) (Span, error) {
	if !spanForm.MatchString(text) {
		return "", fmt.Errorf("%q is no length of time; write 90m, 12h, 7d or 4w", text)
	}
	return Span(text), nil
}

// Before gives the moment that lies the span before t, in t's time zone.
func (s Span) Before(t time.Time) time.Time {
	m := spanForm.FindStringSubmatch(string(s))
	if m == nil {
		return t
	}
	n, _ := strconv.Atoi(m[1])
	switch m[2] {
	case "m":
		return t.Add(-time.Duration(n) * time.Minute)
	case "h":
		return t.Add(-time.Duration(n) * time.Hour)
	case "w":
		n *= 7
	}
	return t.AddDate(0, 0, -n)
}

// Period is the time from Since on and before Until, both in the zone that
// days and times are shown in.
type Period struct{ Since, Until time.Time }

// Previous is the period of the same length before p; a week is as long as the
// week before also when the clocks were changed in between.
func (p Period) Previous() Period {
	length := wall(p.Until).Sub(wall(p.Since))
	w := wall(p.Since).Add(-length)
	since := time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), w.Nanosecond(), p.Since.Location())
	return Period{since, p.Since}
}

// wall is what the clock on the wall shows, as if it never were changed.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// String is the period for people: to the minute, in days where both ends are
// midnights.
func (p Period) String() string {
	const minute, day = "2006-01-02 15:04", time.DateOnly
	if isMidnight(p.Since) && isMidnight(p.Until) {
		last := p.Until.AddDate(0, 0, -1)
		if last.Equal(p.Since) {
			return p.Since.Format(day)
		}
		return p.Since.Format(day) + " to " + last.Format(day)
	}
	return p.Since.Format(minute) + " to " + p.Until.Format(minute)
}

func isMidnight(t time.Time) bool {
	return t.Equal(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location()))
}

// words is the span in words: 28 days.
func (s Span) words() string {
	m := spanForm.FindStringSubmatch(string(s))
	if m == nil {
		return string(s)
	}
	unit := map[string]string{"m": "minute", "h": "hour", "d": "day", "w": "week"}[m[2]]
	if m[1] == "1" {
		return unit
	}
	return m[1] + " " + unit + "s"
}
