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

	"hindsql/queries/report/schedule"
)

// mainOfMadeUpReports is the program with reports made of nothing, at the time
// of $MADE_UP_NOW: bad fails, alarm has something to tell.
func mainOfMadeUpReports() {
	ctx, stop := context.WithCancel(context.Background())
	a := &app{env: processEnv(), makeReport: makeUp}
	a.interrupts.take(stop)
	go a.interrupts.watch(stop)
	if now, err := time.Parse(time.RFC3339, os.Getenv("MADE_UP_NOW")); err == nil {
		a.now = func() time.Time { return now }
	}
	root := a.rootCommand()
	root.SetArgs(a.args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	os.Exit(a.exitCode(ctx, root.ExecuteContext(ctx)))
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

// TestWatch: it runs what is due, waits for what is next, and ends without an
// error.
func TestWatch(t *testing.T) {
	t.Parallel()
	e, stdout, stderr := outside(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	now := time.Date(2026, 11, 16, 8, 0, 30, 0, time.UTC)
	a := &app{env: e, where: where{timezone: "UTC", sample: sampleNever}, now: func() time.Time { return now }}
	a.makeReport = func(_ context.Context, name, folder string, _, _ time.Time) (schedule.Made, error) {
		stop()
		return makeUp(ctx, name, folder, now, now)
	}
	path, err := a.jobsPath()
	if err != nil {
		t.Fatal(err)
	}
	if err := schedule.Save(path, []schedule.Job{{Name: "weekly", Schedule: "weekly mon 08:00"}}); err != nil {
		t.Fatal(err)
	}
	if err := a.watchReports(ctx); err != nil || !strings.HasPrefix(stdout.String(), "weekly: ok, ") {
		t.Errorf("%v, %s, %s", err, stdout, stderr)
	}
}

// TestUntilLook: watch sleeps to the next time, but not for long: the machine
// may sleep longer.
func TestUntilLook(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	a := &app{now: func() time.Time { return now }}
	for next, want := range map[time.Time]time.Duration{
		{}: look, now: look / 4, now.Add(-time.Hour): look / 4, now.Add(7 * time.Second): 7 * time.Second, now.Add(time.Hour): look,
	} {
		if got := a.untilLook(next); got != want {
			t.Errorf("%s: %s, want %s", next, got, want)
		}
	}
}

// TestAgree: only a yes is one.
func TestAgree(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"y\n": true, " Yes\n": true, "y": true, "n\n": false, "\n": false, "": false, "yesterday\n": false} {
		e, _, _ := outside(t)
		e.stdin, e.stdinTerminal = strings.NewReader(answer), true
		if got, err := (&app{env: e}).agree(false); got != want || err != nil {
			t.Errorf("%q: %v, %v", answer, got, err)
		}
	}
	e, _, _ := outside(t)
	if _, err := (&app{env: e}).agree(false); err == nil {
		t.Error("nobody was there, and no error")
	}
}

// TestTimerCommand: a timer gets the places that were found with the variables
// and flags of now.
func TestTimerCommand(t *testing.T) {
	t.Parallel()
	e, _, _ := outside(t)
	vars := map[string]string{"XDG_CONFIG_HOME": "/conf", "HINDSQL_STORE": "/data/h.duckdb", "CODEX_HOME": "/codex", "TZ": "Europe/Berlin", "EDITOR": "ed", "HOME": "/h"}
	e.getenv = func(name string) string { return vars[name] }
	a := &app{env: e, where: where{roots: []string{"claude=~/x"}, timezone: "UTC"}}
	timer, err := a.timer()
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(timer.Command[1:], timer.Env)
	want := "[--root claude=" + filepath.Join(e.home, "x") + " --timezone UTC report due --quiet] map[CODEX_HOME:/codex HINDSQL_STORE:/data/h.duckdb TZ:Europe/Berlin XDG_CONFIG_HOME:/conf]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
