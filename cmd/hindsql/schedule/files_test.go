package schedule_test

import (
	"errors"
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

// TestTornLine: a killed process leaves a truncated line in the journal. The line must
// be ignored, and all other lines stay readable. Without only its newline, a line is
// still valid.
func TestTornLine(t *testing.T) {
	j := schedule.Journal{Path: filepath.Join(t.TempDir(), "runs.ndjson")}
	to := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	run := schedule.Run{Name: "a", PeriodStart: to.Add(-time.Hour), PeriodEnd: to, StartedAt: to, Status: schedule.Running, Attempt: 1}
	add := func(r schedule.Run) {
		t.Helper()
		if err := j.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	add(run)
	text, err := os.ReadFile(j.Path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(text); cut++ {
		if err := os.WriteFile(j.Path, append(text, text[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		done := run
		done.Status, done.FinishedAt = schedule.OK, to.Add(time.Second)
		add(done)
		runs, err := j.Runs("")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]schedule.Run{done}, runs); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
	}
	posix.Mode(t, j.Path, 0o600)
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
	for keep, want := range map[int]string{0: "", 9: ""} {
		if removed, err := schedule.Prune(j, "a", keep); err != nil || strings.Join(removed, " ") != want {
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
	job := schedule.Job{Notify: `(cat; echo "$HINDSQL_REPORT $HINDSQL_STATUS $HINDSQL_OUTPUT") > '` + got + "'"}
	if runtime.GOOS == "windows" {
		job.Notify = `(sort & echo %HINDSQL_REPORT% %HINDSQL_STATUS% %HINDSQL_OUTPUT%)>"` + got + `"`
	}
	tell := func(r schedule.Run) string {
		if err := schedule.Notify(t.Context(), job, r); err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(got)
		return strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	if text, want := tell(schedule.Run{Name: "a", Status: schedule.Alert, Output: output}), "<p>report\na alert "+output+"\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	if text, want := tell(schedule.Run{Name: "a", Status: schedule.Failed, Error: "no log"}), "no log\na failed "; !strings.HasPrefix(text, want) {
		t.Errorf("%q, want %q", text, want)
	}

	w := newWeek(t, "UTC", "2026-11-16 08:01")
	w.runner.Notify = schedule.Notify
	fails := "echo no mail here >&2; exit 7"
	if runtime.GOOS == "windows" {
		fails = "echo no mail here>&2& exit 7"
	}
	outcomes := w.runner.Due(t.Context(), []schedule.Job{{Name: "a", Schedule: "daily 08:00", Notify: fails}})
	runs, err := w.runner.Journal.Runs("a")
	if err != nil || len(outcomes) != 1 || len(runs) != 1 {
		t.Fatalf("%+v, %+v, %v", outcomes, runs, err)
	}
	if r := runs[0]; r.Status != schedule.OK || r.Error != "notify: exit status 7: no mail here" {
		t.Errorf("%+v", r)
	}
	if got := w.runner.Due(t.Context(), []schedule.Job{{Name: "a", Schedule: "daily 08:00"}}); len(got) != 0 {
		t.Errorf("run again: %+v", got)
	}
}

// TestWrongJobs: each invalid job is an error, and the valid job among them still runs.
func TestWrongJobs(t *testing.T) {
	w := newWeek(t, "UTC", "2026-11-16 08:01")
	got := w.runner.Due(t.Context(), []schedule.Job{{Name: "../a", Schedule: "hourly"}, {Name: "b"}, {Name: "c", Schedule: "x"}, {Name: "d", Schedule: "hourly", Keep: -1}, {Name: "e", Schedule: "hourly"}})
	if len(got) != 5 || len(w.calls) != 1 || got[4].Err != nil {
		t.Fatalf("%+v", got)
	}
	for _, o := range got[:4] {
		if o.Err == nil || errors.Unwrap(o.Err) == o.Err {
			t.Errorf("%+v", o)
		}
	}
}
