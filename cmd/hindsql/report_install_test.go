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
	"hindsql/engine"
)

// mainOfMadeUpReports is a program that runs scheduled reports at the time of
// $MADE_UP_NOW. Unless $MADE_UP_NOTHING is set, it makes up the results: the report bad
// fails, the report alarm has an alert, and all others succeed. Nothing is tried again.
func mainOfMadeUpReports() {
	ctx, stop := context.WithCancel(context.Background())
	env := processEnvironment()
	env.retries = nil
	if os.Getenv("MADE_UP_NOTHING") == "" {
		env.makeReport = makeUp
	}
	env.interrupts.handleWith(stop)
	go env.interrupts.watch(stop)
	if now, err := time.Parse(time.RFC3339, os.Getenv("MADE_UP_NOW")); err == nil {
		env.now = func() time.Time { return now }
	}
	os.Exit(execute(ctx, env))
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

// TestAgree: only y and yes agree.
func TestAgree(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"y\n": true, " Yes\n": true, "y": true, "n\n": false, "\n": false, "": false, "yesterday\n": false} {
		e, _, _ := outside(t)
		e.stdin, e.stdinTerminal = strings.NewReader(answer), true
		if got, err := confirm(&e, false); got != want || err != nil {
			t.Errorf("%q: %v, %v", answer, got, err)
		}
	}
	e, _, _ := outside(t)
	if _, err := confirm(&e, false); err == nil {
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
	timer, err := newTimer(&e, &logFlags{roots: []string{"claude=~/x"}, timezone: "UTC"}, []string{"report", "run", "weekly"})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(timer.Command[1:], timer.Env)
	want := "[--root claude=" + filepath.Join(e.home, "x") + " --timezone UTC report run weekly] map[CODEX_HOME:/codex HINDSQL_STORE:/data/h.duckdb TZ:Europe/Berlin XDG_CONFIG_HOME:/conf]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestScheduledFlags: flags without effect are errors.
func TestScheduledFlags(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--keep 3":                     "--keep: only with --scheduled",
		"--notify cat":                 "--notify: only with --scheduled",
		"--scheduled --format json":    "--format: not with --scheduled",
		"--scheduled --safe":           "--safe: not with --scheduled",
		"--scheduled --sample":         "--sample: not with --scheduled",
		"--scheduled --since 7d":       "--scheduled: covers the time since the last scheduled run",
		"--scheduled during=yesterday": "--scheduled: covers the time since the last scheduled run",
	} {
		e, _, stderr := outside(t, append([]string{"report", "run", "weekly"}, strings.Fields(line)...)...)
		if code := execute(t.Context(), e); code != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %s", line, code, stderr)
		}
	}
}

// TestScheduledEnv: a scheduler that can't set variables passes them as flags. They hold
// before anything else is looked for.
func TestScheduledEnv(t *testing.T) {
	t.Parallel()
	e, _, stderr := outside(t)
	config, store := filepath.Join(e.home, "it's a config"), filepath.Join(e.home, "other", "h.duckdb")
	put(t, filepath.Join(config, "hindsql", "reports", "own.toml"), "title = \"Own\"\n[[section]]\ntitle = \"One\"\nsql = \"SELECT 1\"\n")
	out := filepath.Join(e.home, "out")
	e.args = []string{"report", "run", "own", "--scheduled", "-o", out, "--env", "XDG_CONFIG_HOME=" + config, "--env", "HINDSQL_STORE=" + store}
	if code := execute(t.Context(), e); code != exitOK {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	runs, err := schedule.Journal{Path: engine.RunsPath(store)}.Runs("own")
	files, _ := filepath.Glob(filepath.Join(out, "own-*.html"))
	if err != nil || len(runs) != 1 || len(files) != 1 || runs[0].Output != files[0] {
		t.Errorf("runs %+v, files %v, %v", runs, files, err)
	}
}
