package schedule

import "time"

// Period is what a run covers: from From on, and before To.
type Period struct {
	From, To time.Time
}

// Due gives the period that is due at now; false when none is. done is the end
// of the last period that was finished, and since when the schedule was made;
// each zero for none. What was missed is one period, which goes from done to
// the latest time of the schedule. What lies before since is not missed.
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
