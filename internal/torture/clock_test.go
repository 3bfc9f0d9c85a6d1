package torture_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"hindsql/cmd/hindsql/schedule"
)

// TestClock makes the clock jump forward, and back by less than a day, while two
// schedulers at once run a report, and some runs fail. Each
// period begins at the end of an earlier period.
func TestClock(t *testing.T) {
	until, chance := share(t)
	for time.Now().Before(until) {
		var mutex sync.Mutex
		now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC).Add(time.Duration(chance.IntN(300*24)) * time.Hour)
		clock := func() time.Time {
			mutex.Lock()
			defer mutex.Unlock()
			return now
		}
		journal := schedule.Journal{Path: filepath.Join(t.TempDir(), "runs.ndjson")}
		runner := schedule.Runner{Journal: journal, Now: clock, First: time.Hour, Longest: time.Hour, Make: func(context.Context, time.Time, time.Time) (schedule.Made, error) {
			if clock().UnixNano()/1e9%7 == 0 {
				return schedule.Made{}, errors.New("no")
			}
			return schedule.Made{}, nil
		}}
		for range 60 {
			mutex.Lock()
			now = now.Add(time.Duration(chance.Int64N(int64(40*time.Hour))) - 13*time.Hour)
			mutex.Unlock()
			done.add("jumps of the clock", 1)
			var both sync.WaitGroup
			for range 2 {
				both.Go(func() {
					if _, err := runner.Run(context.Background(), "a"); err != nil && !errors.Is(err, schedule.ErrRunning) {
						t.Error(err)
					}
				})
			}
			both.Wait()
		}
		wantGapless(t, journal, "a")
	}
}

// wantGapless checks that each period but the first begins at the end of an earlier period.
func wantGapless(t *testing.T, j schedule.Journal, name string) {
	t.Helper()
	runs, err := j.Runs(name)
	must(t, err)
	if len(runs) < 60 {
		t.Errorf("seed %d: %s: only %d runs", seed, name, len(runs))
	}
	for i, run := range runs {
		begins := func(r schedule.Run) bool { return r.Status == schedule.OK && r.PeriodEnd.Equal(run.PeriodStart) }
		first := run.PeriodEnd.Sub(run.PeriodStart) == time.Hour && !slices.ContainsFunc(runs[:i], func(r schedule.Run) bool {
			return r.Status == schedule.OK && r.PeriodEnd.Before(run.PeriodEnd)
		})
		if !first && !slices.ContainsFunc(runs[:i], begins) {
			t.Errorf("seed %d: %s: a run from %v to %v follows none", seed, name, run.PeriodStart, run.PeriodEnd)
		}
	}
}
