package report

import (
	"cmp"
	"context"
	"time"

	"hindsql/queries"
)

// Period is the time from Since on and before Until, both in the zone that
// days and times are shown in.
type Period struct{ Since, Until time.Time }

// PeriodOf is the time that a report is to cover, with since and until as
// [queries.Bounds] takes them. Empty, they are the report's own period, which ends
// with until, and now. What is wrong with them is a [*queries.ValueError].
func (r *Report) PeriodOf(ctx context.Context, run queries.Run, since, until string) (p Period, err error) {
	p.Since, p.Until, err = queries.Bounds(ctx, run, since, cmp.Or(until, "now"))
	if since == "" {
		p.Since = r.Period.Before(p.Until)
	}
	return p, err
}

// During is the period that a text names, such as last week or 2026-02. A text
// that names none is a [*queries.ValueError].
func During(ctx context.Context, run queries.Run, text string) (p Period, err error) {
	p.Since, p.Until, err = queries.During(ctx, run, text)
	return p, err
}

// given are the parameters that get their values from the period.
func (p Period) given() map[string]any { return map[string]any{"since": p.Since, "until": p.Until} }

// Previous is the period of the same length before p; a week is as long as the
// week before also when the clocks were changed in between.
func (p Period) Previous() Period {
	length := wall(p.Until).Sub(wall(p.Since))
	w := wall(p.Since).Add(-length)
	since := time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), w.Nanosecond(), p.Since.Location())
	return Period{since, p.Since}
}

// wall is what the clock on the wall shows, as if it never were changed.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// String is the period for people: to the minute, in days where both ends are
// midnights.
func (p Period) String() string {
	const minute, day = "2006-01-02 15:04", time.DateOnly
	if isMidnight(p.Since) && isMidnight(p.Until) {
		last := p.Until.AddDate(0, 0, -1)
		if last.Equal(p.Since) {
			return p.Since.Format(day)
		}
		return p.Since.Format(day) + " to " + last.Format(day)
	}
	return p.Since.Format(minute) + " to " + p.Until.Format(minute)
}

func isMidnight(t time.Time) bool {
	return t.Equal(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location()))
}
