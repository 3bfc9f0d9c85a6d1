package torture_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// job is a writing command, with the steps around each run.
type job struct {
	name   string
	before func(w *world)
	args   func(w *world) []string
	after  func(w *world) // after the last, complete run
}

func with(args ...string) func(*world) []string { return func(*world) []string { return args } }

// grow extends a log, to give a sync something to load.
func grow(w *world) {
	path := w.ours("k")
	text, _ := os.ReadFile(path)
	n := strings.Count(string(text), "\n")
	w.write(path, append(text, churned("k", n, n+1+w.chance.IntN(200))...))
}

// vanish creates, loads and removes a log.
func vanish(w *world) {
	grow(w)
	w.write(w.ours("v"), churned("v", 0, 50))
	w.succeed("sync")
	must(w.t, os.Remove(w.ours("v")))
	w.succeed("sync")
}

func (w *world) beside(name string) string { return filepath.Join(filepath.Dir(w.home), name) }

func jobs() []job {
	return []job{
		{"first sync", func(w *world) { _ = os.Remove(w.store); _ = os.Remove(w.store + ".wal"); grow(w) }, with("sync"), nil},
		{"sync", grow, with("sync"), nil},
		{"sync --full", grow, with("sync", "--full"), nil},
		{"export", grow, func(w *world) []string { return []string{"export", w.beside("ex")} }, wantExport},
		{"export --update", grow, func(w *world) []string {
			return []string{"export", w.beside("up"), "--partition-by", "agent,day", "--update"}
		}, wantExport},
		{"pull", pruneDesk, func(w *world) []string { return []string{"pull", w.beside("desk")} }, pruneDesk},
		{"prune", vanish, with("prune", "--yes"), nil},
		{"report run", grow, func(w *world) []string { return []string{"report", "run", "weekly", "-o", w.beside("r.html")} }, wantReport},
		{"report install", nil, with("report", "install", "weekly", "--schedule", "hourly", "--with", "cron", "--yes"), nil},
		{"report run --scheduled", nil, with("report", "run", "weekly", "--scheduled"), wantJournal},
	}
}

// pruneDesk deletes machine desk's rows, to make the next pull bring all of them.
func pruneDesk(w *world) {
	grow(w)
	w.succeed("prune", "--host", "desk", "--yes")
}

// wantExport checks that the export's messages equal the store's.
func wantExport(w *world) {
	for _, dir := range []string{"ex", "up"} {
		if _, err := os.Stat(w.beside(dir)); err != nil {
			continue
		}
		if left, _ := filepath.Glob(filepath.Join(w.beside(dir), ".hindsql-export.*")); len(left) != 1 {
			w.t.Errorf("%s: left behind: %v", dir, left)
		}
	}
	args := jobs()[4].args(w)
	w.succeed(args...)
	there := w.succeed("--no-sync", "--format", "csv", "SELECT count(*), count(DISTINCT uuid), sum(length(text)) FROM read_parquet('"+w.beside("up")+"/messages/**/*.parquet')")
	here := w.succeed("--no-sync", "--format", "csv", "SELECT count(*), count(DISTINCT uuid), sum(length(text)) FROM messages")
	if there != here {
		w.t.Errorf("seed %d: the export has %s, the store %s", seed, there, here)
	}
}

func wantReport(w *world) {
	text, err := os.ReadFile(w.beside("r.html"))
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") {
		w.t.Errorf("seed %d: half a report, or none: %v", seed, err)
	}
}

// wantJournal checks that lines are whole and no period is reported twice.
func wantJournal(w *world) {
	twice := w.succeed("--no-sync", "--format", "csv", "SELECT name, period_end FROM report_runs WHERE status IN ('ok', 'alert') GROUP BY ALL HAVING count(*) > 1")
	if strings.Count(twice, "\n") > 1 {
		w.t.Errorf("seed %d: reported twice: %s", seed, twice)
	}
}

// TestKills kills each writing command at random instants, again and again. After each
// kill, the next question is answered. After a complete run, the store equals a clean
// load, and no file of the killed processes is left.
func TestKills(t *testing.T) {
	until, chance := share(t)
	w := newWorld(t, chance)
	must(t, os.MkdirAll(w.beside("bin"), 0o700))
	must(t, os.WriteFile(w.beside("bin/crontab"), []byte("#!/bin/sh\ncase $1 in -l) ;; *) cat >/dev/null ;; esac\n"), 0o700))
	t.Setenv("PATH", w.beside("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	w.succeed("sync")
	desk := newWorld(t, chance)
	desk.write(desk.ours("d"), churned("d", 0, 300))
	desk.succeed("machine", "--name", "desk")
	desk.succeed("push", "--plain-text", w.beside("desk"))
	hit := 0
	for time.Now().Before(until) || hit < kills {
		for _, j := range jobs() {
			hit += w.killed(j, 5)
			w.wantClean(j.name)
			if time.Now().After(until) && hit >= kills {
				break
			}
		}
	}
	for _, pattern := range []string{"*.tmp", "*.new", "*.saved", "*.tmp.lock"} {
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.store), pattern)); len(left) > 0 {
			t.Errorf("seed %d: left behind: %v", seed, left)
		}
	}
	t.Logf("%d kills, seed %d", hit, seed)
}

// killed measures the duration of a command, then kills the command a number of times
// within that duration. It returns how many were alive.
func (w *world) killed(j job, times int) (hit int) {
	w.t.Helper()
	prepare := func() {
		if j.before != nil {
			j.before(w)
		}
	}
	prepare()
	begin := time.Now()
	w.succeed(j.args(w)...)
	long := time.Since(begin)
	for range times {
		prepare()
		cmd := w.command(j.args(w)...)
		must(w.t, cmd.Start())
		time.Sleep(time.Duration(w.chance.Int64N(int64(long))))
		_ = cmd.Process.Kill()
		if cmd.Wait() != nil {
			hit++
			done.add("kills of "+j.name, 1)
		}
		done.add("processes", 1)
		// The bare question must never fail; the sync continues from the cut.
		w.succeed("--no-sync", "--format", "csv", "SELECT count(*) FROM messages JOIN sources USING (source_id)")
	}
	prepare()
	w.succeed(j.args(w)...)
	if j.after != nil {
		j.after(w)
	}
	return hit
}
