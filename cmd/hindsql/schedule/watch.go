package schedule

import (
	"context"
	"time"
)

// look is how often Watch looks at the clock, which may have been set, or have gone
// on while the machine slept.
const look = time.Minute

// Watcher is what Watch asks and tells.
type Watcher struct {
	Jobs func() ([]Job, error) // those installed by now
	Done func([]Outcome)       // hears what became of jobs that were due
	Next func(string)          // hears what comes next, once
}

// Watch runs the jobs that are due, again and again, until its context ends, which
// is no error.
func (r Runner) Watch(ctx context.Context, w Watcher) error {
	told := time.Time{}
	for ctx.Err() == nil {
		jobs, err := w.Jobs()
		if err != nil {
			return err
		}
		w.Done(r.Due(ctx, jobs))
		next, name := r.Next(jobs)
		if ctx.Err() == nil && !next.Equal(told) && next.After(r.Now()) {
			w.Next(name + ", " + next.In(r.Zone).Format("Mon 2006-01-02 15:04"))
			told = next
		}
		wait(ctx, r.untilLook(next))
	}
	return nil
}

// untilLook is how long Watch sleeps: to the next time, but no longer than it takes
// to look again; what another process is running it lets be for a while.
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
