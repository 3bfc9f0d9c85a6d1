// Package schedule has the system's own scheduler run commands at given times, and
// keeps the journal of scheduled runs.
//
// In: a schedule in words or in cron's fields, and a command. Out: what systemd,
// launchd, Windows' Task Scheduler or cron reads. They alone decide when a command runs.
// The package doesn't know how reports are made, and uses no database.
package schedule

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"hindsql/internal/lists"
)

// When is a schedule by the wall clock of the machine.
type When struct {
	text           string
	hours, minutes []int // nil for all
	days           []days
}

// days are days of a schedule. Each list is nil for all.
type days struct{ months, daysOfMonth, weekdays []int }

const wordsForm = "write hourly, daily 08:00, weekdays 08:00, weekly mon 08:00, monthly 1 08:00, every 6h, or five fields of cron"

// Parse reads a schedule: plain words, or five cron fields. Cron limits the days in two
// fields; if both limit them, a day that either allows is a day of the schedule.
func Parse(text string) (*When, error) {
	fields := strings.Fields(strings.ToLower(text))
	if len(fields) == 0 {
		return nil, errors.New("no schedule; " + wordsForm)
	}
	if len(fields) != 5 {
		var err error
		if fields, err = cronFieldsOf(fields); err != nil {
			return nil, fmt.Errorf("schedule %q: %w", text, err)
		}
	}
	parsed, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(strings.Join(fields, " "))
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w; %s", text, err, wordsForm)
	}
	spec := parsed.(*cron.SpecSchedule)
	if spec.Next(time.Now()).IsZero() {
		return nil, fmt.Errorf("schedule %q: never comes", text)
	}
	w := &When{text: strings.Join(strings.Fields(text), " "), hours: numbers(spec.Hour, 0, 23), minutes: numbers(spec.Minute, 0, 59)}
	months, daysOfMonth, weekdays := numbers(spec.Month, 1, 12), numbers(spec.Dom, 1, 31), numbers(spec.Dow, 0, 6)
	if daysOfMonth != nil && weekdays != nil {
		w.days = []days{{months, daysOfMonth, nil}, {months, nil, weekdays}}
	} else {
		w.days = []days{{months, daysOfMonth, weekdays}}
	}
	return w, nil
}

// String returns the schedule as written.
func (w *When) String() string { return w.text }

// numbers lists the values of a field of cron, nil if the field allows all.
func numbers(field uint64, first, last int) (list []int) {
	for n := first; n <= last; n++ {
		if field&(1<<n) != 0 {
			list = append(list, n)
		}
	}
	if len(list) == last-first+1 {
		return nil
	}
	return list
}

// joined returns numbers with commas between, and a star for all.
func joined(list []int, form string) string {
	if list == nil {
		return "*"
	}
	return lists.Join(list, ",", func(n int) string { return fmt.Sprintf(form, n) })
}

// cronFields returns the schedule as fields of a crontab, in numbers: not every cron
// reads names and steps.
func (w *When) cronFields() string {
	all := days{w.days[0].months, w.days[0].daysOfMonth, w.days[len(w.days)-1].weekdays}
	return lists.Join([][]int{w.minutes, w.hours, all.daysOfMonth, all.months, all.weekdays}, " ", func(list []int) string { return joined(list, "%d") })
}

var weekdayNames = strings.Fields("Sun Mon Tue Wed Thu Fri Sat")

// onCalendar returns the schedule in systemd's form, see systemd.time(7).
func (w *When) onCalendar() (list []string) {
	for _, d := range w.days {
		at := fmt.Sprintf("*-%s-%s %s:%s:00", joined(d.months, "%02d"), joined(d.daysOfMonth, "%02d"), joined(w.hours, "%02d"), joined(w.minutes, "%02d"))
		list = append(list, strings.TrimSpace(lists.Join(d.weekdays, ",", func(n int) string { return weekdayNames[n] })+" "+at))
	}
	return list
}

// mostIntervals is how many times a schedule for launchd may have.
const mostIntervals = 300

// intervals returns the schedule as launchd's StartCalendarInterval: a missing key
// stands for all.
func (w *When) intervals() (list []map[string]int, err error) {
	for _, d := range w.days {
		part := []map[string]int{{}}
		part = times(part, "Month", d.months)
		part = times(part, "Day", d.daysOfMonth)
		part = times(part, "Weekday", d.weekdays)
		part = times(part, "Hour", w.hours)
		list = append(list, times(part, "Minute", w.minutes)...)
	}
	if len(list) > mostIntervals {
		return nil, fmt.Errorf("schedule %q: has %d times, too many for launchd; use --with cron", w, len(list))
	}
	return list, nil
}

