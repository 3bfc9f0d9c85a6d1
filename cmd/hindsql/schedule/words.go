package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// inCron turns a schedule in plain words, such as daily 08:00, into five cron fields.
// The words are in small letters.
func inCron(words []string) ([]string, error) {
	if len(words) == 0 {
		return nil, errors.New("empty; " + wordsForm)
	}
	rest := words[1:]
	switch words[0] {
	case "hourly":
		return fields(rest, "0", "*", "*", "*", "*")
	case "daily":
		return atClock(rest, "*", "*")
	case "weekdays":
		return atClock(rest, "*", "mon-fri")
	case "weekly":
		day, rest := take(rest, "mon")
		if len(day) > 3 && slices.Contains(longDays, day) {
			day = day[:3]
		}
		return atClock(rest, "*", day)
	case "monthly":
		day, rest := take(rest, "1")
		if n, err := strconv.Atoi(day); err != nil || n < 1 || n > 28 {
			return nil, fmt.Errorf("day %s: a month has days 1 to 28, and not always more", day)
		}
		return atClock(rest, day, "*")
	case "every":
		return every(strings.Join(rest, ""))
	}
	return nil, errors.New("unknown; " + wordsForm)
}

var longDays = strings.Fields("monday tuesday wednesday thursday friday saturday sunday")

// take splits off the first word. If there are no words, or the first is a time of day,
// it returns missing and all words.
func take(words []string, missing string) (first string, rest []string) {
	if len(words) == 0 || strings.Contains(words[0], ":") {
		return missing, words
	}
	return words[0], words[1:]
}

// fields returns cron. rest must be empty: words left over are an error.
func fields(rest []string, cron ...string) ([]string, error) {
	if len(rest) > 0 {
		return nil, fmt.Errorf("%s: one word too many; %s", strings.Join(rest, " "), wordsForm)
	}
	return cron, nil
}

// atClock returns the cron fields for a time of day, midnight if words is empty, on the
// given days.
func atClock(words []string, dayOfMonth, dayOfWeek string) ([]string, error) {
	clock := "00:00"
	if len(words) > 0 {
		clock, words = words[0], words[1:]
	}
	at, err := time.Parse("15:04", clock)
	if err != nil {
		return nil, fmt.Errorf("%s: no time of day; write it as 08:00", clock)
	}
	return fields(words, strconv.Itoa(at.Minute()), strconv.Itoa(at.Hour()), dayOfMonth, "*", dayOfWeek)
}

// every returns the cron fields for a span such as 6h or 15m. The span must divide an
// hour or a day without a rest. The schedule then begins anew at midnight, and its
// times are easy to predict.
func every(span string) ([]string, error) {
	d, err := time.ParseDuration(span)
	const hour, day = time.Hour, 24 * time.Hour
	switch {
	case err != nil || d < time.Minute || d%time.Minute != 0:
	case d < hour && hour%d == 0:
		return []string{fmt.Sprintf("*/%d", d/time.Minute), "*", "*", "*", "*"}, nil
	case d == hour:
		return []string{"0", "*", "*", "*", "*"}, nil
	case d%hour == 0 && day%d == 0 && d < day:
		return []string{"0", fmt.Sprintf("*/%d", d/hour), "*", "*", "*"}, nil
	case d == day:
		return []string{"0", "0", "*", "*", "*"}, nil
	}
	return nil, fmt.Errorf("every %s: write a span that goes into an hour or a day, such as 15m, 1h, 6h or 12h", span)
}
