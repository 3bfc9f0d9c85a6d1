package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const testBuild = "a test's"

func TestMain(m *testing.M) {
	if IsWorker() {
		os.Exit(Serve(testBuild, inside))
	}
	if how, ok := os.LookupEnv("SANDBOX_TEST_ORPHAN"); ok {
		orphan(how == "yesheld")
	}
	os.Exit(m.Run())
}

// inside answers the calls of tests, in the workers.
func inside(ctx context.Context, c *Call) (any, []byte, error) {
	switch c.Method {
	case "echo":
		return c.In, c.Body, nil
	case "wait":
		<-ctx.Done()
		return nil, nil, ctx.Err()
	case "ask": // call the parent, and return its reply
		var said string
		body, err := c.Peer.Go("asked", "a worker", c.Body).Reply(&said)
		return said, body, err
	case "flood":
		for range 2 * mostCalls {
			c.Peer.Go("wait", nil, nil)
		}
		select {}
	case "heavy":
		for range 5 {
			c.Peer.Go("wait", nil, make([]byte, longestFrame-1<<10))
		}
		select {}
	case "long":
		return nil, make([]byte, longestFrame), nil
	case "print":
		fmt.Println("a stray line")
		n, err := os.Stdin.Read(make([]byte, 1))
		return fmt.Sprint(n, " ", err), nil, nil
	case "self":
		folder, err := os.Getwd()
		return map[string]any{"env": os.Environ(), "folder": folder}, nil, err
	case "panic":
		panic("of a handler")
	case "die":
		go panic("of a goroutine")
		select {}
	case "hang": // and ignore the end of the pipe
		go func() {
			for odd := uint64(1); odd != 0; odd += 2 {
			}
		}()
		select {}
	}
	return insideHere(ctx, c)
}

