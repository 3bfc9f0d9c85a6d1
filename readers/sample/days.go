package sample

import (
	"fmt"
	"strconv"
	"time"

	"hindsql/internal/pattern"
)

// Last is the last day of the sample as written. All its moments are before 10:00 UTC,
// so a day that is over in any time zone has only moments of the past.
const Last = "2026-10-22"

// Days is the number of days by which the sample's times are moved.
type Days int

// On returns the days that make a day the sample's last, written like [Last]; without a
// day, yesterday.
func On(day string, now time.Time) (Days, error) {
	if day == "" {
		return Until(now.AddDate(0, 0, -1))
	}
	last, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0, fmt.Errorf("%s: write a day, such as %s", day, Last)
	}
	return Until(last)
}

// Until returns the days that make day the sample's last. Only a year from 2002 to 2099
// is allowed: such times have as many digits as the sample's, and readers take them.
func Until(day time.Time) (Days, error) {
	if day.Year() < 2002 || day.Year() > 2099 {
		return 0, fmt.Errorf("%s: the sample ends on a day from 2002 to 2099", day.Format(time.DateOnly))
	}
	last, err := time.Parse(time.DateOnly, Last)
	midnight := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
	return Days(midnight.Sub(last) / (24 * time.Hour)), err
}

// moments matches dates and whole words, and first the letter n of a line end in JSON,
// so that the letter isn't part of a word. Digits within a word, such as a hash, aren't
// a moment.
var moments = pattern.Lazy(`\\+[a-z]?|20\d\d[-/]\d\d[-/]\d\d|[0-9A-Za-z]+`)

// Move moves the moments in a file or a path: dates and seconds, milliseconds and
// microseconds since 1970. The text keeps its length. Words such as October and times
// within ids such as UUIDs stay.
func (d Days) Move(text []byte) []byte {
	if d == 0 {
		return text
	}
	return moments.Regexp().ReplaceAllFunc(text, d.moved)
}

// perSecond is the number of units in a second, by the digits of a moment in them.
var perSecond = map[int]int64{10: 1, 13: 1_000, 16: 1_000_000}

func (d Days) moved(word []byte) []byte {
	unit := perSecond[len(word)]
	if unit == 0 {
		return word
	}
	text := string(word)
	for _, form := range []string{"2006-01-02", "2006/01/02"} {
		if day, err := time.Parse(form, text); err == nil && isOurs(day) {
			return day.AddDate(0, 0, int(d)).AppendFormat(nil, form)
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !isOurs(time.Unix(n/unit, 0)) {
		return word
	}
	return strconv.AppendInt(nil, n+int64(d)*24*60*60*unit, 10)
}

// isOurs reports whether a time is in the month that holds the sample's times.
func isOurs(t time.Time) bool {
	year, month, _ := t.UTC().Date()
	return year == 2026 && month == time.October
}
