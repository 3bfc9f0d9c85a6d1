package queries

import (
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
	return suggest.Ask(plain(text), words, "write "+examples)
}

// period returns the period that a text names, from its first moment to the first
// moment after. For a moment both are equal. now gives the current time and the time
// zone. ok is false if the text isn't in the language.
func period(text string, now time.Time) (from, to time.Time, ok bool) {
	text = plain(text)
	if span, err := ParseSpan(strings.TrimSuffix(strings.TrimPrefix(text, "last "), " ago")); err == nil {
		at := span.Before(now)
		if strings.HasPrefix(text, "last ") {
			return at, now, true
		}
		return at, at, true
	}
	if from, to, ok = dated(text, now.Location()); ok {
		return from, to, true
	}
	if from, to, ok = called(text, now); ok {
		return from, to, true
	}
	return clocked(text, now)
}

var joint = pattern.Lazy(`([a-z])[-_]([a-z0-9])`)

// plain returns a text in small letters with one space between words.
func plain(text string) string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	return joint.ReplaceAllString(text, "$1 $2")
}

// dated reads a year, a month or a day.
func dated(text string, zone *time.Location) (from, to time.Time, ok bool) {
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

// called reads a period named by words: yesterday, monday, last week.
func called(text string, now time.Time) (from, to time.Time, ok bool) {
	days := func(first, many int) (from, to time.Time, ok bool) {
		return midnight(now.AddDate(0, 0, first), now.Location()), midnight(now.AddDate(0, 0, first+many), now.Location()), true
	}
	since := sinceMonday(now)
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
		return ofCalendar(text, now)
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

// sinceMonday returns the number of days since the week began.
func sinceMonday(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

// ofCalendar returns this or the last month or year.
func ofCalendar(text string, now time.Time) (from, to time.Time, ok bool) {
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

// clocked reads a time of day, after a day's name or on today. A zone may follow a date
// and a time.
func clocked(text string, now time.Time) (from, to time.Time, ok bool) {
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
	if from, to, ok = dated(day, now.Location()); !ok {
		from, to, ok = called(day, now)
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
