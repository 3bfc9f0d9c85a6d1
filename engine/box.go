package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"hindsql/engine/sandbox"
	"hindsql/engine/store"
)

// box runs calls in a worker, and starts another one when that ends. One worker
// serves all sessions of a safe Store.
//
// If a late statement's worker is killed, the other statements run again. After a
// crash the statements in flight run again one at a time: the one that crashes alone
// is to blame. The same holds for memory, which runs out in whatever statement asks
// next.
type box struct {
	handle sandbox.Handler
	bounds Safe
	folder string // the worker's
	drop   func() // removes the folder

	turns *semaphore.Weighted // a call takes one turn, a call that runs alone all

	mutex   sync.Mutex // guards what follows
	now     *hired     // nil for none
	closed  bool
	crashes map[[32]byte]int // by the hash of a statement's text
	renew   func()           // has the next worker get its rows
}

// hired is one worker, and what it holds.
type hired struct {
	*sandbox.Process
	held
	calls   atomic.Int64 // running in its DuckDB, also at its end
	began   atomic.Int64 // calls, from its beginning
	answers atomic.Int64 // results that clients still read
	served  atomic.Bool  // it held all rows once
	retired atomic.Bool  // it met its bound of memory: the next call gets another one
}

// The bounds of a worker beside those of its statements.
const (
	mostAtOnce  = 1 << 20     // turns
	mostRuns    = 5           // of a statement whose workers end by others
	mostCrashes = 2           // of a text, for the life of the process
	grace       = time.Second // behind the bound of time the worker is killed
	mostResult  = 1 << 30     // bytes of a result

	besideDuckDB = 256 << 20 // bytes of memory that a worker needs at least beside DuckDB's: its program, Go, messages
)

// Crashed is the error of a statement that ended the worker which ran it alone.
type Crashed struct{ Refused bool }

// Error says what to do.
func (c *Crashed) Error() string {
	if c.Refused {
		return "safe: the statement crashed DuckDB twice, and is not run again; ask in another way"
	}
	return "safe: the statement crashed DuckDB; ask in another way"
}

var errClosed = errors.New("safe: the store is closed")

func newBox(spill *store.Spill, bounds Safe, handle sandbox.Handler, renew func()) (*box, error) {
	b := &box{
		handle: handle, renew: renew, bounds: bounds, folder: spill.Folder, drop: func() {},
		turns: semaphore.NewWeighted(mostAtOnce), crashes: map[[32]byte]int{},
	}
	if err := os.MkdirAll(b.folder, 0o700); err != nil {
		var scratchErr error
		if b.folder, b.drop, scratchErr = store.Scratch("safe"); scratchErr != nil {
			return nil, errors.Join(err, scratchErr)
		}
	}
	return b, nil
}

func (b *box) close() error {
	b.mutex.Lock()
	b.closed = true
	w := b.now
	b.mutex.Unlock()
	var err error
	if w != nil {
		err = w.Close()
	}
	b.drop()
	return err
}

// hire gives the worker, or starts one.
func (b *box) hire(ctx context.Context) (*hired, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.closed {
		return nil, errClosed
	}
	if w := b.now; w != nil && w.Ended() == nil && !w.retired.Load() {
		return w, nil
	}
	p, err := sandbox.Start(context.WithoutCancel(ctx), sandbox.Options{
		Folder: b.folder, Memory: b.bounds.Memory + max(b.bounds.Memory*15/100, besideDuckDB), Disk: b.bounds.Disk, Build: build(), Handle: b.handle,
	})
	if err != nil {
		return nil, err
	}
	if b.now != nil {
		go b.now.leave()
	}
	b.now = &hired{Process: p}
	return b.now, nil
}

// retire replaces a worker that met its bound of memory, because DuckDB keeps what a
// statement took.
func (b *box) retire(w *hired) {
	if w.retired.CompareAndSwap(false, true) {
		go b.renew()
	}
}

// leave ends a replaced worker after its last call and its last row.
func (w *hired) leave() {
	for w.Ended() == nil && w.calls.Load()+w.answers.Load() > 0 {
		time.Sleep(100 * time.Millisecond)
	}
	_ = w.Close()
}

