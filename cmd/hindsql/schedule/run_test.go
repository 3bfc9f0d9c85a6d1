package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/internal/posix"
)

// life is a made-up clock, and a runner that notes its calls.
type life struct {
	schedule.Runner
	t     *testing.T
	now   time.Time
	calls []string
	fails int // how many of the next calls fail
}

func newLife(t *testing.T) *life {
	l := &life{t: t, now: time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)}
	l.Runner = schedule.Runner{
		Journal: schedule.Journal{Path: filepath.Join(t.TempDir(), "new", "runs.ndjson")},
		Now:     func() time.Time { return l.now }, First: 7 * 24 * time.Hour, Longest: time.Minute, Pauses: []time.Duration{1, 1, 1},
		Make: func(_ context.Context, from, to time.Time) (schedule.Made, error) {
			l.calls = append(l.calls, from.Format("02 15:04")+" – "+to.Format("02 15:04"))
			if l.fails--; l.fails >= 0 {
				return schedule.Made{}, errors.New("no")
			}
			return schedule.Made{}, nil
		},
	}
	return l
}

func (l *life) at(text string, want schedule.Status) schedule.Run {
	l.t.Helper()
	var err error
	if l.now, err = time.Parse(time.DateTime, "2026-11-"+text+":00"); err != nil {
		l.t.Fatal(err)
	}
	run, err := l.Run(l.t.Context(), "weekly")
	if err != nil || run.Status != want {
		l.t.Errorf("%s: %+v, %v", text, run, err)
	}
	return run
}

func (l *life) wantCalls(want ...string) {
	l.t.Helper()
	if diff := cmp.Diff(want, l.calls); diff != "" {
		l.t.Error(diff)
	}
	l.calls = nil
}

// TestRun: a run covers the time since the last one that succeeded, however long the
// machine was off. After failures the same period is tried again, and if it is given
// up, the next run covers it, too.
func TestRun(t *testing.T) {
	l := newLife(t)
	l.at("16 08:00", schedule.OK)
	l.at("17 08:00", schedule.OK)
	l.at("21 12:30", schedule.OK)
	l.wantCalls("09 08:00 – 16 08:00", "16 08:00 – 17 08:00", "17 08:00 – 21 12:30")

	l.fails = 2
	if run := l.at("22 08:00", schedule.OK); run.Attempt != 3 || run.Error != "" {
		t.Errorf("%+v", run)
	}
	l.wantCalls("21 12:30 – 22 08:00", "21 12:30 – 22 08:00", "21 12:30 – 22 08:00")
	l.fails = 4
	if run := l.at("23 08:00", schedule.Failed); run.Attempt != 4 || run.Error != "no" {
		t.Errorf("%+v", run)
	}
	l.fails, l.calls = 0, nil
	l.at("24 08:00", schedule.OK)
	l.wantCalls("22 08:00 – 24 08:00")
	runs, err := l.Journal.Runs("weekly")
	if err != nil || len(runs) != 3+3+4+1 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	posix.Mode(t, filepath.Dir(l.Journal.Path), 0o700)
	posix.Mode(t, l.Journal.Path, 0o600)
}

// TestWrongClock: a run while the clock was ahead doesn't stop later ones, and loses
// nothing.
func TestWrongClock(t *testing.T) {
	l := newLife(t)
	l.at("16 08:00", schedule.OK)
	l.at("28 08:00", schedule.OK)
	l.at("17 08:00", schedule.OK)
	l.at("18 08:00", schedule.OK)
	l.wantCalls("09 08:00 – 16 08:00", "16 08:00 – 28 08:00", "16 08:00 – 17 08:00", "17 08:00 – 18 08:00")
}

// TestOneAtATime: while a process makes a report, another makes only other reports.
func TestOneAtATime(t *testing.T) {
	l := newLife(t)
	make := l.Make
	l.Make = func(ctx context.Context, from, to time.Time) (schedule.Made, error) {
		other := l.Runner
		other.Make = make
		if _, err := other.Run(ctx, "weekly"); !errors.Is(err, schedule.ErrRunning) {
			t.Errorf("the same report: %v", err)
		}
		_, err := other.Run(ctx, "other")
		return schedule.Made{Alert: true}, err
	}
	l.at("16 08:00", schedule.Alert)
	l.wantCalls("09 08:00 – 16 08:00")
}

