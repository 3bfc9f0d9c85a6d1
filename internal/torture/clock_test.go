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

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// TestClock makes the clock jump forward, and back by less than a day, while two
// runners at once look for due reports, and some runs fail. Each period is reported
// once, and only after its end. A clock set back further was wrong before, and its
// reports are made again.
func TestClock(t *testing.T) {
	until, chance := share(t)
	for time.Now().Before(until) {
		zone, err := time.LoadLocation([]string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}[chance.IntN(4)])
		must(t, err)
		var mutex sync.Mutex
		now := time.Date(2026, 3, 20, 12, 0, 0, 0, zone).Add(time.Duration(chance.IntN(300*24)) * time.Hour)
		clock := func() time.Time {
			mutex.Lock()
			defer mutex.Unlock()
			return now
		}
		journal := schedule.Journal{Path: filepath.Join(t.TempDir(), "runs.ndjson")}
		runner := schedule.Runner{Journal: journal, Zone: zone, Now: clock, Run: func(_ context.Context, _ schedule.Job, p schedule.Period) (schedule.Made, error) {
			if p.To.After(clock()) {
				t.Errorf("seed %d: until %v is reported at %v", seed, p.To, clock())
			}
			if clock().UnixNano()/1e9%7 == 0 {
				return schedule.Made{}, errors.New("no")
			}
			return schedule.Made{}, nil
		}}
		jobs := []schedule.Job{
			{Name: "a", Schedule: "hourly", Since: now}, {Name: "b", Schedule: "daily 02:30", Since: now}, {Name: "c", Schedule: "*/20 * * * *", Since: now},
		}
		latest := now
		for range 60 {
			mutex.Lock()
			now = now.Add(time.Duration(chance.Int64N(int64(40*time.Hour))) - 13*time.Hour)
			if latest = later(latest, now); latest.Sub(now) > 23*time.Hour {
				now = latest
			}
			mutex.Unlock()
			done.add("jumps of the clock", 1)
			var both sync.WaitGroup
			for range 2 {
				both.Go(func() { runner.Due(context.Background(), jobs) })
			}
			both.Wait()
		}
		for _, job := range jobs {
			wantOnce(t, journal, job.Name)
		}
	}
}

// wantOnce checks that reported periods don't overlap.
func wantOnce(t *testing.T, j schedule.Journal, name string) {
	t.Helper()
	runs, err := j.Runs(name)
	must(t, err)
	runs = slices.DeleteFunc(runs, func(r schedule.Run) bool { return r.Status != schedule.OK })
	slices.SortFunc(runs, func(a, b schedule.Run) int { return a.PeriodEnd.Compare(b.PeriodEnd) })
	if len(runs) < 5 {
		t.Errorf("seed %d: %s: only %d runs", seed, name, len(runs))
	}
	for i := 1; i < len(runs); i++ {
		if runs[i].PeriodStart.Before(runs[i-1].PeriodEnd) {
			t.Errorf("seed %d: %s: %v to %v, and from %v on", seed, name, runs[i-1].PeriodStart, runs[i-1].PeriodEnd, runs[i].PeriodStart)
		}
	}
}
