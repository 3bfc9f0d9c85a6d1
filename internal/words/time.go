package words

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Moment formats a time to the minute.
func Moment(at time.Time) string { return at.Format("2006-01-02 15:04") }

// Span formats a period of time.
func Span(from, to time.Time) string {
	switch {
	case from.IsZero():
		return ""
	case to.IsZero() || Moment(from) == Moment(to):
		return Moment(from)
	case from.Format(time.DateOnly) == to.Format(time.DateOnly):
		return Moment(from) + " to " + to.Format("15:04")
	}
	return Moment(from) + " to " + Moment(to)
}

// Duration formats a duration to the two largest units, and a short one to a
// millisecond or a tenth of a second.
func Duration(d time.Duration) string { return Seconds(d.Seconds()) }

// Seconds formats a duration given in seconds.
func Seconds(seconds float64) string {
	if seconds < 0 {
		return "-" + Seconds(-seconds)
	}
	switch {
	case seconds == 0:
		return "0 s"
	case seconds < 0.9995:
		return strconv.FormatFloat(max(1, math.Round(seconds*1000)), 'f', 0, 64) + " ms"
	case seconds < 9.95:
		return strings.TrimSuffix(strconv.FormatFloat(seconds, 'f', 1, 64), ".0") + " s"
	case seconds > 1e15:
		return strconv.FormatFloat(seconds, 'g', 3, 64) + " s"
	}
	for _, u := range []struct {
		size, less  float64 // seconds of the unit, and of the next smaller unit
		name, below string
	}{{86400, 3600, "d", "h"}, {3600, 60, "h", "min"}, {60, 1, "min", "s"}} {
		n, each := math.Round(seconds/u.less), u.size/u.less // in the smaller unit
		if seconds >= u.size-0.5 {
			s := Amount(strconv.FormatFloat(math.Floor(n/each), 'f', 0, 64)) + " " + u.name
			if rest := math.Mod(n, each); rest > 0 {
				s += " " + strconv.FormatFloat(rest, 'f', 0, 64) + " " + u.below
			}
			return s
		}
	}
	return strconv.FormatFloat(math.Round(seconds), 'f', 0, 64) + " s"
}

// Interval formats DuckDB's text of an interval, with the clock in words: "3 days 2 h 5
// min" for "3 days 02:05:00".
func Interval(text string) string {
	at := strings.LastIndexByte(text, ' ') + 1
	sign, clock := 1.0, text[at:]
	if strings.HasPrefix(clock, "-") {
		sign, clock = -1, clock[1:]
	}
	parts := strings.Split(clock, ":")
	if len(parts) != 3 {
		return text
	}
	seconds := 0.0
	for _, part := range parts {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return text
		}
		seconds = 60*seconds + f
	}
	return text[:at] + Seconds(sign*seconds)
}

// UnitSeconds returns the seconds in a unit of time, given by name in SQL, such as ms,
// s or minutes; 0 for any other name.
func UnitSeconds(name string) float64 {
	switch name {
	case "ms":
		return 1e-3
	case "s", "sec", "seconds":
		return 1
	case "min", "minutes":
		return 60
	case "h", "hours":
		return 3600
	}
	return 0
}
