// Package schedule decides when reports are due, and runs the due reports. Each runs
// once a period, despite failures and concurrent processes.
//
// The caller supplies jobs with schedules, a clock, and a function that runs one
// report. The package calls the function and keeps a journal of the runs. The operating
// system's scheduler, see [System], starts the program every few minutes. The package
// doesn't know how reports are made, and uses no database.
package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// When is a schedule in a time zone: the times at which a report is due.
type When struct {
	text string
	zone *time.Location
	spec *cron.SpecSchedule // in UTC fields that stand for the wall clock; in zone for an hourly schedule
	// hourly is set if the schedule has every hour. It then counts elapsed hours: on days
	// with a clock change there are 23 or 25. All other schedules follow the wall clock.
	hourly bool
}

const wordsForm = "write hourly, daily 08:00, weekdays 08:00, weekly mon 08:00, monthly 1 08:00, every 6h, or five fields of cron"

// Parse reads a schedule: plain words, or five cron fields. The schedule's times are
// local times in zone.
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

// String returns the schedule as written.
func (w *When) String() string { return w.text }

// Next returns the schedule's first time after t; zero if there is none within five
// years. If a clock change skips a time of the schedule, Next returns the moment of the
// change. If a clock change repeats a time, Next returns only the first.
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

// longestGap is longer than the gap between two times of any schedule.
const longestGap = 10 * 366 * 24 * time.Hour

// Latest returns the schedule's last time up to and including t; zero if none came
// within about ten years.
func (w *When) Latest(t time.Time) (last time.Time) {
	for back := time.Hour; last.IsZero() && back < longestGap; back *= 2 {
		for at := w.Next(t.Add(-back)); !at.IsZero() && !at.After(t); at = w.Next(at) {
			last = at
		}
	}
	return last
}

// onWall returns a UTC time whose fields are those of the wall clock in zone at t.
func onWall(t time.Time, zone *time.Location) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// moment returns the time at which the wall clock in zone shows the fields of wall. If
// the clock shows them twice, moment returns the first time. If a clock change skips
// them, it returns the time of the change.
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