// times returns each interval once for each value of key.
func times(list []map[string]int, key string, values []int) (all []map[string]int) {
	if values == nil {
		return list
	}
	for _, one := range list {
		for _, v := range values {
			with := maps.Clone(one)
			with[key] = v
			all = append(all, with)
		}
	}
	return all
}

// mostTriggers is how many triggers the Task Scheduler takes.
const mostTriggers = 48

// triggers returns the schedule as triggers of Windows' Task Scheduler. If a schedule
// has every hour, and its minutes have equal distances, one trigger a day repeats.
func (w *When) triggers() ([]string, error) {
	hours, minutes, repeat := orAll(w.hours, 24), orAll(w.minutes, 60), ""
	if step := 60 / len(minutes); w.hours == nil && isEven(minutes, step) {
		hours, minutes = []int{0}, minutes[:1]
		repeat = fmt.Sprintf("<Repetition><Interval>PT%dM</Interval><Duration>P1D</Duration></Repetition>", step)
	}
	var list []string
	for _, d := range w.days {
		for _, hour := range hours {
			for _, minute := range minutes {
				list = append(list, fmt.Sprintf("<CalendarTrigger>%s<StartBoundary>2026-01-01T%02d:%02d:00</StartBoundary>%s</CalendarTrigger>", repeat, hour, minute, d.trigger()))
			}
		}
	}
	if len(list) > mostTriggers {
		return nil, fmt.Errorf("schedule %q: has %d times a day, and the Task Scheduler takes %d", w, len(list), mostTriggers)
	}
	return list, nil
}

// orAll returns list, or all numbers below n if list is nil.
func orAll(list []int, n int) []int {
	if list != nil {
		return list
	}
	for i := range n {
		list = append(list, i)
	}
	return list
}

// isEven reports whether the minutes divide an hour into steps.
func isEven(minutes []int, step int) bool {
	for i, m := range minutes {
		if m != minutes[0]+i*step {
			return false
		}
	}
	return step*len(minutes) == 60
}

var (
	longWeekdays = strings.Fields("Sunday Monday Tuesday Wednesday Thursday Friday Saturday")
	longMonths   = strings.Fields("January February March April May June July August September October November December")
)

// trigger returns the days as the last element of a trigger.
func (d days) trigger() string {
	switch {
	case d.weekdays != nil && d.months == nil:
		return "<ScheduleByWeek><WeeksInterval>1</WeeksInterval><DaysOfWeek>" + elements(d.weekdays, longWeekdays, 0) + "</DaysOfWeek></ScheduleByWeek>"
	case d.weekdays != nil:
		return "<ScheduleByMonthDayOfWeek><Weeks><Week>1</Week><Week>2</Week><Week>3</Week><Week>4</Week><Week>Last</Week></Weeks><DaysOfWeek>" +
			elements(d.weekdays, longWeekdays, 0) + "</DaysOfWeek><Months>" + elements(d.months, longMonths, 1) + "</Months></ScheduleByMonthDayOfWeek>"
	case d.daysOfMonth != nil || d.months != nil:
		var of strings.Builder
		for n := 1; n <= 31; n++ {
			if d.daysOfMonth == nil || slices.Contains(d.daysOfMonth, n) {
				of.WriteString("<Day>" + strconv.Itoa(n) + "</Day>")
			}
		}
		return "<ScheduleByMonth><DaysOfMonth>" + of.String() + "</DaysOfMonth><Months>" + elements(d.months, longMonths, 1) + "</Months></ScheduleByMonth>"
	}
	return "<ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>"
}

// elements writes an empty element for each value, the first name being lowest; for all
// names if values is nil.
func elements(values []int, names []string, lowest int) string {
	var b strings.Builder
	for i, name := range names {
		if values == nil || slices.Contains(values, i+lowest) {
			b.WriteString("<" + name + "/>")
		}
	}
	return b.String()
}

// cronFieldsOf turns a schedule in plain words, such as daily 08:00, into five cron fields.
// The words are in small letters.
func cronFieldsOf(words []string) ([]string, error) {
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
		day, rest := cutFirstWord(rest, "mon")
		if len(day) > 3 && slices.Contains(longDays, day) {
			day = day[:3]
		}
		return atClock(rest, "*", day)
	case "monthly":
		day, rest := cutFirstWord(rest, "1")
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

// cutFirstWord splits off the first word. If there are no words, or the first is a time
// of day, it returns missing and all words.
func cutFirstWord(words []string, missing string) (first string, rest []string) {
	if len(words) == 0 || strings.Contains(words[0], ":") {
		return missing, words
	}
	return words[0], words[1:]
}

// fields returns the usual fields of cron. rest must be empty: words left over are an error.
func fields(rest []string, usual ...string) ([]string, error) {
	if len(rest) > 0 {
		return nil, fmt.Errorf("%s: one word too many; %s", strings.Join(rest, " "), wordsForm)
	}
	return usual, nil
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