// started returns a worker that ends with the test.
func started(t *testing.T, change func(*Options)) *Process {
	t.Helper()
	o := Options{Folder: t.TempDir(), Memory: 4 << 30, Disk: 1 << 30, Build: testBuild, Handle: outside}
	if change != nil {
		change(&o)
	}
	p, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// outside answers the calls of workers, in the test.
func outside(ctx context.Context, c *Call) (any, []byte, error) {
	if c.Method == "wait" {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	}
	return fmt.Sprintf("%s by %s", c.Method, c.In), append([]byte("re: "), c.Body...), nil
}

func TestCallsGoBothWays(t *testing.T) {
	p := started(t, nil)
	if p.Hello().Build != testBuild {
		t.Errorf("Hello is %+v", p.Hello())
	}
	long := bytes.Repeat([]byte("0123456789abcdef"), longestFrame/16+1) // more than a worker may send at once
	var many []*Pending
	for i := range 100 {
		many = append(many, p.Go("echo", i, long[:i*1000]))
	}
	for i, q := range many {
		var n int
		if body, err := q.Reply(&n); err != nil || n != i || !bytes.Equal(body, long[:i*1000]) {
			t.Fatalf("call %d: %d, %d bytes, %v", i, n, len(body), err)
		}
	}
	var said string
	if body, err := p.Go("ask", nil, []byte("what?")).Reply(&said); err != nil || said != `asked by "a worker"` || string(body) != "re: what?" {
		t.Errorf("asked back: %q, %q, %v", said, body, err)
	}
	if _, err := p.Go("unknown", nil, long).Reply(nil); err == nil || err.Error() != "unknown: no such call" {
		t.Errorf("an error arrives as %v", err)
	}
	if _, err := p.Go("panic", nil, nil).Reply(nil); err == nil || !strings.Contains(err.Error(), "of a handler") {
		t.Errorf("a panic arrives as %v", err)
	}
	if _, err := p.Go("echo", "still there", nil).Reply(&said); err != nil || said != "still there" {
		t.Errorf("after all that: %q, %v", said, err)
	}
}

func TestCancelEndsTheContextThere(t *testing.T) {
	p := started(t, nil)
	q, other := p.Go("wait", nil, nil), p.Go("wait", nil, nil)
	q.Cancel()
	if _, err := q.Reply(nil); err == nil || err.Error() != context.Canceled.Error() {
		t.Errorf("cancelled: %v", err)
	}
	q.Cancel()
	select {
	case <-other.Done():
		t.Error("the other call ended, too")
	default:
	}
	p.Kill(Late)
	var ended *Ended
	if _, err := other.Reply(nil); !errors.As(err, &ended) || ended.Cause != Late || p.Ended() != ended {
		t.Errorf("killed: %v, %v", err, p.Ended())
	}
	if _, err := p.Go("echo", nil, nil).Reply(nil); !errors.As(err, &ended) {
		t.Errorf("a call to what has ended: %v", err)
	}
}

// TestNothingOfTheParentGoesAlong: a worker gets neither the parent's environment nor
// its descriptors. A print in the worker doesn't get between its messages.
func TestNothingOfTheParentGoesAlong(t *testing.T) {
	t.Setenv("HINDSQL_SECRET", "of the parent")
	var folder string
	p := started(t, func(o *Options) { folder = o.Folder })
	var self struct {
		Env    []string
		Folder string
	}
	if _, err := p.Go("self", nil, nil).Reply(&self); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(self.Env, func(v string) bool { return strings.HasPrefix(v, "HINDSQL") || strings.HasPrefix(v, "HOME") }) {
		t.Errorf("the environment is %q", self.Env)
	}
	if there, err := os.Stat(self.Folder); err != nil {
		t.Error(err)
	} else if want, _ := os.Stat(folder); !os.SameFile(there, want) {
		t.Errorf("the folder is %s, want %s", self.Folder, folder)
	}
	var read string
	if _, err := p.Go("print", nil, nil).Reply(&read); err != nil || read != "0 EOF" {
		t.Errorf("stdin gives %q, %v", read, err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if e := p.Ended(); e.Cause != Killed || e.Words != "a stray line\n" {
		t.Errorf("ended: %+v", e)
	}
}

// TestWhatIsNoMessageEndsTheWorker: the parent doesn't trust a worker's messages.
// Invalid messages end the worker.
func TestWhatIsNoMessageEndsTheWorker(t *testing.T) {
	for method, words := range map[string]string{
		"long":  "are the most",
		"flood": "while 1024 run",
		"heavy": "while 4 run",
		"die":   "panic: of a goroutine",
	} {
		p := started(t, nil)
		var ended *Ended
		_, err := p.Go(method, nil, nil).Reply(nil)
		if !errors.As(err, &ended) || ended.Cause != Crash || !strings.Contains(ended.Words, words) || len(ended.Words) > longestWords {
			t.Errorf("%s: %v", method, err)
		}
		if strings.Contains(fmt.Sprint(err), "goroutine ") {
			t.Errorf("%s: its words are its stacks: %v", method, err)
		}
	}
}

func TestCloseEndsWhatRuns(t *testing.T) {
	p := started(t, nil)
	q := p.Go("hang", nil, nil)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var ended *Ended
	if _, err := q.Reply(nil); !errors.As(err, &ended) || ended.Cause != Killed {
		t.Errorf("closed: %v", err)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d: it didn't end by itself", code)
	}
}

func TestStartSaysWhatToDo(t *testing.T) {
	o := Options{Folder: t.TempDir(), Memory: 1 << 30, Disk: 1 << 30, Build: "another", Handle: outside}
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	nowhere := o
	nowhere.Folder += "/gone"
	for _, c := range []struct {
		ctx   context.Context
		o     Options
		wrong string
	}{{t.Context(), o, `another build's, "a test's", and this is "another"`}, {late, o, "deadline"}, {t.Context(), nowhere, "fork/exec"}} {
		p, err := Start(c.ctx, c.o)
		if err == nil || p != nil || !strings.Contains(err.Error(), c.wrong) || !strings.Contains(err.Error(), "start hindsql anew") {
			t.Errorf("want %q: %v", c.wrong, err)
		}
	}
}
