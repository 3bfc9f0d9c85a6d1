package queries

import (
	"regexp"
	"strings"
	"time"

	"hindsql/internal/suggest"
)

// Moments is what people may write for a moment, for messages and help. This is
// the one language of times, the same for parameters, flags and the prompt. A
// text is taken in the time zone that days and times are shown in, in any case,
// and - or _ may stand for a space:
//
//	90m 12h 7d 4w 1month 1y   so long ago; also 7 days ago
//	now today yesterday tomorrow
//	monday … sunday           the latest one, today included; last monday: the one before today
//	this week, last week      also month and year; a week begins on Monday
//	2026 2026-02 2026-02-03   a year, a month, a day
//	2026-02-03 08:00          a moment; also with seconds, T for the space, and a zone: Z, +01:00
//	yesterday 18:00, 08:00    of a day, of today
//
// A text that names a period, such as 2026-02, stands for its first moment, for
// since and until alike: until is the first moment that no longer counts, so
// since=2026-02 until=2026-03 is February, and so is during=2026-02.
const Moments = `7d, 12h, 1month, yesterday, monday, "last week", 2026-02, 2026-01-31 or "2026-01-31 08:00"`

// Times is help on the language, broken into lines.
const Times = `A moment is 90m, 12h, 7d, 4w or 1month (so long ago), now, today, yesterday,
monday (the latest), "this week", "last month", 2026, 2026-02, 2026-01-31, 08:00 or
"2026-01-31 08:00", with a zone or in yours; a week begins on Monday. A period
stands for its first moment, and until is the first moment that no longer counts:
since=2026-02 until=2026-03 is February, and during=2026-02 is short for it.`

// words are those of the language, for suggestions.
var words = []string{
	"now", "today", "yesterday", "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
	"this week", "this month", "this year", "last week", "last month", "last year",
}

// didYouMean is the end of an error: what a text may have been meant for, and examples.
func didYouMean(text, examples string) string {
	return suggest.Ask(plain(text), words, "write "+examples)
}

// period gives what a text of the language names at a time, which says also
// where: from its first moment to the first no longer in it, which is the same
// for a moment. Not ok is a text that isn't of the language.
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

var joint = regexp.MustCompile(`([a-z])[-_]([a-z0-9])`)

// plain is a text as the language has it: small letters, one space between words.
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

// called reads what is called by words: yesterday, monday, last week.
func called(text string, now time.Time) (from, to time.Time, ok bool) {
	days := func(first, many int) (from, to time.Time, ok bool) {
		return midnight(now.AddDate(0, 0, first), now.Location()), midnight(now.AddDate(0, 0, first+many), now.Location()), true
	}
	since := sinceMonday(now)
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

// sinceMonday is how many days ago the week began.
func sinceMonday(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

// ofCalendar is this or the last month or year.
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

// clocked reads a time of a day: of one that is named before it, or of today. A
// zone may stand behind a date and a time.
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
	for _, layout := range []string{"15:04", "15:04:05"} { // a fraction may stand behind the seconds
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

// midnight is the first moment of a day, which is not at midnight where the
// clocks are put forward then, and is the first of two midnights where they are
// put back.
func midnight(day time.Time, zone *time.Location) time.Time {
	y, m, d := day.Date()
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	start, end := t.ZoneBounds()
	switch {
	case t.Day() != d: // there is no midnight, and this is one by the clock of the day before
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
