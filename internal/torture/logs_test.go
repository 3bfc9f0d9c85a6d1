package torture_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// write writes a log with a random time of modification.
func (w *world) write(path string, text []byte) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(w.t, os.WriteFile(path, text, 0o600))
	w.touch(path)
}

// touch sets a log's modification time to any time a clock may show.
func (w *world) touch(path string) {
	at := time.Unix(w.chance.Int64N(4e9)-1e8, w.chance.Int64N(1e9)/1000*1000)
	must(w.t, os.Chtimes(path, at, at))
}

// texts returns the logs' current texts.
func (w *world) texts() map[string][]byte {
	all := map[string][]byte{}
	for _, path := range w.logs() {
		text, err := os.ReadFile(path)
		must(w.t, err)
		all[path] = text
	}
	return all
}

// TestCuts cuts every log at a random byte, then lets the log grow back to its end in
// steps, with a sync after each step.
func TestCuts(t *testing.T) {
	until, chance := share(t)
	for time.Now().Before(until) {
		w := newWorld(t, chance)
		whole := w.texts()
		for range 2 {
			for path, text := range whole {
				now, err := os.ReadFile(path)
				must(t, err)
				from := 0
				if len(now) < len(text) {
					from = len(now)
				}
				w.write(path, text[:from+chance.IntN(len(text)-from+1)])
				done.add("cuts", 1)
			}
			w.succeed("sync")
		}
		for path, text := range whole {
			w.write(path, text)
		}
		w.wantClean("cuts")
	}
}

// TestMutants changes every log anywhere: bytes, stretches, doubled lines. Loading a
// log at once or in two steps gives the same rows.
func TestMutants(t *testing.T) {
	until, chance := share(t)
	for time.Now().Before(until) {
		w := newWorld(t, chance)
		mutants := map[string][]byte{}
		for path, text := range w.texts() {
			if strings.HasSuffix(path, "messages.json") {
				continue // a file that ends too early counts as not read: its rows of before stay
			}
			mutants[path] = w.mutant(text)
			done.add("mutants", 1)
		}
		for half := range 2 {
			i := 0
			for _, path := range w.logs() {
				if mutants[path] == nil {
					continue
				}
				switch i++; {
				case half == 1:
					w.write(path, mutants[path])
				case i%2 == 0:
					must(t, os.Remove(path))
				default:
					w.write(path, mutants[path])
				}
			}
			for path := range mutants {
				if _, err := os.Stat(path); err != nil && half == 1 {
					w.write(path, mutants[path])
				}
			}
			w.succeed("sync")
		}
		w.wantClean("mutants")
	}
}

func (w *world) mutant(text []byte) []byte {
	text = bytes.Clone(text)
	for range 1 + w.chance.IntN(4) {
		if len(text) < 2 {
			return text
		}
		at := w.chance.IntN(len(text) - 1)
		n := min(len(text)-at, 1+w.chance.IntN(200))
		switch w.chance.IntN(7) {
		case 0:
			text[at] ^= 1 << w.chance.IntN(8)
		case 1:
			clear(text[at : at+n])
		case 2:
			text = append(text[:at:at], text[at+n:]...)
		case 3:
			text = append(text[:at+n:at+n], text[at:]...)
		case 4:
			lines := bytes.SplitAfter(text, []byte("\n"))
			line := lines[w.chance.IntN(len(lines))]
			text = append(text, bytes.Repeat(line, 1+w.chance.IntN(3))...)
		case 5:
			text = bytes.Replace(text, []byte(`":"`), []byte(`":["`), 1)
		default:
			digits := bytes.IndexAny(text[at:], "0123456789")
			if digits >= 0 {
				text = append(text[:at+digits:at+digits], append([]byte("999999999999999999"), text[at+digits:]...)...)
			}
		}
	}
	return text
}

// churned returns a log of our own, with unconnected messages.
func churned(session string, from, to int) []byte {
	var text strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&text, `{"parentUuid":null,"isSidechain":false,"cwd":"/w","sessionId":%q,"version":"2.1.23","type":"user","uuid":"%s-%d","timestamp":"2026-10-09T08:30:44.203Z","message":{"role":"user","content":"%s"}}`+"\n",
			session, session, i, strings.Repeat("y", i%500))
	}
	return []byte(text.String())
}

// ours returns the path for a log of our own.
func (w *world) ours(name string) string {
	return filepath.Join(w.home, ".claude", "projects", "p", name+".jsonl")
}

