package schedule

import "time"

// state is how a job stands now.
type state struct {
	ready    bool      // to be run now
	next     time.Time // when it is to be looked at again; zero: never
	period   Period    // that is due
	attempt  int       // the number of the next run for this period
	failures int       // of the report itself, for this period
}

// state reads how a job stands from the journal.
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
	// A clock that was set back must not make the report wait for the old one.
	if wait := pause(s.failures); s.failures > 0 && now.Sub(failedAt).Abs() < wait {
		s.ready = false
		if again := now.Add(wait - now.Sub(failedAt).Abs()); again.Before(s.next) {
			s.next = again
		}
	}
	return s, nil
}

// isAhead says that a time was written by a clock that was wrong: it lies in a day
// that is yet to come, until which no report must wait.
func isAhead(t, now time.Time) bool { return !t.Before(now.AddDate(0, 0, 1)) }

// lastFinished is the end of the last period that is made.
func lastFinished(runs []Run, now time.Time) (end time.Time) {
	for _, run := range runs {
		if run.finished() && run.PeriodEnd.After(end) && !isAhead(run.PeriodEnd, now) {
			end = run.PeriodEnd
		}
	}
	return end
}

// Next is when there is something to do for one of the jobs, and for which:
// now, when it is due already; zero when there never is. Jobs that are wrong
// are left out.
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
