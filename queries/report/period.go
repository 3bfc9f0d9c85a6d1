package report

import (
	"cmp"
	"context"
	"time"

	"hindsql/queries"
)

// Period is the time from Since up to, but excluding, Until. Both are in the time zone
// in which days and times are shown.
type Period struct{ Since, Until time.Time }

// PeriodOf returns the period of a report for since and until in the form of
// [queries.Bounds]. An empty until means now. An empty since means the report's own
// period, counted back from until. An error in the texts is a [*queries.ValueError].
func (r *Report) PeriodOf(ctx context.Context, run queries.Run, since, until string) (p Period, err error) {
	p.Since, p.Until, err = queries.Bounds(ctx, run, since, cmp.Or(until, "now"))
	if since == "" {
		p.Since = r.Period.Before(p.Until)
	}
	return p, err
}

// During returns the period named by a text, such as last week or 2026-02. If the text
// names no period, the error is a [*queries.ValueError].
func During(ctx context.Context, run queries.Run, text string) (p Period, err error) {
	p.Since, p.Until, err = queries.During(ctx, run, text)
	return p, err
}

// given returns the parameters with values from the period.
func (p Period) given() map[string]any { return map[string]any{"since": p.Since, "until": p.Until} }

// Previous returns the period of equal length before p. A week is as long as the week
// before, even if the clocks changed in between.
func (p Period) Previous() Period {
	length := wall(p.Until).Sub(wall(p.Since))
	w := wall(p.Since).Add(-length)
	since := time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), w.Nanosecond(), p.Since.Location())
	return Period{since, p.Since}
}

// wall returns the local clock time as UTC, to ignore clock changes.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// String returns the period for people, to the minute, or in days if both ends are at
// midnight.
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
