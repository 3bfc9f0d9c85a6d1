//go:build linux

package platforms

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// slow is a statement that runs for hours, until a test ends it. The first statement
// says that the store is open.
const slow = "SELECT 'begun'; SELECT count(*), sum(hash(a.i + b.i)) FROM sources, range(300000000) a(i), range(100000) b(i);"

// reads starts another hindsql that reads from the store until stop.
func (u *user) reads(t *testing.T) (stop func()) {
	t.Helper()
	file := filepath.Join(u.home, "slow.sql")
	if err := os.WriteFile(file, []byte(slow), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := u.command(ctx, t, "--no-sync", "--format", "csv", "-f", u.path(file))
	_, out := piped(t, c)
	stop = func() {
		cancel()
		_ = c.Wait()
	}
	t.Cleanup(stop)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "begun") {
			time.Sleep(3 * time.Second)
			return stop
		}
	}
	t.Fatalf("%s: the reader ended", u.name)
	return stop
}

// grow adds a log, a copy of another under the name of a new session.
func (u *user) grow(t *testing.T, name string) {
	t.Helper()
	shell(t, `log=$(find "$0/.claude/projects" -name '*.jsonl' | sort | head -1); cp "$log" "$(dirname "$log")/$1.jsonl"`, u.home, name)
}

// logCount asks for the number of loaded logs.
func (u *user) logCount(t *testing.T, args ...string) string {
	t.Helper()
	out := u.run(t, append(args, "--format", "csv", "SELECT count(*) FROM sources")...)
	return strings.TrimSpace(strings.TrimPrefix(out, "count_star()\n"))
}

// oneMore returns the number of loaded logs and one.
func (u *user) oneMore(t *testing.T) string {
	t.Helper()
	n, err := strconv.Atoi(u.logCount(t, "--no-sync"))
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(n + 1)
}

// both runs a scenario for each platform, this machine's first, on the sample's logs.
func (w *world) both(t *testing.T, scenario func(*testing.T, *user)) {
	for _, h := range []*host{w.linux, w.windows} {
		t.Run(h.name, func(t *testing.T) { scenario(t, h.user(t, sample())) })
	}
}

// besideReader: while another process reads, a sync gives way, and answers come from
// what was loaded before.
func (w *world) besideReader(t *testing.T) {
	w.both(t, func(t *testing.T, u *user) {
		u.run(t, "sync")
		before := u.logCount(t, "--no-sync")
		stop := u.reads(t)
		u.grow(t, "new")
		a := u.try(t, "sync")
		t.Logf("exit code %d after %.1f s: %s%s", a.code, a.took.Seconds(), a.out, a.said)
		if a.code != 0 || !strings.Contains(a.said, "answering from what was loaded at") {
			t.Error("a sync beside a reader has to give way and to say so")
		}
		if now := u.logCount(t); now != before {
			t.Errorf("%s logs beside the reader, want %s as before", now, before)
		}
		stop()
		u.run(t, "sync")
		if now := u.logCount(t, "--no-sync"); now == before {
			t.Errorf("still %s logs after the reader's end", now)
		}
	})
}

