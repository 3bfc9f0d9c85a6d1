package schedule

import "time"

// Period is the time covered by a run: From inclusive, To exclusive.
type Period struct {
	From, To time.Time
}

// Due returns the period due at now; false if no period is due. done is the end of the
// last finished period, and since is the time of the job's install; either may be zero.
// If several periods were missed, Due returns one period that covers them, from done to
// the schedule's latest time. Periods that ended before since don't count as missed.
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
