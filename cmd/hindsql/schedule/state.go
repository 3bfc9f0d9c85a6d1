package schedule

import "time"

// state is the present state of a job.
type state struct {
	ready    bool      // run the job now
	next     time.Time // when to check the job again; zero: never
	period   Period    // the due period
	attempt  int       // number of the next run for this period
	failures int       // failed runs of the report for this period, without interrupted runs
}

// state reads a job's state from the journal.
func (r Runner) state(job Job) (state, error) {
	w, err := job.when(r.Zone)
	if err != nil {
		return state{}, err
	}
	runs, err := r.Journal.Runs(job.Name)
	if err != nil {
		return state{}, err
	}
	now := r.Now()
	since := job.Since
	if isAhead(since, now) {
		since = time.Time{}
	}
	period, due := w.Due(now, lastFinished(runs, now), since)
	s := state{next: w.Next(now), period: period, attempt: 1}
	if !due {
		return s, nil
	}
	var failedAt time.Time
	for _, run := range runs {
		if !run.PeriodEnd.Equal(period.To) {
			continue
		}
		s.attempt = max(s.attempt, run.Attempt+1)
		if run.Status == Failed && run.Error != interrupted {
			s.failures++
			failedAt = run.FinishedAt
		}
	}
	if s.failures >= job.attempts() {
		return s, nil
	}
	s.ready = true
	// The distance in time is absolute. Otherwise, if the clock was set back after a
	// failure, the report would wait until the clock has caught up.
	if wait := pause(s.failures); s.failures > 0 && now.Sub(failedAt).Abs() < wait {
		s.ready = false
		if again := now.Add(wait - now.Sub(failedAt).Abs()); again.Before(s.next) {
			s.next = again
		}
	}
	return s, nil
}

// isAhead reports whether t is a day or more in the future, so it must come from a
// clock that was wrong. A report doesn't wait until t.
func isAhead(t, now time.Time) bool { return !t.Before(now.AddDate(0, 0, 1)) }

// lastFinished returns the end of the last finished period; zero if no run finished.
func lastFinished(runs []Run, now time.Time) (end time.Time) {
	for _, run := range runs {
		if run.finished() && run.PeriodEnd.After(end) && !isAhead(run.PeriodEnd, now) {
			end = run.PeriodEnd
		}
	}
	return end
}

// Next returns when the next of the jobs must be checked, and its name. The time is now
// if a job is already due. The time is zero if no job ever needs a check. Invalid jobs
// are skipped.
func (r Runner) Next(jobs []Job) (at time.Time, name string) {
	for _, job := range jobs {
		s, err := r.state(job)
		if err != nil {
			continue
		}
		if s.ready {
			s.next = r.Now()
		}
		if !s.next.IsZero() && (at.IsZero() || s.next.Before(at)) {
			at, name = s.next, job.Name
		}
	}
	return at, name
}
