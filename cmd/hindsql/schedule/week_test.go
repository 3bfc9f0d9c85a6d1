package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/internal/whole"
)

// week simulates some days of a machine that checks for due jobs every step, five
// minutes by default.
type week struct {
	t      *testing.T
	zone   *time.Location
	now    time.Time
	step   time.Duration
	runner schedule.Runner
	calls  []string // "NAME from–to" of each call of Run
	told   []string // "NAME status"
	fails  func(name string, call int) error
	perJob map[string]int
}

func newWeek(t *testing.T, zoneName, start string) *week {
	w := &week{t: t, zone: zone(t, zoneName), step: 5 * time.Minute, perJob: map[string]int{}}
	var err error
	if w.now, err = time.ParseInLocation("2006-01-02 15:04", start, w.zone); err != nil {
		t.Fatal(err)
	}
	w.runner = schedule.Runner{
		Journal: schedule.Journal{Path: filepath.Join(t.TempDir(), "new", "runs.ndjson")},
		Zone:    w.zone,
		Now:     func() time.Time { return w.now },
		Run:     w.run,
		Notify: func(_ context.Context, j schedule.Job, r schedule.Run) error {
			w.told = append(w.told, r.Name+" "+string(r.Status))
			return nil
		},
	}
	return w
}

func (w *week) run(_ context.Context, j schedule.Job, p schedule.Period) (schedule.Made, error) {
	const form = "Mon 02 15:04"
	w.perJob[j.Name]++
	w.calls = append(w.calls, fmt.Sprintf("%s %s – %s", j.Name, p.From.In(w.zone).Format(form), p.To.In(w.zone).Format(form)))
	if w.fails != nil {
		return schedule.Made{}, w.fails(j.Name, w.perJob[j.Name])
	}
	return schedule.Made{}, nil
}

// until advances the clock to end, and checks for due jobs at each step. If on is
// false, the machine is off and nothing is checked.
func (w *week) until(end string, on bool, jobs ...schedule.Job) {
	last, err := time.ParseInLocation("2006-01-02 15:04", end, w.zone)
	if err != nil {
		w.t.Fatal(err)
	}
	for ; w.now.Before(last); w.now = w.now.Add(w.step) {
		if on {
			for _, o := range w.runner.Due(w.t.Context(), jobs) {
				if o.Err != nil {
					w.t.Error(o.Err)
				}
			}
		}
	}
}

// gapless checks that each report's finished runs follow each other, and cover each
// moment once.
func gapless(t *testing.T, j schedule.Journal) (finished int) {
	t.Helper()
	runs, err := j.Runs("")
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]time.Time{}
	for _, r := range runs {
		if r.Status != schedule.OK && r.Status != schedule.Alert {
			continue
		}
		finished++
		if end, ok := ends[r.Name]; ok && !end.Equal(r.PeriodStart) {
			t.Errorf("%s: a run from %s follows one to %s", r.Name, r.PeriodStart, end)
		}
		if !r.PeriodStart.Before(r.PeriodEnd) || r.FinishedAt.IsZero() || r.StartedAt.Before(r.PeriodEnd) {
			t.Errorf("a run that can't be: %+v", r)
		}
		ends[r.Name] = r.PeriodEnd
	}
	return finished
}

