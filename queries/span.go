package queries

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Span is a length of time as it is written: 90m, 12h, 7d, 4w. The days of it
// are those of the calendar, 23 to 25 hours long. Empty is no length.
type Span string

var (
	spanForm  = regexp.MustCompile(`^(\d{1,6})([mhdw])$`)
	spanUnits = map[string]string{"m": "minute", "h": "hour", "d": "day", "w": "week"}
)

// ParseSpan reads a length of time.
func ParseSpan(text string) (Span, error) {
	if !spanForm.MatchString(text) {
		return "", fmt.Errorf("%q is no length of time; write 90m, 12h, 7d or 4w", text)
	}
	return Span(text), nil
}

// parts are the number and the unit in words; none of an empty span.
func (s Span) parts() (n int, unit string) {
	m := spanForm.FindStringSubmatch(string(s))
	if m == nil {
		return 0, ""
	}
	n, _ = strconv.Atoi(m[1])
	return n, spanUnits[m[2]]
}

// Before gives the moment that lies the span before t, in t's time zone.
func (s Span) Before(t time.Time) time.Time {
	n, unit := s.parts()
	switch unit {
	case "minute":
		return t.Add(-time.Duration(n) * time.Minute)
	case "hour":
		return t.Add(-time.Duration(n) * time.Hour)
	case "week":
		n *= 7
	}
	return t.AddDate(0, 0, -n)
}

// IsZero says that the span has no length.
func (s Span) IsZero() bool { n, _ := s.parts(); return n == 0 }

// Words is the span in words: 28 days, or day for one.
func (s Span) Words() string {
	n, unit := s.parts()
	if n == 1 {
		return unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// interval is the span as text that SQL casts to an INTERVAL.
func (s Span) interval() string {
	n, unit := s.parts()
	return fmt.Sprintf("%d %ss", n, unit)
}
