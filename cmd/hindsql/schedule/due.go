package schedule

import "time"

// Period is the time covered by a run: From inclusive, To exclusive.
type Period struct {
	From, To time.Time
}

// Due returns the period due at now; false if no period is due. done is the end of the
// last finished period; since is the time the schedule was made. Either may be zero.
// Missed periods become one period, from done to the latest time of the schedule.
// Periods before since don't count as missed.
func (w *When) Due(now, done, since time.Time) (Period, bool) {
	if !since.IsZero() {
		if before := w.Latest(since); before.After(done) {
			done = before
		}
	}
	to := w.Latest(now)
	if to.IsZero() || !to.After(done) {
		return Period{}, false
	}
	if done.IsZero() {
		done = w.Latest(to.Add(-time.Nanosecond))
	}
	return Period{done, to}, true
}
