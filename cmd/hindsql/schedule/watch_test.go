package schedule

import (
	"testing"
	"time"
)

// TestUntilLook: Watch sleeps until the next job is due, but never longer than look,
// because the clock goes on while the machine sleeps.
func TestUntilLook(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	r := Runner{Now: func() time.Time { return now }}
	for next, want := range map[time.Time]time.Duration{
		{}: look, now: look / 4, now.Add(-time.Hour): look / 4, now.Add(7 * time.Second): 7 * time.Second, now.Add(time.Hour): look,
	} {
		if got := r.untilLook(next); got != want {
			t.Errorf("%s: %s, want %s", next, got, want)
		}
	}
}