// fullBesideReader: a rebuild is put in place after the reader's end, or not at all, and
// then says so.
func (w *world) fullBesideReader(t *testing.T) {
	t.Run("that ends", func(t *testing.T) {
		w.both(t, func(t *testing.T, u *user) {
			u.run(t, "sync")
			all := u.oneMore(t)
			stop := u.reads(t)
			u.grow(t, "new")
			wait := begin(t, u.command(t.Context(), t, "sync", "--full"))
			time.Sleep(20 * time.Second) // the rebuild is ready, and waits
			stop()
			a := wait()
			t.Logf("exit code %d after %.1f s: %s%s", a.code, a.took.Seconds(), a.out, a.said)
			if a.code != 0 || !strings.Contains(a.out, all+" logs found: "+all+" loaded") || strings.Contains(a.said, "answering from") {
				t.Error("the rebuild is not put in place")
			}
			if now := u.logCount(t, "--no-sync"); now != all {
				t.Errorf("%s logs, want %s", now, all)
			}
			u.checkNoLeftovers(t)
		})
	})
	t.Run("that goes on", func(t *testing.T) {
		u := w.windows.user(t, sample())
		u.run(t, "sync")
		before, all := u.logCount(t, "--no-sync"), u.oneMore(t)
		stop := u.reads(t)
		u.grow(t, "new")
		a := u.try(t, "sync", "--full")
		t.Logf("exit code %d after %.1f s: %s%s", a.code, a.took.Seconds(), a.out, a.said)
		if a.code != 0 || strings.Contains(a.out, all+" loaded") || !strings.Contains(a.said, "answering from what was loaded at") {
			t.Error("a rebuild that can't be put in place has to say so, and not that logs are loaded")
		}
		if now := u.logCount(t, "--no-sync"); now != before {
			t.Errorf("%s logs beside the reader, want %s as before", now, before)
		}
		stop()
		u.run(t, "sync")
		if now := u.logCount(t, "--no-sync"); now != all {
			t.Errorf("%s logs at last, want %s", now, all)
		}
		u.checkNoLeftovers(t)
	})
}

// firstSyncs: of two first syncs at once one loads, and the other waits.
func (w *world) firstSyncs(t *testing.T) {
	w.both(t, func(t *testing.T, u *user) {
		one, other := begin(t, u.command(t.Context(), t, "sync")), begin(t, u.command(t.Context(), t, "sync"))
		for _, a := range []answer{one(), other()} {
			t.Logf("exit code %d after %.1f s: %s%s", a.code, a.took.Seconds(), a.out, a.said)
			if a.code != 0 {
				t.Error("a first sync fails beside another")
			}
		}
		all, _, _ := strings.Cut(u.run(t, "sync"), " ")
		if now := u.logCount(t, "--no-sync"); now != all {
			t.Errorf("%s logs, want %s", now, all)
		}
		u.checkNoLeftovers(t)
	})
}

// kills: after syncs that were killed at different moments, the next one is whole.
func (w *world) kills(t *testing.T) {
	logs, ok := corpora(t)["home"]
	if !ok {
		logs = sample()
	}
	here, there := w.linux.user(t, logs), w.windows.user(t, logs)
	here.run(t, "sync")
	there.run(t, "version")
	killed := 0
	for moment := 250 * time.Millisecond; moment < 9*time.Second; moment *= 2 {
		if there.killed(t, moment) {
			killed++
		}
		left, err := filepath.Glob(filepath.Join(there.data(), "*"))
		t.Logf("killed after %v, it leaves %q, %v", moment, left, err)
	}
	if killed < 3 {
		t.Error("most syncs ended before their kill")
	}
	a := there.try(t, "sync")
	t.Logf("the next sync: exit code %d after %.1f s: %s%s", a.code, a.took.Seconds(), a.out, a.said)
	checkEqual(t, here, there)
	there.checkNoLeftovers(t)
}

// killed starts a sync, kills it a moment after the beginning of the store's draft, and
// reports whether it didn't end before.
func (u *user) killed(t *testing.T, moment time.Duration) bool {
	t.Helper()
	shell(t, `rm -rf "$0"`, u.data())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wait := begin(t, u.command(ctx, t, "sync"))
	for start := time.Now(); time.Since(start) < patience; time.Sleep(10 * time.Millisecond) {
		if drafts, _ := filepath.Glob(filepath.Join(u.data(), "*.duckdb*")); len(drafts) > 2 {
			break
		}
	}
	time.Sleep(moment)
	cancel()
	return wait().code != 0
}

// checkNoLeftovers checks that a sync with work leaves no file of processes that were
// killed in the folder of the store.
func (u *user) checkNoLeftovers(t *testing.T) {
	t.Helper()
	u.grow(t, "more")
	u.run(t, "sync")
	entries, err := os.ReadDir(u.data())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch e.Name() {
		case "hindsql.duckdb", "hindsql.duckdb.lock", "hindsql.duckdb.turn", "hindsql.duckdb.silent":
		default:
			t.Errorf("%s is left", e.Name())
		}
	}
}