// TestChurn truncates, replaces and removes a log, and puts a folder in the log's
// place, while processes read it. No row is doubled, and other logs lose no rows.
func TestChurn(t *testing.T) {
	until, chance := share(t)
	w := newWorld(t, chance)
	w.succeed("sync")
	others := w.succeed("--no-sync", "--format", "csv", "SELECT count(*) FROM messages")
	big, path := churned("big", 0, 4000), w.ours("big")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = os.MkdirAll(filepath.Dir(path), 0o700)
		for n := uint64(0); time.Now().Before(until); n++ {
			switch (n*2654435761 + seed) % 5 {
			case 0:
				_ = os.WriteFile(path, big, 0o600)
			case 1:
				_ = os.Truncate(path, int64(n*7919)%int64(len(big)))
			case 2:
				_ = os.WriteFile(path+".t", big[:int(n*104729)%len(big)], 0o600)
				_ = os.Rename(path+".t", path)
			case 3:
				_ = os.Remove(path)
			default:
				_ = os.Remove(path)
				_ = os.Mkdir(path, 0o700)
				time.Sleep(20 * time.Millisecond)
				_ = os.Remove(path)
			}
			done.add("churns", 1)
			time.Sleep(10 * time.Millisecond)
		}
		_ = os.RemoveAll(path)
	}()
	for time.Now().Before(until) {
		got := w.succeed("--format", "csv", "SELECT count(*) FILTER (session_id <> 'big') AS others, count(*) FILTER (session_id = 'big') - count(DISTINCT uuid) FILTER (session_id = 'big') AS doubled FROM messages")
		if want := strings.TrimSpace(strings.Split(others, "\n")[1]) + ",0"; strings.Split(got, "\n")[1] != want {
			t.Fatalf("seed %d: %s, want %s", seed, got, want)
		}
	}
	<-ended
	w.write(path, big)
	w.wantClean("churn")
}

// held is the exit code after waiting for the store in vain. On an overloaded machine a
// process may hold the store for five seconds.
const held = 4

func gaveUp(err error) bool {
	failed := (*exec.ExitError)(nil)
	return errors.As(err, &failed) && failed.ExitCode() == held
}

// TestCrowd lets twenty processes ask while logs grow and a process reloads everything.
// Each answer has only whole lines, each once, and never fewer than the previous
// answer.
func TestCrowd(t *testing.T) {
	until, chance := share(t)
	w := newWorld(t, chance)
	w.write(w.ours("w"), churned("w", 0, 10))
	w.succeed("sync")
	failed := make(chan string, 100)
	tell := func(format string, args ...any) {
		select {
		case failed <- fmt.Sprintf(format, args...):
		default:
		}
	}
	ended := make(chan struct{}, 22)
	go func() {
		f, _ := os.OpenFile(w.ours("w"), os.O_APPEND|os.O_WRONLY, 0o600)
		for i := 10; time.Now().Before(until); i++ {
			text := churned("w", i, i+1)
			_, _ = f.Write(text[:len(text)/2])
			time.Sleep(time.Millisecond)
			_, _ = f.Write(text[len(text)/2:])
			time.Sleep(10 * time.Millisecond)
		}
		f.Close()
		ended <- struct{}{}
	}()
	ask := func(args ...string) (string, error) {
		out, err := w.command(args...).Output()
		done.add("processes", 1)
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			if failed.ExitCode() == held {
				done.add("gave up after five seconds", 1)
			}
			err = fmt.Errorf("%v: %w: %s", args, err, failed.Stderr)
		}
		return string(out), err
	}
	for i := range 21 {
		go func() {
			defer func() { ended <- struct{}{} }()
			for last := 0; time.Now().Before(until); {
				if i == 20 {
					if _, err := ask("sync", "--full"); err != nil && !gaveUp(err) {
						tell("%v", err)
					}
					continue
				}
				out, err := ask("--format", "csv", "SELECT count(*), count(DISTINCT uuid) FROM messages WHERE session_id = 'w'")
				var all, distinct int
				if gaveUp(err) {
					continue
				}
				_, scanErr := fmt.Sscanf(strings.TrimSpace(out[strings.Index(out, "\n")+1:]), "%d,%d", &all, &distinct)
				if err != nil || scanErr != nil || all != distinct || all < last {
					tell("%d messages, %d of them distinct, after %d: %v %v", all, distinct, last, err, scanErr)
				}
				last = max(last, all)
			}
		}()
	}
	for range 22 {
		<-ended
	}
	close(failed)
	for text := range failed {
		t.Error(text)
	}
	w.wantClean("crowd")
}