func TestWeek(t *testing.T) {
	daily := schedule.Job{Name: "daily", Schedule: "daily 08:00"}
	for _, test := range []struct {
		name, zone, start string
		live              func(*week)
		want              []string
	}{
		{"daily", "UTC", "2026-11-16 00:00", func(w *week) { w.until("2026-11-19 00:00", true, daily) }, []string{
			"daily Sat 14 08:00 – Sun 15 08:00", // never run before: the latest
			"daily Sun 15 08:00 – Mon 16 08:00", "daily Mon 16 08:00 – Tue 17 08:00", "daily Tue 17 08:00 – Wed 18 08:00"}},
		{"missed, caught up once", "UTC", "2026-11-16 07:00", func(w *week) {
			w.until("2026-11-16 12:00", true, daily)
			w.until("2026-11-19 19:00", false, daily)
			w.until("2026-11-20 12:00", true, daily)
		}, []string{
			"daily Sat 14 08:00 – Sun 15 08:00", "daily Sun 15 08:00 – Mon 16 08:00",
			"daily Mon 16 08:00 – Thu 19 08:00", "daily Thu 19 08:00 – Fri 20 08:00"}},
		{"weekly, from when it was scheduled", "UTC", "2026-11-18 12:00", func(w *week) {
			w.until("2026-12-01 00:00", true, schedule.Job{Name: "weekly", Schedule: "weekly mon 08:00", Since: w.now})
		}, []string{"weekly Mon 16 08:00 – Mon 23 08:00", "weekly Mon 23 08:00 – Mon 30 08:00"}},
		{"fails, then doesn't, and never blocks", "UTC", "2026-11-16 08:00", func(w *week) {
			w.fails = func(name string, call int) error {
				if name == "daily" && call < 3 {
					return errors.New("no")
				}
				return nil
			}
			w.until("2026-11-16 12:00", true, daily, schedule.Job{Name: "other", Schedule: "daily 08:05"})
		}, []string{
			"daily Sun 15 08:00 – Mon 16 08:00", "other Sat 14 08:05 – Sun 15 08:05", // at 08:00
			"daily Sun 15 08:00 – Mon 16 08:00", "other Sun 15 08:05 – Mon 16 08:05", // at 08:05
			"daily Sun 15 08:00 – Mon 16 08:00"}}, // at 08:20
		{"given up, and in the next", "UTC", "2026-11-16 08:00", func(w *week) {
			w.fails = func(_ string, call int) error {
				if call <= 3 {
					return errors.New("no")
				}
				return nil
			}
			w.until("2026-11-17 12:00", true, schedule.Job{Name: "daily", Schedule: "daily 08:00", Retries: 2, Notify: "x"})
		}, []string{
			"daily Sun 15 08:00 – Mon 16 08:00", "daily Sun 15 08:00 – Mon 16 08:00", "daily Sun 15 08:00 – Mon 16 08:00",
			"daily Mon 16 08:00 – Tue 17 08:00",
			"told: daily failed", "told: daily ok"}},
		{"the clock is wrong for a while", "UTC", "2026-11-16 07:55", func(w *week) {
			w.until("2026-11-16 09:00", true, daily)
			w.now = w.now.AddDate(1, 0, 0)
			w.until("2027-11-16 10:00", true, daily)
			w.now = w.now.AddDate(-1, 0, 0)
			w.until("2026-11-17 09:00", true, daily)
			w.now = w.now.Add(-90 * time.Minute) // set back past a run
			w.until("2026-11-17 09:00", true, daily)
		}, []string{
			"daily Sat 14 08:00 – Sun 15 08:00", "daily Sun 15 08:00 – Mon 16 08:00",
			"daily Mon 16 08:00 – Tue 16 08:00", // a year
			"daily Mon 16 08:00 – Tue 17 08:00"}},
		{"Berlin, spring", "Europe/Berlin", "2026-03-28 02:00", func(w *week) {
			w.until("2026-03-31 00:00", true, schedule.Job{Name: "night", Schedule: "daily 02:30", Since: w.now})
		}, []string{"night Fri 27 02:30 – Sat 28 02:30", "night Sat 28 02:30 – Sun 29 03:00", "night Sun 29 03:00 – Mon 30 02:30"}},
		{"Berlin, autumn", "Europe/Berlin", "2026-10-24 02:00", func(w *week) {
			w.until("2026-10-27 00:00", true, schedule.Job{Name: "night", Schedule: "daily 02:30", Since: w.now})
		}, []string{"night Fri 23 02:30 – Sat 24 02:30", "night Sat 24 02:30 – Sun 25 02:30", "night Sun 25 02:30 – Mon 26 02:30"}},
		{"New York, spring", "America/New_York", "2026-03-07 02:00", func(w *week) {
			w.until("2026-03-10 00:00", true, schedule.Job{Name: "night", Schedule: "30 2 * * *", Since: w.now})
		}, []string{"night Fri 06 02:30 – Sat 07 02:30", "night Sat 07 02:30 – Sun 08 03:00", "night Sun 08 03:00 – Mon 09 02:30"}},
		{"New York, autumn", "America/New_York", "2026-10-31 01:00", func(w *week) {
			w.until("2026-11-03 00:00", true, schedule.Job{Name: "night", Schedule: "30 1 * * *", Since: w.now})
		}, []string{"night Fri 30 01:30 – Sat 31 01:30", "night Sat 31 01:30 – Sun 01 01:30", "night Sun 01 01:30 – Mon 02 01:30"}},
		{"the hours of a long night", "Europe/Berlin", "2026-10-25 01:55", func(w *week) {
			w.until("2026-10-25 04:00", true, schedule.Job{Name: "hour", Schedule: "hourly", Since: w.now})
		}, []string{"hour Sun 25 01:00 – Sun 25 02:00", "hour Sun 25 02:00 – Sun 25 02:00", "hour Sun 25 02:00 – Sun 25 03:00"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWeek(t, test.zone, test.start)
			test.live(w)
			got := w.calls
			for _, told := range w.told {
				got = append(got, "told: "+told)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(test.name, "wrong") {
				gapless(t, w.runner.Journal)
			}
		})
	}
}

// TestSevenDays: several reports over a week with a clock change, a report that
// sometimes fails, and a day without power.
func TestSevenDays(t *testing.T) {
	whole.Test(t, "walks through seven days, 2.7 s of processor time")
	for _, z := range []struct {
		zone, start, end string
		hours            int // of the week, without its first
	}{
		{"Europe/Berlin", "2026-03-25 00:00", "2026-04-01 00:00", 166},
		{"Europe/Berlin", "2026-10-21 00:00", "2026-10-28 00:00", 168},
		{"America/New_York", "2026-03-04 00:00", "2026-03-11 00:00", 166},
		{"America/New_York", "2026-10-28 00:00", "2026-11-04 00:00", 168},
	} {
		t.Run(z.zone+z.start[:7], func(t *testing.T) {
			w := newWeek(t, z.zone, z.start)
			w.step = 15 * time.Minute
			w.fails = func(name string, call int) error {
				if name == "flaky" && call%3 == 1 {
					return errors.New("no")
				}
				return nil
			}
			var jobs []schedule.Job
			for name, s := range map[string]string{"hour": "hourly", "quarter": "every 6h", "two": "daily 02:30", "one": "daily 01:30", "flaky": "daily 02:00", "week": "weekly sun 02:30"} {
				jobs = append(jobs, schedule.Job{Name: name, Schedule: s, Since: w.now})
			}
			for w.now.Format("2006-01-02 15:04") < z.end {
				day := w.now.AddDate(0, 0, 1).Format("2006-01-02 15:04")
				if w.now.Weekday() == time.Monday {
					w.until(day, false)
				} else {
					w.until(day, true, jobs...)
				}
			}
			gapless(t, w.runner.Journal)
			// Monday's missed runs are one run, made on Tuesday at midnight.
			want := map[string]int{"two": 7, "one": 7, "week": 1, "quarter": 23, "hour": z.hours - 24, "flaky": 7 + 4}
			if diff := cmp.Diff(want, w.perJob); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestOverlap: while a report runs, another check doesn't start it again, but starts
// other reports that are due.
func TestOverlap(t *testing.T) {
	w := newWeek(t, "UTC", "2026-11-16 08:00")
	jobs := []schedule.Job{{Name: "a", Schedule: "daily 08:00"}, {Name: "b", Schedule: "daily 08:00"}}
	inner := w.runner
	var meanwhile []string
	w.runner.Run = func(ctx context.Context, j schedule.Job, p schedule.Period) (schedule.Made, error) {
		for _, o := range inner.Due(ctx, jobs) {
			meanwhile = append(meanwhile, o.Run.Name)
		}
		return schedule.Made{Alert: true}, nil
	}
	outcomes := w.runner.Due(t.Context(), jobs)
	if len(outcomes) != 1 || outcomes[0].Run.Status != schedule.Alert || strings.Join(meanwhile, " ") != "b" {
		t.Errorf("outcomes %+v, and meanwhile %v", outcomes, meanwhile)
	}
}

// TestKilled: a run whose process died counts as failed, and is retried later.
func TestKilled(t *testing.T) {
	w := newWeek(t, "UTC", "2026-11-16 08:01")
	to := w.now.Truncate(time.Hour)
	dead := schedule.Run{Name: "a", PeriodStart: to.AddDate(0, 0, -1), PeriodEnd: to, StartedAt: to, Status: schedule.Running, Attempt: 1}
	if err := w.runner.Journal.Add(dead); err != nil {
		t.Fatal(err)
	}
	w.until("2026-11-16 09:00", true, schedule.Job{Name: "a", Schedule: "daily 08:00"})
	runs, err := w.runner.Journal.Runs("a")
	if err != nil || len(runs) != 2 {
		t.Fatalf("%+v, %v", runs, err)
	}
	if runs[0].Status != schedule.Failed || runs[0].Error == "" || runs[1].Status != schedule.OK || runs[1].Attempt != 2 {
		t.Errorf("%+v", runs)
	}
}

// TestInterrupted: a run cancelled by Ctrl-C doesn't use up an attempt.
func TestInterrupted(t *testing.T) {
	w := newWeek(t, "UTC", "2026-11-16 08:01")
	job := []schedule.Job{{Name: "a", Schedule: "daily 08:00", Retries: -1}}
	calls := 0
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		w.runner.Run = func(ctx context.Context, _ schedule.Job, _ schedule.Period) (schedule.Made, error) {
			calls++
			cancel()
			return schedule.Made{}, ctx.Err()
		}
		w.runner.Due(ctx, job)
	}
	runs, err := w.runner.Journal.Runs("a")
	if err != nil || calls != 3 || len(runs) != 3 || runs[2].Status != schedule.Failed || runs[2].Attempt != 3 {
		t.Errorf("%d calls, %+v, %v", calls, runs, err)
	}
}

// TestTooLong: a hanging report is cancelled, and the next report runs.
func TestTooLong(t *testing.T) {
	w := newWeek(t, "UTC", "2026-11-16 08:01")
	w.runner.Longest = 10 * time.Millisecond
	w.runner.Run = func(ctx context.Context, j schedule.Job, _ schedule.Period) (schedule.Made, error) {
		if j.Name == "a" {
			<-ctx.Done()
		}
		return schedule.Made{}, ctx.Err()
	}
	got := w.runner.Due(t.Context(), []schedule.Job{{Name: "a", Schedule: "daily 08:00"}, {Name: "b", Schedule: "daily 08:00"}})
	if len(got) != 2 || !strings.Contains(got[0].Run.Error, "not done after 10ms") || got[1].Run.Status != schedule.OK {
		t.Errorf("%+v", got)
	}
}

// TestNextToDo: Next returns the job that Watch waits for, and its time.
func TestNextToDo(t *testing.T) {
	w := newWeek(t, "UTC", "2026-11-16 08:01")
	jobs := []schedule.Job{{Name: "bad", Schedule: "x"}, {Name: "a", Schedule: "daily 08:00", Since: w.now}, {Name: "b", Schedule: "daily 09:00", Since: w.now}}
	next := func() string { at, name := w.runner.Next(jobs); return name + at.Format(" 15:04") }
	if got := next(); got != "b 09:00" {
		t.Error(got)
	}
	w.now = w.now.Add(time.Hour)
	w.fails = func(string, int) error { return errors.New("no") }
	if got := next(); got != "b 09:01" {
		t.Error(got)
	}
	w.runner.Due(t.Context(), jobs)
	if got := next(); got != "b 09:06" {
		t.Error(got)
	}
}

// TestInstalledAhead: a report installed while the clock was years ahead runs after the
// clock is corrected, and then keeps its schedule.
func TestInstalledAhead(t *testing.T) {
	w := newWeek(t, "UTC", "2026-11-02 00:01")
	w.until("2026-11-02 03:00", true, schedule.Job{Name: "hours", Schedule: "hourly", Since: time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC)})
	want := []string{"hours Sun 01 23:00 – Mon 02 00:00", "hours Mon 02 00:00 – Mon 02 01:00", "hours Mon 02 01:00 – Mon 02 02:00"}
	if diff := cmp.Diff(want, w.calls); diff != "" {
		t.Error(diff)
	}
}
