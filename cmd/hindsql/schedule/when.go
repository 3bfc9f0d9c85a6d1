// Package schedule says when reports are due, and runs those that are: each
// once a period, whatever fails, and however many processes try.
//
// In: jobs with their schedules, a clock, and the function that runs one
// report. Out: its calls, and a journal of them. A [System]'s own scheduler has
// the program look every few minutes. The package knows neither how a report is
// made nor any database.
package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// When is a schedule in a time zone: the moments at which a report is due.
type When struct {
	text string
	zone *time.Location
	spec *cron.SpecSchedule // on the wall clock, or in the zone for one of every hour
	// hourly schedules go by the hours that pass, of which a day may have 23 or
	// 25; all others by the clock on the wall.
	hourly bool
}

const wordsForm = "write hourly, daily 08:00, weekdays 08:00, weekly mon 08:00, monthly 1 08:00, every 6h, or five fields of cron"

// Parse reads a schedule: plain words, or the five fields of cron. Moments are
// those of the clock in zone.
func Parse(text string, zone *time.Location) (*When, error) {
	fields := strings.Fields(strings.ToLower(text))
	if len(fields) != 5 || strings.Contains(text, "=") {
		words, err := inCron(fields)
		if err != nil {
			return nil, fmt.Errorf("schedule %q: %w", text, err)
		}
		fields = words
	}
	parser := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	parsed, err := parser.Parse(strings.Join(fields, " "))
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w; %s", text, err, wordsForm)
	}
	w := &When{text: strings.Join(strings.Fields(text), " "), zone: zone, spec: parsed.(*cron.SpecSchedule)}
	const everyHour = 1<<24 - 1
	w.hourly = w.spec.Hour&everyHour == everyHour
	w.spec.Location = time.UTC
	if w.hourly {
		w.spec.Location = zone
	}
	if w.Next(time.Unix(0, 0)).IsZero() {
		return nil, fmt.Errorf("schedule %q: never comes", text)
	}
	return w, nil
}

// String is the schedule as it was written.
func (w *When) String() string { return w.text }

// Next is the first moment after t at which the schedule comes; zero when none
// does within five years. A time that a change of the clock leaves out comes
// when the clock jumps; one that there is twice comes the first time only.
func (w *When) Next(t time.Time) time.Time {
	if w.hourly {
		return w.spec.Next(t).In(w.zone)
	}
	for wall := onWall(t, w.zone); ; {
		if wall = w.spec.Next(wall); wall.IsZero() {
			return wall
		}
		if at := moment(wall, w.zone); at.After(t) {
			return at
		}
	}
}

// longestGap is more than there is between two times of any schedule.
const longestGap = 10 * 366 * 24 * time.Hour

// Latest is the last moment, t among them, at which the schedule came; zero
// when none did within the last years.
func (w *When) Latest(t time.Time) (last time.Time) {
	for back := time.Hour; last.IsZero() && back < longestGap; back *= 2 {
		for at := w.Next(t.Add(-back)); !at.IsZero() && !at.After(t); at = w.Next(at) {
			last = at
		}
	}
	return last
}

// onWall is what the clock in a zone shows, as if it were UTC.
func onWall(t time.Time, zone *time.Location) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// moment is when the clock in a zone shows what wall says in UTC: for the
// first time, or, when it never does, when it jumps over that.
func moment(wall time.Time, zone *time.Location) time.Time {
	_, before := wall.Add(-24 * time.Hour).In(zone).Zone()
	_, after := wall.Add(24 * time.Hour).In(zone).Zone()
	early := wall.Add(-time.Duration(max(before, after)) * time.Second).In(zone)
	late := wall.Add(-time.Duration(min(before, after)) * time.Second).In(zone)
	switch {
	case onWall(early, zone).Equal(wall):
		return early
	case onWall(late, zone).Equal(wall):
		return late
	}
	_, jump := early.ZoneBounds()
	return jump
}
