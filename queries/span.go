package queries

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/pattern"
)

// Span is a length of time: 90m, 12h, 7d, 4w, 3mo, 1y, as [ParseSpan] returns it. Days,
// weeks, months and years follow the calendar: a day has 23 to 25 hours, a month 28 to
// 31 days. An empty Span has no length.
type Span string

var (
	spanForm = pattern.Lazy(`^(\d{1,6}) ?([a-z]+)$`)
	// spanUnits maps all names of a unit to one.
	spanUnits = map[string]string{
		"m": "minute", "min": "minute", "mins": "minute", "minute": "minute", "minutes": "minute",
		"h": "hour", "hour": "hour", "hours": "hour",
		"d": "day", "day": "day", "days": "day",
		"w": "week", "week": "week", "weeks": "week",
		"mo": "month", "month": "month", "months": "month",
		"y": "year", "year": "year", "years": "year",
	}
	spanLetters = map[string]string{"minute": "m", "hour": "h", "day": "d", "week": "w", "month": "mo", "year": "y"}
)

// Spans holds examples of lengths of time, for messages and help.
const Spans = "90m, 12h, 7d, 4w or 1month"

// ParseSpan reads a length of time, in any case: a number and m, h, d, w, mo, y or the
// unit's full name.
func ParseSpan(text string) (Span, error) {
	if m := spanForm.FindStringSubmatch(strings.ToLower(text)); m != nil && spanUnits[m[2]] != "" {
		return Span(m[1] + spanLetters[spanUnits[m[2]]]), nil
	}
	return "", errors.New(strconv.Quote(text) + " is no length of time; write " + Spans)
}

// parts returns the number and the unit's name; 0 and empty for an empty span.
func (s Span) parts() (n int, unit string) {
	m := spanForm.FindStringSubmatch(string(s))
	if m == nil {
		return 0, ""
	}
	n, _ = strconv.Atoi(m[1])
	return n, spanUnits[m[2]]
}

// Before returns the moment one span before t, in t's time zone. A month before 31
// March is the last day of February.
func (s Span) Before(t time.Time) time.Time {
	n, unit := s.parts()
	switch unit {
	case "minute":
		return t.Add(-time.Duration(n) * time.Minute)
	case "hour":
		return t.Add(-time.Duration(n) * time.Hour)
	case "week":
		n *= 7
	case "month":
		return monthsBefore(t, n)
	case "year":
		return monthsBefore(t, 12*n)
	}
	return t.AddDate(0, 0, -n)
}

func monthsBefore(t time.Time, n int) time.Time {
	before := t.AddDate(0, -n, 0)
	if before.Day() != t.Day() { // the month has no such day, so the date went into the next month
		return before.AddDate(0, 0, -before.Day())
	}
	return before
}

// IsZero reports whether the span has no length.
func (s Span) IsZero() bool { n, _ := s.parts(); return n == 0 }

// Words returns the span in words: 28 days, or day for one.
func (s Span) Words() string {
	n, unit := s.parts()
	if n == 1 {
		return unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
