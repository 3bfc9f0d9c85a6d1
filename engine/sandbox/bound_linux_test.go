package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// insideHere answers additional calls, for bounds that this system enforces.
func insideHere(_ context.Context, c *Call) (any, []byte, error) {
	switch c.Method {
	case "swell": // with memory counted by RLIMIT_DATA
		var all [][]byte
		for len(all) < 1<<20 {
			all = append(all, touched(make([]byte, 4<<20)))
		}
		return len(all), nil, nil
	case "swell beside": // with memory not counted by RLIMIT_DATA
		for {
			more, err := unix.Mmap(-1, 0, 4<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
			if err != nil {
				return nil, nil, err
			}
			touched(more)
			time.Sleep(time.Millisecond)
		}
	case "write": // a file of the length in In
		var long int
		if _, err := fmt.Sscan(string(c.In), &long); err != nil {
			return nil, nil, err
		}
		return nil, nil, os.WriteFile("long", make([]byte, long), 0o600)
	case "attempt":
		var in struct {
			Number  int
			Outside outsideOf
		}
		if err := json.Unmarshal(c.In, &in); err != nil {
			return nil, nil, err
		}
		return attempt(in.Number, in.Outside), nil, nil
	case "duckdb":
		said, err := duckDB()
		return said, nil, err
	case "descriptors":
		return descriptors(), nil, nil
	case "core":
		var core syscall.Rlimit
		err := syscall.Getrlimit(syscall.RLIMIT_CORE, &core)
		return core.Max, nil, err
	}
	return nil, nil, fmt.Errorf("%s: no such call", c.Method)
}

func touched(memory []byte) []byte {
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	return memory
}

func TestMemoryIsBounded(t *testing.T) {
	for _, method := range []string{"swell", "swell beside"} {
		p := started(t, func(o *Options) { o.Memory = 150 << 20 })
		q := p.Go(method, nil, nil)
		most := 0
		for running := true; running; {
			select {
			case <-q.Done():
				running = false
			case <-time.After(time.Millisecond):
				most = max(most, highest(p.cmd.Process.Pid))
			}
		}
		var ended *Ended
		if _, err := q.Reply(nil); !errors.As(err, &ended) || ended.Cause != Memory {
			t.Errorf("%s: %v", method, err)
		}
		if most > 600<<10 {
			t.Errorf("%s: it had %d KB", method, most)
		}
	}
}

// highest returns the most memory that a process had, in KB.
func highest(pid int) (kb int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	_, _ = fmt.Sscan(after, &kb)
	return kb
}

func TestFilesAreBounded(t *testing.T) {
	p := started(t, func(o *Options) { o.Disk = 1 << 20 })
	if _, err := p.Go("write", 1<<20, nil).Reply(nil); err != nil {
		t.Errorf("a file within the bound: %v", err)
	}
	if _, err := p.Go("write", 1<<20+1, nil).Reply(nil); err == nil || !strings.Contains(err.Error(), "file too large") {
		t.Errorf("a file above the bound: %v", err)
	}
	var core uint64
	if _, err := p.Go("core", nil, nil).Reply(&core); err != nil || core != 0 {
		t.Errorf("a core may have %d bytes, %v", core, err)
	}
}

func TestResidentIsLookedAt(t *testing.T) {
	p := started(t, nil)
	until(t, "memory was looked at", func() bool {
		now, err := p.bound.look()
		return err == nil && now.resident > 1<<20 && now.resident < 1<<30
	})
}

// TestCauses: a death at the memory bound is distinguished from a crash.
func TestCauses(t *testing.T) {
	for words, want := range map[string]bool{
		"fatal error: runtime: cannot allocate memory\n\nruntime stack:":                               true,
		"fatal error: runtime: out of memory\n":                                                        true,
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort":         true,
		"terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n": true,
		"SIGSEGV: segmentation violation\nPC=0x1925491 m=0 sigcode=1 addr=0x7ffc1066df80\n":            false,
		"": false,
	} {
		if got := new(Process).ranOutOfMemory(words); got != want {
			t.Errorf("%q: memory is %v", words, got)
		}
	}
	var full Process
	full.full.Store(true)
	if !full.ranOutOfMemory("") {
		t.Error("a worker that died without words, at its bound, died of something else")
	}
}

// TestWordsAreTheFirstAndTheLast: Go writes the reason first, and then thousands of
// lines.
func TestWordsAreTheFirstAndTheLast(t *testing.T) {
	var w stderrText
	fmt.Fprintln(&w, "of long ago")
	w.at = w.at.Add(-2 * pause)
	fmt.Fprintln(&w, "fatal error")
	for i := range 10_000 {
		fmt.Fprintln(&w, "goroutine", i)
	}
	if text := w.String(); len(text) > longestWords || !strings.HasPrefix(text, "fatal error\n") || !strings.HasSuffix(text, "goroutine 9999\n") {
		t.Errorf("kept %d bytes: %.40q", len(text), text)
	}
}

// TestWorkerOutlivesTheThreadThatAskedForIt: Linux ends a child when the thread that
// started the child ends.
func TestWorkerOutlivesTheThreadThatAskedForIt(t *testing.T) {
	made := make(chan *Process)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		p, err := Start(context.Background(), Options{Folder: t.TempDir(), Memory: 1 << 30, Disk: 1 << 30, Build: testBuild})
		if err != nil {
			t.Error(err)
		}
		made <- p
	}()
	p := <-made
	if p == nil {
		return
	}
	t.Cleanup(func() { p.Close() })
	for range 20 {
		time.Sleep(5 * time.Millisecond)
		if _, err := p.Go("echo", nil, nil).Reply(nil); err != nil {
			t.Fatal(err)
		}
	}
}

// orphan is a parent for a test to kill. It prints its worker's process id and waits.
// If held is true, another process keeps the worker's pipe open.
func orphan(held bool) {
	signal.Ignore(os.Interrupt)
	p, err := Start(context.Background(), Options{Folder: os.TempDir(), Memory: 1 << 30, Disk: 1 << 30, Build: testBuild})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	p.Go("hang", nil, nil)
	if held {
		holder := exec.Command("sleep", "60")
		holder.ExtraFiles = []*os.File{p.in}
		if err := holder.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(p.cmd.Process.Pid, holder.Process.Pid)
	} else {
		fmt.Println(p.cmd.Process.Pid, 0)
	}
	select {}
}

func TestNoWorkerOutlivesItsParent(t *testing.T) {
	for _, how := range []string{"", "held"} {
		for _, by := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
			parent := exec.Command(os.Args[0])
			parent.Env = append(os.Environ(), "SANDBOX_TEST_ORPHAN=yes"+how)
			out, err := parent.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			var worker, holder int
			if _, err := fmt.Fscan(out, &worker, &holder); err != nil || !runs(worker) {
				t.Fatalf("the parent says %d, %d, %v", worker, holder, err)
			}
			if err := parent.Process.Signal(by); err != nil {
				t.Fatal(err)
			}
			_ = parent.Wait() // the parent was killed
			until(t, fmt.Sprintf("the worker ended (%s, %v)", how, by), func() bool { return !runs(worker) })
			if holder != 0 {
				if !runs(holder) {
					t.Error("nobody held the pipe")
				}
				_ = syscall.Kill(holder, syscall.SIGKILL)
			}
		}
	}
}

// runs reports whether a process is alive. A dead process keeps its id until the parent
// waits for the process.
func runs(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came that %s", what)
		}
	}
}
