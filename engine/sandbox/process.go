package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	patience = 10 * time.Second // for a worker's Hello
	farewell = 2 * time.Second  // for a worker's end after closing
)

// Options describe the worker to start.
type Options struct {
	Folder string  // existing working directory of the worker, the only folder for the worker's files
	Memory int64   // bytes of resident memory; a worker with more is killed
	Disk   int64   // bytes of the largest file
	Build  string  // expected build in the worker's Hello
	Handle Handler // answers the worker's calls
}

// Process is a worker, running or ended.
type Process struct {
	peer   *Peer
	cmd    *exec.Cmd
	bound  *bound
	in     *os.File // the worker's stdin
	stderr stderrText
	hello  Hello

	mutex sync.Mutex
	cause *Cause        // first cause given to Kill
	full  atomic.Bool   // the memory was near its bound at the last look
	quiet chan struct{} // closed at the end of stderr
	done  chan struct{}
	ended Ended // set before done is closed
}

// Start starts a worker and waits for its Hello. The context limits the start, not the
// worker's life.
func Start(ctx context.Context, o Options) (*Process, error) {
	p, err := start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("sandbox: hindsql can't be started again (%w); SQL of others runs only in a process of its own: "+
			"see that this user may execute the file of hindsql, and start hindsql anew if it was upgraded", err)
	}
	return p, nil
}

func start(ctx context.Context, o Options) (*Process, error) {
	path, err := ownPath()
	if err != nil {
		return nil, err
	}
	p := &Process{peer: newPeer(o.Handle, true), quiet: make(chan struct{}), done: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: path, Args: append([]string{name}, o.bounds()...), Env: environment(), Dir: o.Folder, SysProcAttr: attributes()}
	pipes, err := newPipes()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = pipes.stdin.read, pipes.stdout.write, pipes.stderr.write
	p.in = pipes.stdin.write
	started := make(chan error)
	go p.run(o.Memory, started)
	err = <-started
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return nil, err
	}
	go func() {
		defer close(p.quiet)
		_, _ = io.Copy(&p.stderr, pipes.stderr.read)
		_ = pipes.stderr.read.Close()
	}()
	said := make(chan Hello, 1)
	go p.listen(pipes.stdout.read, said)
	go func() { _ = p.peer.write(p.in) }() // calls that can't be written fail when the worker ends
	if p.hello, err = p.awaitHello(ctx, said, o.Build); err != nil {
		p.Kill(Killed)
		return nil, err
	}
	go p.watch(o.Memory)
	return p, nil
}

// run starts the worker and waits for its end on one locked thread, because Linux ends
// a worker with the thread that started the worker.
func (p *Process) run(memory int64, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		if p.bound, err = newBound(p.cmd.Process, memory); err != nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait() // the worker was killed
		}
	}
	started <- err
	if err == nil {
		<-p.peer.ctx.Done() // the pipe ended, or Kill was called
		p.awaitEnd()
	}
}

// listen reads the worker's messages until they end, and then ends the worker.
func (p *Process) listen(out *os.File, said chan<- Hello) {
	defer func() { _ = out.Close() }()
	in := newFrames(out, longestFrame)
	defer p.peer.end()
	first, err := in.next()
	var hello Hello
	if err == nil && first.Kind == kindHello {
		err = json.Unmarshal(first.Value, &hello)
	}
	if err != nil {
		return
	}
	said <- hello
	if err := p.peer.read(in); !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
		fmt.Fprintln(&p.stderr, err)
		_ = p.cmd.Process.Kill()
	}
}

// awaitHello waits for the worker's Hello.
func (p *Process) awaitHello(ctx context.Context, said <-chan Hello, build string) (h Hello, err error) {
	clock := time.NewTimer(patience)
	defer clock.Stop()
	select {
	case h = <-said:
		if h.Build != build {
			err = fmt.Errorf("its file is another build's, %q, and this is %q", h.Build, build)
		}
	case <-p.done:
		err = &p.ended
	case <-clock.C:
		err = fmt.Errorf("nothing was heard of it within %v", patience)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return h, err
}

// Go starts a call to the worker; see Peer.Go.
func (p *Process) Go(method string, in any, body []byte) *Pending { return p.peer.Go(method, in, body) }

// Hello returns the worker's first message.
func (p *Process) Hello() Hello { return p.hello }

// Done returns a channel that closes when the worker has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended returns how the worker ended, nil before Done.
func (p *Process) Ended() *Ended {
	select {
	case <-p.done:
		return &p.ended
	default:
		return nil
	}
}

// Kill ends the worker at once. The first cause counts.
func (p *Process) Kill(c Cause) {
	p.setCause(c)
	_ = p.cmd.Process.Kill()
	p.peer.end()
}

func (p *Process) setCause(c Cause) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.cause == nil {
		p.cause = &c
	}
}

