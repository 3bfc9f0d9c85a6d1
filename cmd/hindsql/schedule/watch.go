package schedule

import (
	"context"
	"time"
)

// look is the longest time for which Watch sleeps without a check of the clock. The
// user may set the clock, and the clock goes on while the machine sleeps.
const look = time.Minute

// Watcher holds the callbacks of Watch.
type Watcher struct {
	Jobs func() ([]Job, error) // returns the jobs installed now
	Done func([]Outcome)       // gets the outcomes of due jobs
	Next func(string)          // gets the next job and its time, if they changed; empty: no job is installed
}

// Watch runs due jobs until ctx ends, and then returns nil.
func (r Runner) Watch(ctx context.Context, w Watcher) error {
	told := "nothing yet"
	for ctx.Err() == nil {
		jobs, err := w.Jobs()
		if err != nil {
			return err
		}
		w.Done(r.Due(ctx, jobs))
		next, name := r.Next(jobs)
		line := ""
		if len(jobs) > 0 {
			line = name + ", " + next.In(r.Zone).Format("Mon 2006-01-02 15:04")
		}
		if isDue := len(jobs) > 0 && !next.After(r.Now()); ctx.Err() == nil && line != told && !isDue {
			w.Next(line)
			told = line
		}
		wait(ctx, r.untilLook(next))
	}
	return nil
}

// untilLook returns how long Watch sleeps: until next, but at most look. If next is
// past, another process is running the due job, and Watch sleeps look/4.
func (r Runner) untilLook(next time.Time) time.Duration {
	switch until := next.Sub(r.Now()); {
	case next.IsZero():
		return look
	case until <= 0:
		return look / 4
	default:
		return min(until, look)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