// do makes a call of ours, and waits for its end.
func (w *hired) do(ctx context.Context, method string, in any, body []byte) error {
	call := w.Go(method, in, body)
	select {
	case <-call.Done():
	case <-ctx.Done():
		call.Cancel()
		<-call.Done()
	}
	_, err := call.Reply(nil)
	return cmp.Or(ctx.Err(), err)
}

// question is a call that has DuckDB read a stranger's text.
type question struct {
	method string
	in     any
	text   string
	time   time.Duration // how long it may take
	lacks  func() bool   // says, of the reply, that DuckDB met its bound of memory
}

// ask makes a call in a worker that ready gives. If other statements end the worker,
// ask makes the call again, in the next one.
func (b *box) ask(ctx context.Context, q question, ready func(context.Context) (*hired, error), out any) (w *hired, body []byte, err error) {
	key := sha256.Sum256([]byte(q.text))
	turns := int64(1)
	for run := 0; run < mostRuns; run++ {
		if b.count(key, 0) >= mostCrashes {
			return nil, nil, &Crashed{Refused: true}
		}
		if w, err = ready(ctx); err != nil {
			return nil, nil, err
		}
		if err := b.turns.Acquire(ctx, turns); err != nil {
			return nil, nil, ctx.Err()
		}
		if w.retired.Load() {
			b.turns.Release(turns)
			run--
			continue
		}
		body, o, err := b.once(ctx, w, q, turns, out)
		var ended *sandbox.Ended
		switch {
		case err == nil && q.lacks() && turns == 1 && !o.alone:
			turns = mostAtOnce // another statement may hold the memory
		case !errors.As(err, &ended):
			return w, body, err
		case o.late:
			return nil, nil, b.bounds.late(q.time)
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case ended.Cause == sandbox.Killed && b.isClosed():
			return nil, nil, errClosed
		case ended.Cause == sandbox.Late, ended.Cause == sandbox.Killed:
		case w.calls.Load() > 1, ended.Cause == sandbox.Memory && turns == 1 && w.began.Load() > 1:
			turns = mostAtOnce // another statement may be to blame, or one of before that left too little memory
		case ended.Cause == sandbox.Memory:
			return nil, nil, b.bounds.outOfMemory()
		default:
			return nil, nil, &Crashed{Refused: b.count(key, 1) > mostCrashes}
		}
	}
	return nil, nil, fmt.Errorf("safe: other statements ended the worker %d times; ask again", mostRuns)
}

func (b *box) isClosed() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.closed
}

// count counts the crashes of a text.
func (b *box) count(key [32]byte, more int) int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if more > 0 {
		b.crashes[key] += more
	}
	return b.crashes[key]
}

// wait waits for a call's end, and kills the worker if the call takes a second more
// than its time. If the client leaves, the call is cancelled and the error is the
// context's; left is called when the call has ended nevertheless.
func (w *hired) wait(ctx context.Context, call *sandbox.Pending, most time.Duration, left func()) (late bool, err error) {
	deadline := time.Now().Add(most)
	timer := time.NewTimer(most + grace)
	defer timer.Stop()
	select {
	case <-call.Done():
	case <-timer.C:
		late = true
		w.Kill(sandbox.Late)
		<-call.Done()
	case <-ctx.Done():
		call.Cancel()
		go func() {
			_, _ = w.wait(context.WithoutCancel(ctx), call, time.Until(deadline), nil)
			left()
		}()
		return false, ctx.Err()
	}
	return late, nil
}

// outcome is how a call went.
type outcome struct {
	late  bool // the worker was killed for it
	alone bool // the worker ran no other call, before or beside it
}

// once makes a call and waits: for its reply, for a second more than it may take,
// and for the client. A call whose client left keeps its turn until it ends.
func (b *box) once(ctx context.Context, w *hired, q question, turns int64, out any) (body []byte, o outcome, err error) {
	w.calls.Add(1)
	w.began.Add(1)
	call := w.Go(q.method, q.in, nil)
	end := func() {
		if w.Ended() == nil {
			w.calls.Add(-1)
		}
		b.turns.Release(turns)
	}
	if o.late, err = w.wait(ctx, call, q.time, end); err != nil {
		return nil, o, err
	}
	defer end() // after a worker without memory has been retired
	o.alone = w.began.Load() == 1
	body, err = call.Reply(out)
	if err == nil && q.lacks() {
		b.retire(w)
	}
	return body, o, err
}
