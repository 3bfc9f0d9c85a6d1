package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hindsql/cmd/hindsql/schedule"
)

// mainOfMadeUpReports is a program that runs scheduled reports at the time of
// $MADE_UP_NOW. Unless $MADE_UP_NOTHING is set, it makes up the results: the report bad
// fails, the report alarm has an alert, and all others succeed.
func mainOfMadeUpReports() {
	ctx, stop := context.WithCancel(context.Background())
	w := processWorld()
	if os.Getenv("MADE_UP_NOTHING") == "" {
		w.makeReport = makeUp
	}
	w.interrupts.take(stop)
	go w.interrupts.watch(stop)
	if now, err := time.Parse(time.RFC3339, os.Getenv("MADE_UP_NOW")); err == nil {
		w.now = func() time.Time { return now }
	}
	os.Exit(run(ctx, w))
}

func makeUp(_ context.Context, name, folder string, from, to time.Time) (schedule.Made, error) {
	if name == "bad" {
		return schedule.Made{}, errors.New("no such column: x")
	}
	path := filepath.Join(folder, name+"-"+to.Format(time.DateOnly)+".html")
	text := fmt.Sprintf("%s from %s to %s\n", name, from.Format(time.RFC3339), to.Format(time.RFC3339))
	err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(path, []byte(text), 0o600))
	return schedule.Made{Output: path, Alert: name == "alarm"}, err
}

// TestWatch: watch runs due reports, waits for the next, and ends without an error.
func TestWatch(t *testing.T) {
	t.Parallel()
	e, stdout, stderr := outside(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	now := time.Date(2026, 11, 16, 8, 0, 30, 0, time.UTC)
	e.now = func() time.Time { return now }
	e.makeReport = func(_ context.Context, name, folder string, _, _ time.Time) (schedule.Made, error) {
		stop()
		return makeUp(ctx, name, folder, now, now)
	}
	path, err := jobsPath(&e)
	if err != nil {
		t.Fatal(err)
	}
	if err := schedule.Save(path, []schedule.Job{{Name: "weekly", Schedule: "weekly mon 08:00"}}); err != nil {
		t.Fatal(err)
	}
	if err := runReportWatch(ctx, &e, shared{where: &where{timezone: "UTC", sample: sampleNever}, out: &output{}}); err != nil || !strings.HasPrefix(stdout.String(), "weekly: ok, ") {
		t.Errorf("%v, %s, %s", err, stdout, stderr)
	}
}

// TestWatchNothing: without an installed report, watch says so, and goes on.
func TestWatchNothing(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	e, _, stderr := outside(t, "report", "watch")
	e.stderr = ending{stderr, stop}
	if code := run(ctx, e); code != exitOK || stderr.String() != "hindsql: next: none is installed; see hindsql report install --help\n" {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// ending is a writer that interrupts a command at its first line.
type ending struct {
	*strings.Builder
	interrupt func()
}

func (e ending) Write(p []byte) (int, error) {
	e.interrupt()
	return e.Builder.Write(p)
}

// TestAgree: only y and yes agree.
func TestAgree(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"y\n": true, " Yes\n": true, "y": true, "n\n": false, "\n": false, "": false, "yesterday\n": false} {
		e, _, _ := outside(t)
		e.stdin, e.stdinTerminal = strings.NewReader(answer), true
		if got, err := agree(&e, false); got != want || err != nil {
			t.Errorf("%q: %v, %v", answer, got, err)
		}
	}
	e, _, _ := outside(t)
	if _, err := agree(&e, false); err == nil {
		t.Error("nobody was there, and no error")
	}
}

// TestTimerCommand: the command that a scheduler runs has the places of logs and store
// that flags and variables set at the install.
func TestTimerCommand(t *testing.T) {
	t.Parallel()
	e, _, _ := outside(t)
	vars := map[string]string{"XDG_CONFIG_HOME": "/conf", "HINDSQL_STORE": "/data/h.duckdb", "CODEX_HOME": "/codex", "TZ": "Europe/Berlin", "EDITOR": "ed", "HOME": "/h"}
	e.getenv = func(name string) string { return vars[name] }
	timer, err := newTimer(&e, &where{roots: []string{"claude=~/x"}, timezone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(timer.Command[1:], timer.Env)
	want := "[--root claude=" + filepath.Join(e.home, "x") + " --timezone UTC report due --quiet] map[CODEX_HOME:/codex HINDSQL_STORE:/data/h.duckdb TZ:Europe/Berlin XDG_CONFIG_HOME:/conf]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
