package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// insideHere answers additional calls, for bounds that this system enforces.
func insideHere(_ context.Context, c *Call) (any, []byte, error) {
	switch c.Method {
	case "swell":
		var all [][]byte
		for len(all) < 1<<20 {
			more := make([]byte, 4<<20)
			for i := 0; i < len(more); i += 4096 {
				more[i] = 1
			}
			all = append(all, more)
		}
		return len(all), nil, nil
	case "start":
		program, err := ownPath()
		if err != nil {
			return true, nil, err
		}
		return exec.Command(program, "-test.run=^$").Run() == nil, nil, nil
	}
	return nil, nil, fmt.Errorf("%s: no such call", c.Method)
}

// TestMemoryIsBounded: the job ends a worker that takes too much memory, or the parent
// does.
func TestMemoryIsBounded(t *testing.T) {
	p := started(t, func(o *Options) { o.Memory = 150 << 20 })
	var ended *Ended
	if _, err := p.Go("swell", nil, nil).Reply(nil); !errors.As(err, &ended) || ended.Cause != Memory {
		t.Error(err)
	}
}

// TestWorkerStartsNothing: the job holds one process.
func TestWorkerStartsNothing(t *testing.T) {
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
		t.Skip("wine counts no processes of a job")
	}
	p := started(t, nil)
	var started bool
	if _, err := p.Go("start", nil, nil).Reply(&started); err != nil || started {
		t.Errorf("the worker started a process: %t, %v", started, err)
	}
}

// orphan is a parent for a test to kill. It prints its worker's process id and waits.
func orphan(bool) {
	p, err := Start(context.Background(), Options{Folder: os.TempDir(), Memory: 1 << 30, Disk: 1 << 30, Build: testBuild})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	p.Go("hang", nil, nil) // the worker ignores the end of its pipes
	time.Sleep(100 * time.Millisecond)
	fmt.Println(p.cmd.Process.Pid)
	select {}
}

// TestNoWorkerOutlivesItsParent: Windows closes the job with the parent, and so ends a
// worker that ignores the end of its pipes.
func TestNoWorkerOutlivesItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "SANDBOX_TEST_ORPHAN=yes")
	out, err := parent.StdoutPipe()
	if err == nil {
		err = parent.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var worker uint32
	_, err = fmt.Fscan(out, &worker)
	if err != nil {
		t.Fatal(err)
	}
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, worker)
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(h)
	_ = parent.Process.Kill()
	_ = parent.Wait() // the parent was killed
	if state, err := windows.WaitForSingleObject(h, 20_000); state != windows.WAIT_OBJECT_0 {
		t.Errorf("the worker goes on: %d, %v", state, err)
	}
}
