package torture_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/engine/fleet/machine"
	"hindsql/readers"
	"hindsql/readers/all"
)

// TestWriterFails makes each file end at byte n, as on a full disk. Questions are
// answered, other commands report the error, and with room again the store equals a
// clean load.
func TestWriterFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no limits")
	}
	until, chance := share(t)
	for time.Now().Before(until) {
		w := newWorld(t, chance)
		w.succeed("sync")
		for range 6 {
			grow(w)
			before := w.succeed("--no-sync", "--format", "csv", "SELECT count(*) FROM messages")
			blocks := chance.IntN(14000)
			if chance.IntN(2) == 0 {
				blocks = chance.IntN(600)
			}
			w.limit = fmt.Sprintf("ulimit -f %d", blocks)
			args := [][]string{
				{"--format", "csv", "SELECT count(*) FROM messages"}, {"sync", "--full"},
				{"export", w.beside("ex")}, {"report", "run", "weekly", "-o", w.beside("r.html")}, {"prune", "--yes"},
			}[chance.IntN(5)]
			r := w.run(args...)
			switch {
			case r.code < 0 || r.code > 1 || strings.Contains(r.stderr, "goroutine "):
				t.Fatalf("seed %d: %v with %d blocks: exit code %d: %s", seed, args, blocks, r.code, r.stderr)
			case len(args) == 3 && (r.code != 0 || !strings.HasPrefix(r.stdout, "count") || len(r.stdout) < len(before)):
				t.Fatalf("seed %d: no answer with %d blocks: %d %q %s", seed, blocks, r.code, r.stdout, r.stderr)
			}
			done.add("failing writers", 1)
			w.limit = ""
		}
		w.wantClean("failing writer")
		w.succeed("export", w.beside("ex"))
	}
}

// TestMemoryCaps gives processes too little memory. They may die as if killed. Once in
// a hundred times a process hangs: the runtimes of Go and C++ promise no more if no
// thread can be made. The test then kills the process, as a person would. In the end
// the store equals a clean load.
func TestMemoryCaps(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no such limit")
	}
	until, chance := share(t)
	w := newWorld(t, chance)
	w.succeed("sync")
	for i := 0; time.Now().Before(until); i++ {
		grow(w)
		w.limit = fmt.Sprintf("ulimit -v %d", 200_000+chance.IntN(2_500_000))
		w.mayHang = true
		r := w.run([][]string{{"sync"}, {"sync", "--full"}, {"export", w.beside("ex")}, {"FROM messages ORDER BY text"}}[chance.IntN(4)]...)
		done.add(map[bool]string{true: "memory caps survived", false: "memory caps died of"}[r.code == 0], 1)
		w.limit, w.mayHang = "", false
		w.succeed("--format", "csv", "SELECT count(*) FROM messages")
		if i%8 == 7 {
			w.wantClean("memory cap")
		}
	}
	w.wantClean("memory cap")
}

// failing is a log with a read error after left bytes.
type failing struct {
	io.ReadCloser
	left int
}

var errDisk = &os.PathError{Op: "read", Path: "a log", Err: syscall.EIO}

func (f *failing) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, errDisk
	}
	n, err := f.ReadCloser.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

// TestReaderFails makes reads of logs fail at byte n. The old rows stay. When all logs
// are readable again, even unchanged, the store equals a clean load.
func TestReaderFails(t *testing.T) {
	until, chance := share(t)
	w := newWorld(t, chance)
	w.succeed("sync")
	config := engine.Config{
		Store: w.store, Hostname: hostname(t), Machine: w.machine(), User: w.userName(), Timezone: "UTC",
		Host: readers.Host{OS: runtime.GOOS, Home: w.home, Getenv: func(string) string { return "" }},
	}
	fails := true
	var mutex sync.Mutex
	for _, r := range all.Readers() {
		own := *r
		own.Open = func(path string) (io.ReadCloser, error) {
			f, err := readers.OpenFile(path)
			mutex.Lock() // files are read side by side
			defer mutex.Unlock()
			if err != nil || !fails || chance.IntN(3) > 0 {
				return f, err
			}
			done.add("failing readers", 1)
			return &failing{f, chance.IntN(4000)}, nil
		}
		config.Readers = append(config.Readers, &own)
	}
	before := w.succeed("--no-sync", "--format", "csv", "SELECT count(*) FROM with_copies.messages")
	for time.Now().Before(until) {
		for path, text := range w.texts() {
			w.write(path, text)
		}
		must(t, syncOnce(config))
		if now := w.succeed("--no-sync", "--format", "csv", "SELECT count(*) FROM with_copies.messages"); now != before {
			t.Fatalf("seed %d: %s messages, were %s", seed, now, before)
		}
		fails = false
		must(t, syncOnce(config))
		fails = true
		w.wantClean("failing reader")
	}
}

func syncOnce(c engine.Config) error {
	st, err := engine.Open(context.Background(), c)
	if err != nil {
		return err
	}
	_, err = st.Sync(context.Background(), engine.SyncOptions{})
	return errors.Join(err, st.Close())
}

// machine returns the machine id that the program made for the world.
func (w *world) machine() string {
	w.t.Helper()
	m, _, err := machine.Load(machine.Options{Folder: filepath.Join(w.home, ".config", "hindsql")})
	must(w.t, err)
	return m.ID
}

// userName returns the user's name in the program's rows.
func (w *world) userName() string {
	w.t.Helper()
	_, name, _ := strings.Cut(w.succeed("--no-sync", "--format", "csv", "SELECT any_value(user) AS name FROM sources"), "\n")
	return strings.TrimSpace(name)
}

func hostname(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	must(t, err)
	return name
}

// TestDamage changes bytes of the store. A question is answered, or its error names the
// cure, and after the cure the store equals a clean load.
func TestDamage(t *testing.T) {
	until, chance := share(t)
	w := newWorld(t, chance)
	w.succeed("sync")
	sound, err := os.ReadFile(w.store)
	must(t, err)
	for time.Now().Before(until) {
		text := append([]byte{}, sound...)
		switch at := chance.IntN(len(text)); chance.IntN(4) {
		case 0:
			text[at] ^= 1 << chance.IntN(8)
		case 1:
			clear(text[at:min(len(text), at+chance.IntN(300_000))])
		case 2:
			text = text[:at]
		default:
			text[chance.IntN(3*4096)] ^= 1 << chance.IntN(8)
		}
		must(t, os.WriteFile(w.store, text, 0o600))
		r := w.run("--format", "csv", "SELECT sum(hash(CAST(m AS VARCHAR))) FROM messages AS m")
		if r.code != 0 && !strings.Contains(r.stderr, "`hindsql sync --full`") {
			t.Fatalf("seed %d: exit code %d, and no cure: %s", seed, r.code, r.stderr)
		}
		w.succeed("sync", "--full")
		done.add("damages", 1)
		w.wantClean("damage")
		asides, _ := filepath.Glob(w.store + ".damaged-*")
		for _, aside := range asides {
			must(t, os.Remove(aside))
		}
	}
}