// Close ends the worker and waits for its end. A worker that doesn't end by itself is
// killed.
func (p *Process) Close() error {
	p.setCause(Killed)
	go func() { _ = p.in.Close() }() // may wait for a write
	clock := time.NewTimer(farewell)
	defer clock.Stop()
	select {
	case <-p.done:
		return nil
	case <-clock.C:
	}
	p.Kill(Killed)
	select {
	case <-p.done:
		return nil
	case <-time.After(farewell):
		return fmt.Errorf("sandbox: process %d doesn't end; kill it", p.cmd.Process.Pid)
	}
}

// awaitEnd waits for the end of a worker whose pipe has ended, and informs all waiting
// callers.
func (p *Process) awaitEnd() {
	gone := time.AfterFunc(farewell, func() { _ = p.cmd.Process.Kill() })
	_ = p.cmd.Wait() // the cause is known, or read from the words
	gone.Stop()
	_ = p.in.Close()
	select {
	case <-p.quiet:
	case <-time.After(farewell): // another process holds the stderr
	}
	p.bound.release()
	p.mutex.Lock()
	p.ended.Words = p.stderr.String()
	if p.cause != nil {
		p.ended.Cause = *p.cause
	} else if p.ranOutOfMemory(p.ended.Words) {
		p.ended.Cause = Memory
	}
	p.mutex.Unlock()
	close(p.done)
	p.peer.finish(&p.ended)
}

// pipe holds both ends of a pipe.
type pipe struct{ read, write *os.File }

// pipes are a worker's stdin, stdout and stderr.
type pipes struct{ stdin, stdout, stderr pipe }

func newPipes() (p *pipes, err error) {
	p = &pipes{}
	for _, one := range []*pipe{&p.stdin, &p.stdout, &p.stderr} {
		if one.read, one.write, err = os.Pipe(); err != nil {
			p.closeTheirs()
			p.closeOurs()
			return nil, err
		}
	}
	widen(p.stdin.write)
	widen(p.stdout.read)
	return p, nil
}

// closeTheirs closes the worker's ends.
func (p *pipes) closeTheirs() {
	_ = errors.Join(p.stdin.read.Close(), p.stdout.write.Close(), p.stderr.write.Close())
}

// closeOurs closes the parent's ends.
func (p *pipes) closeOurs() {
	_ = errors.Join(p.stdin.write.Close(), p.stdout.read.Close(), p.stderr.read.Close())
}

// Cause is the reason why a worker ended.
type Cause int

// The causes of a worker's end.
const (
	Crash  Cause = iota // ended by itself, or sent a message that no real worker sends
	Memory              // met its memory bound
	Killed              // closed
	Late                // killed because a statement was late
)

// String describes the worker's end.
func (c Cause) String() string {
	return [...]string{"crashed", "met its bound of memory", "was closed", "was killed because it was late"}[c]
}

// Ended describes a worker's end. It is the error of the worker's calls without a
// reply. Words are the worker's last output on stderr, for developers only and never
// for a client.
type Ended struct {
	Cause Cause
	Words string
}

// Error includes the words, so clients must not see the text.
func (e *Ended) Error() string {
	text := "sandbox: the worker " + e.Cause.String()
	if words := strings.TrimSpace(e.Words); words != "" {
		text += fmt.Sprintf(" (%q)", words)
	}
	return text
}

const (
	longestWords = 4 << 10     // bytes kept of a worker's stderr, half of them from the beginning
	pause        = time.Second // silence after which the beginning starts anew
)

// stderrText keeps a worker's stderr. It keeps the beginning of the output since the last
// pause, which tells why the worker dies, and the end.
type stderrText struct {
	mutex       sync.Mutex
	first, last []byte
	at          time.Time
}

func (w *stderrText) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	all := len(text)
	if time.Since(w.at) > pause {
		w.first, w.last = nil, nil
	}
	w.at = time.Now()
	room := min(longestWords/2-len(w.first), all)
	w.first, text = append(w.first, text[:room]...), text[room:]
	w.last = append(w.last, text...)
	if extra := len(w.last) - longestWords/2; extra > 0 {
		w.last = append(w.last[:0], w.last[extra:]...)
	}
	return all, nil
}

func (w *stderrText) String() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return string(w.first) + string(w.last)
}