// TestInterrupted: after Ctrl-C nothing is tried again, nobody is told, and the next
// run covers the period.
func TestInterrupted(t *testing.T) {
	l := newLife(t)
	l.Notify = func(context.Context, schedule.Run) error { t.Error("told"); return nil }
	ctx, cancel := context.WithCancel(t.Context())
	l.Make = func(context.Context, time.Time, time.Time) (schedule.Made, error) {
		cancel()
		return schedule.Made{}, ctx.Err()
	}
	run, err := l.Run(ctx, "weekly")
	if err != nil || run.Status != schedule.Failed || run.Error != "interrupted" || run.Attempt != 1 {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestTooLong: a hanging report is cancelled.
func TestTooLong(t *testing.T) {
	l := newLife(t)
	l.Longest, l.Pauses = 10*time.Millisecond, nil
	l.Make = func(ctx context.Context, _, _ time.Time) (schedule.Made, error) {
		<-ctx.Done()
		return schedule.Made{}, ctx.Err()
	}
	if run := l.at("16 08:00", schedule.Failed); !strings.Contains(run.Error, "not done after 10ms") {
		t.Errorf("%+v", run)
	}
}

// TestTornLine: a killed process leaves a truncated line in the journal. The line must
// be ignored, and all other lines stay readable. Without only its newline, a line is
// still valid.
func TestTornLine(t *testing.T) {
	j := schedule.Journal{Path: filepath.Join(t.TempDir(), "runs.ndjson")}
	to := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	run := schedule.Run{Name: "a", PeriodStart: to.Add(-time.Hour), PeriodEnd: to, StartedAt: to, FinishedAt: to, Status: schedule.OK, Attempt: 1}
	if err := j.Add(run); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(j.Path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(text); cut++ {
		if err := os.WriteFile(j.Path, append(text, text[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := j.Add(run); err != nil {
			t.Fatal(err)
		}
		want := []schedule.Run{run, run}
		if cut == len(text)-1 {
			want = append(want, run)
		}
		runs, err := j.Runs("a")
		if diff := cmp.Diff(want, runs); err != nil || diff != "" {
			t.Fatalf("cut at %d: %v %s", cut, err, diff)
		}
	}
}

// TestPrune: Prune removes only older files that runs of the report wrote.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	j := schedule.Journal{Path: filepath.Join(dir, "j", "runs.ndjson")}
	to := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for i, name := range []string{"mine.html", "a-1.html", "a-2.html", "a-3.html", "b-1.html", "a-3.html", "a-4.html"} {
		path := file(name)
		run := schedule.Run{Name: name[:1], PeriodStart: to, PeriodEnd: to.Add(time.Hour), Status: schedule.OK, Attempt: i + 1, Output: path}
		if run.Name == "m" {
			run.Name = "a"
		}
		if err := j.Add(run); err != nil {
			t.Fatal(err)
		}
	}
	file("a-0.html") // by hand
	for _, keep := range []int{0, 9} {
		if removed, err := schedule.Prune(j, "a", keep); err != nil || len(removed) > 0 {
			t.Errorf("keep %d: %v, %v", keep, removed, err)
		}
	}
	if _, err := schedule.Prune(j, "a", 2); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*.html"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if diff := cmp.Diff([]string{"a-0.html", "a-3.html", "a-4.html", "b-1.html", "mine.html"}, left); diff != "" {
		t.Error(diff)
	}
}

// TestNotify: the notify command gets the report's text, name and status. If the
// command fails, the run keeps its status, and its error has the command's error
// output.
func TestNotify(t *testing.T) {
	dir := t.TempDir()
	output, got := filepath.Join(dir, "a-1.html"), filepath.Join(dir, "got")
	if err := os.WriteFile(output, []byte("<p>report\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := `(cat; echo "$HINDSQL_REPORT $HINDSQL_STATUS $HINDSQL_OUTPUT") > '` + got + "'"
	fails := "echo no mail here >&2; exit 7"
	if runtime.GOOS == "windows" {
		command = `(sort & echo %HINDSQL_REPORT% %HINDSQL_STATUS% %HINDSQL_OUTPUT%)>"` + got + `"`
		fails = "echo no mail here>&2& exit 7"
	}
	tell := func(r schedule.Run) string {
		if err := schedule.Notify(t.Context(), command, r); err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(got)
		return strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	if text, want := tell(schedule.Run{Name: "a", Status: schedule.Alert, Output: output}), fmt.Sprintf("<p>report\na alert %s\n", output); text != want {
		t.Errorf("%q, want %q", text, want)
	}
	if text, want := tell(schedule.Run{Name: "a", Status: schedule.Failed, Error: "no log"}), "no log\na failed "; !strings.HasPrefix(text, want) {
		t.Errorf("%q, want %q", text, want)
	}

	l := newLife(t)
	l.Notify = func(ctx context.Context, r schedule.Run) error { return schedule.Notify(ctx, fails, r) }
	l.at("16 08:00", schedule.OK)
	runs, err := l.Journal.Runs("weekly")
	if err != nil || len(runs) != 2 || runs[1].Status != schedule.OK || runs[1].Error != "notify: exit status 7: no mail here" {
		t.Errorf("%+v, %v", runs, err)
	}
	l.at("17 08:00", schedule.OK)
	l.wantCalls("09 08:00 – 16 08:00", "16 08:00 – 17 08:00")
}
