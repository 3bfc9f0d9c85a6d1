package queries

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/internal/suggest"
)

// Moments holds examples of moments, for messages and help. Parameters, flags and the
// prompt share this language of times. Texts are read in the time zone in which days
// and times are shown, in any case. A space may be written - or _:
//
//	90m 12h 7d 4w 1month 1y   so long ago; also 7 days ago
//	now today yesterday tomorrow
//	monday … sunday           the latest, today included; last monday: the latest before today
//	this week, last week      also month and year; a week begins on Monday; week is this week
//	2026 2026-02 2026-02-03   a year, a month, a day
//	2026-02-03 08:00          a moment; also with seconds, T for the space, and a zone: Z, +01:00
//	yesterday 18:00, 08:00    time on a day, time today
//
// A period, such as 2026-02, stands for its first moment, in since and in until. until
// is the first moment excluded. So since=2026-02 until=2026-03 is February, and
// during=2026-02 is short for it.
const Moments = `7d, 12h, 1month, yesterday, monday, "last week", 2026-02, 2026-01-31 or "2026-01-31 08:00"`

// Times is the help for the language, broken into lines.
const Times = `A moment is 90m, 12h, 7d, 4w or 1month (so long ago), now, today, yesterday,
monday (the latest), "this week", "last month", 2026, 2026-02, 2026-01-31, 08:00 or
"2026-01-31 08:00", with a zone or in yours; a week begins on Monday. A period
stands for its first moment, and until is the first moment that no longer counts:
since=2026-02 until=2026-03 is February, and during=2026-02 is short for it.`

// words lists words of the language, for suggestions.
var words = []string{
	"now", "today", "yesterday", "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
	"this week", "this month", "this year", "last week", "last month", "last year",
}

// didYouMean returns the end of an error: a suggestion and examples.
func didYouMean(text, examples string) string {
	return suggest.Ask(normalize(text), words, "write "+examples)
}

// period returns the period that a text names, from its first moment to the first
// moment after. For a moment both are equal. now gives the current time and the time
// zone. ok is false if the text isn't in the language.
func period(text string, now time.Time) (from, to time.Time, ok bool) {
	text = normalize(text)
	if span, err := ParseSpan(strings.TrimSuffix(strings.TrimPrefix(text, "last "), " ago")); err == nil {
		at := span.Before(now)
		if strings.HasPrefix(text, "last ") {
			return at, now, true
		}
		return at, at, true
	}
	if from, to, ok = parseDate(text, now.Location()); ok {
		return from, to, true
	}
	if from, to, ok = parseNamed(text, now); ok {
		return from, to, true
	}
	return parseClock(text, now)
}

var joint = pattern.Lazy(`([a-z])[-_]([a-z0-9])`)

// normalize returns a text in small letters with one space between words.
func normalize(text string) string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	return joint.ReplaceAllString(text, "$1 $2")
}

// parseDate reads a year, a month or a day.
func parseDate(text string, zone *time.Location) (from, to time.Time, ok bool) {
	for _, form := range []struct {
		layout              string
		years, months, days int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {time.DateOnly, 0, 0, 1}} {
		if t, err := time.Parse(form.layout, text); err == nil {
			return midnight(t, zone), midnight(t.AddDate(form.years, form.months, form.days), zone), true
		}
	}
	return from, to, false
}

// parseNamed reads a period named by words: yesterday, monday, last week.
func parseNamed(text string, now time.Time) (from, to time.Time, ok bool) {
	days := func(first, many int) (from, to time.Time, ok bool) {
		return midnight(now.AddDate(0, 0, first), now.Location()), midnight(now.AddDate(0, 0, first+many), now.Location()), true
	}
	since := (int(now.Weekday()) + 6) % 7 // days since Monday
	switch text {
	case "day":
		text = "today"
	case "week", "month", "year":
		text = "this " + text
	}
	switch text {
	case "now":
		return now, now, true
	case "today":
		return days(0, 1)
	case "yesterday":
		return days(-1, 1)
	case "tomorrow":
		return days(1, 1)
	case "this week":
		return days(-since, 7)
	case "last week":
		return days(-since-7, 7)
	case "this month", "last month", "this year", "last year":
		return parseCalendar(text, now)
	}
	name, last := strings.CutPrefix(text, "last ")
	for i := range 7 { // backwards from today
		if last {
			i++
		}
		if word := strings.ToLower(now.AddDate(0, 0, -i).Weekday().String()); name == word || name == word[:3] {
			return days(-i, 1)
		}
	}
	return from, to, false
}

// parseCalendar returns this or the last month or year.
func parseCalendar(text string, now time.Time) (from, to time.Time, ok bool) {
	which, unit, _ := strings.Cut(text, " ")
	first, months := time.Date(now.Year(), now.Month(), 1, 12, 0, 0, 0, time.UTC), 1
	if unit == "year" {
		first, months = time.Date(now.Year(), 1, 1, 12, 0, 0, 0, time.UTC), 12
	}
	if which == "last" {
		first = first.AddDate(0, -months, 0)
	}
	return midnight(first, now.Location()), midnight(first.AddDate(0, months, 0), now.Location()), true
}

// parseClock reads a time of day, after a day's name or on today. A zone may follow a
// date and a time.
func parseClock(text string, now time.Time) (from, to time.Time, ok bool) {
	for _, layout := range []string{"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02 15:04:05Z07", "2006-01-02 15:04Z07"} {
		if t, err := time.Parse(layout, strings.ToUpper(strings.Replace(text, "t", " ", 1))); err == nil {
			return t.In(now.Location()), t.In(now.Location()), true
		}
	}
	day, clock := "today", text
	if i := strings.LastIndexAny(text, " t"); i >= 0 && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
		day, clock = text[:i], text[i+1:]
	}
	var at time.Time
	var err error
	for _, layout := range []string{"15:04", "15:04:05"} { // the seconds may have a fraction
		if at, err = time.Parse(layout, clock); err == nil {
			break
		}
	}
	if err != nil {
		return from, to, false
	}
	if from, to, ok = parseDate(day, now.Location()); !ok {
		from, to, ok = parseNamed(day, now)
	}
	if !ok || to.Sub(from) > 26*time.Hour || to.Equal(from) { // not one day
		return from, to, false
	}
	y, m, d := to.Add(-time.Minute).Date()
	t := time.Date(y, m, d, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), now.Location())
	return t, t, true
}

// midnight returns the first moment of a day. The moment is later than midnight if
// clocks skip midnight, and is the first of two midnights if clocks go back.
func midnight(day time.Time, zone *time.Location) time.Time {
	y, m, d := day.Date()
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	start, end := t.ZoneBounds()
	switch {
	case t.Day() != d: // midnight is skipped, and t is on the day before
		return end
	case t.Hour()+t.Minute() > 0:
		return start
	}
	if _, now := t.Zone(); !start.IsZero() {
		_, before := start.Add(-1).Zone()
		if first := t.Add(time.Duration(now-before) * time.Second); first.Before(start) && first.Day() == d {
			return first
		}
	}
	return t
}

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

// spanExamples holds examples of lengths of time, for messages and help.
const spanExamples = "90m, 12h, 7d, 4w or 1month"

// ParseSpan reads a length of time, in any case: a number and m, h, d, w, mo, y or the
// unit's full name.
func ParseSpan(text string) (Span, error) {
	if m := spanForm.FindStringSubmatch(strings.ToLower(text)); m != nil && spanUnits[m[2]] != "" {
		return Span(m[1] + spanLetters[spanUnits[m[2]]]), nil
	}
	return "", errors.New(strconv.Quote(text) + " is no length of time; write " + spanExamples)
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
