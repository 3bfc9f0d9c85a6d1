package confined

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

// supervisor runs calls in a worker (the process with a DuckDB for SQL of other people), and
// starts a new worker after one ended. All sessions of a safe Store share the worker.
//
// If a statement exceeds its time bound, supervisor kills the worker, and the worker's other
// statements run again. After a crash all statements in flight run again, one at a
// time: a statement that crashes alone is to blame. Lack of memory is treated like a
// crash, because memory runs out in whatever statement asks next.
type supervisor struct {
	pool   *Pool
	folder string // the worker's
	drop   func() // removes the folder

	slots *semaphore.Weighted // a call takes one slot; a call that runs alone takes all slots

	mutex   sync.Mutex // guards the fields below
	now     *worker    // nil if no worker was started
	closed  bool
	crashes map[[32]byte]int // by the hash of a statement's text
}

// worker is a worker process, with the rows it holds, and counters.
type worker struct {
	*sandbox.Process
	heldRows
	current atomic.Pointer[string] // heldRows.mark, for readers that aren't copying
	calls   atomic.Int64           // calls running in the worker's DuckDB; unchanged when the worker ends
	began   atomic.Int64           // calls since the worker started
	answers atomic.Int64           // results that clients still read
	served  atomic.Bool            // the worker held all rows at some time
	retired atomic.Bool            // the worker met its memory bound; the next call gets a new worker
}

// Bounds of a worker, in addition to its statements' bounds.
const (
	allSlots    = 1 << 20     // slots
	mostRuns    = 5           // runs of one statement, if concurrent statements end the worker
	mostCrashes = 2           // crashes of a statement's text, for the life of the process
	grace       = time.Second // from a statement's time bound to the kill of its worker
	mostResult  = 1 << 30     // bytes of a result

	besideDuckDB = 256 << 20 // minimum bytes of a worker's memory beside DuckDB's: for the program, Go, messages
)

// Crashed is the error for a statement that crashed DuckDB when run alone in a worker.
type Crashed struct{ Refused bool }

// Error says what to do.
func (c *Crashed) Error() string {
	if c.Refused {
		return "safe: the statement crashed DuckDB twice, and is not run again; ask in another way"
	}
	return "safe: the statement crashed DuckDB; ask in another way"
}

var errClosed = errors.New("safe: the store is closed")

func newSupervisor(p *Pool) (*supervisor, error) {
	b := &supervisor{pool: p, folder: p.spill.Folder, drop: func() {}, slots: semaphore.NewWeighted(allSlots), crashes: map[[32]byte]int{}}
	if err := os.MkdirAll(b.folder, 0o700); err != nil {
		var scratchErr error
		if b.folder, b.drop, scratchErr = store.Scratch("safe"); scratchErr != nil {
			return nil, errors.Join(err, scratchErr)
		}
	}
	return b, nil
}

func (b *supervisor) close() error {
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

// current returns the running worker, or nil.
func (b *supervisor) current() *worker {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if w := b.now; w != nil && !b.closed && w.Ended() == nil && !w.retired.Load() {
		return w
	}
	return nil
}

// acquire returns the current worker, or starts a new worker.
func (b *supervisor) acquire(ctx context.Context) (*worker, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.closed {
		return nil, errClosed
	}
	if w := b.now; w != nil && w.Ended() == nil && !w.retired.Load() {
		return w, nil
	}
	memory := b.pool.bounds.Memory
	p, err := sandbox.Start(context.WithoutCancel(ctx), sandbox.Options{
		Folder: b.folder, Memory: memory + max(memory*15/100, besideDuckDB), Disk: b.pool.bounds.Disk, Build: build(), Handle: b.pool.reply,
	})
	if err != nil {
		return nil, err
	}
	if b.now != nil {
		go b.now.closeWhenIdle()
	}
	b.now = &worker{Process: p}
	return b.now, nil
}

// retire replaces a worker whose DuckDB reached its memory bound, because DuckDB keeps
// memory after the statement has ended.
func (b *supervisor) retire(w *worker) {
	if w.retired.CompareAndSwap(false, true) {
		go b.pool.renew()
	}
}

// closeWhenIdle closes a replaced worker after its last call and last row.
func (w *worker) closeWhenIdle() {
	for w.Ended() == nil && w.calls.Load()+w.answers.Load() > 0 {
		time.Sleep(100 * time.Millisecond)
	}
	_ = w.Close()
}

// do makes a call of hindsql's own, and waits until the call ends.
func (w *worker) do(ctx context.Context, method string, in any, body []byte) error {
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

// request is a call to the worker with SQL that another person wrote.
type request struct {
	method      string
	in          func(left time.Duration) any
	text        string
	time        time.Duration // bound of the call and of the copying of rows before
	outOfMemory func() bool   // reports whether, by the reply, DuckDB met its memory bound

	spent   time.Duration // time taken by copying rows
	missing columnSet     // columns that the worker lacked for the call
}

// upToDateInTime is [Pool.upToDate], within the request's remaining time.
func (b *supervisor) upToDateInTime(ctx context.Context, q *request) (*worker, error) {
	began := time.Now()
	within, stop := context.WithTimeout(ctx, q.time-q.spent)
	defer stop()
	w, err := b.pool.upToDate(within, q.missing)
	q.spent += time.Since(began)
	if ctx.Err() == nil && (within.Err() != nil || q.spent >= q.time) {
		return nil, b.pool.bounds.timeLimit(q.time)
	}
	return w, err
}

// call makes a call in the worker that holds the current rows. If other statements end the
// worker, call repeats the call in the next worker.
func (b *supervisor) call(ctx context.Context, q *request, out any) (w *worker, body []byte, err error) {
	key := sha256.Sum256([]byte(q.text))
	turns := int64(1)
	for run := 0; run < mostRuns; run++ {
		if b.count(key, 0) >= mostCrashes {
			return nil, nil, &Crashed{Refused: true}
		}
		if w, err = b.upToDateInTime(ctx, q); err != nil {
			return nil, nil, err
		}
		if err := b.slots.Acquire(ctx, turns); err != nil {
			return nil, nil, ctx.Err()
		}
		if w.retired.Load() {
			b.slots.Release(turns)
			run--
			continue
		}
		body, o, err := b.callOnce(ctx, w, q, turns, out)
		var ended *sandbox.Ended
		switch {
		case err == nil && q.outOfMemory() && turns == 1 && !o.alone:
			turns = allSlots // another statement may hold the memory
		case !errors.As(err, &ended):
			return w, body, err
		case o.late:
			return nil, nil, b.pool.bounds.timeLimit(q.time)
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case ended.Cause == sandbox.Killed && b.isClosed():
			return nil, nil, errClosed
		case ended.Cause == sandbox.Late, ended.Cause == sandbox.Killed:
		case w.calls.Load() > 1, ended.Cause == sandbox.Memory && turns == 1 && w.began.Load() > 1:
			turns = allSlots // another statement may be to blame, or an earlier one left too little memory
		case ended.Cause == sandbox.Memory:
			return nil, nil, b.pool.bounds.memoryLimit()
		default:
			return nil, nil, &Crashed{Refused: b.count(key, 1) > mostCrashes}
		}
	}
	return nil, nil, fmt.Errorf("safe: other statements ended the worker %d times; ask again", mostRuns)
}

func (b *supervisor) isClosed() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.closed
}

// count adds more to the number of crashes of a statement's text, and returns the
// number. key is the text's hash.
func (b *supervisor) count(key [32]byte, more int) int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if more > 0 {
		b.crashes[key] += more
	}
	return b.crashes[key]
}

// wait waits until a call ends. If the call takes longer than most and a second, wait
// kills the worker, and late is true. If the client leaves, wait cancels the call and
// returns the context's error at once. It then calls left when the call has ended.
func (w *worker) wait(ctx context.Context, call *sandbox.Pending, most time.Duration, left func()) (late bool, err error) {
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
	late  bool // the worker was killed because the call took too long
	alone bool // the worker ran no other call, before or meanwhile
}

// callOnce makes a call, and waits for its reply, until a second after its time bound, or
// until the client leaves. If the client leaves, the call still occupies its slots (see
// supervisor) until it ends.
func (b *supervisor) callOnce(ctx context.Context, w *worker, q *request, turns int64, out any) (body []byte, o outcome, err error) {
	w.calls.Add(1)
	w.began.Add(1)
	left := q.time - q.spent
	call := w.Go(q.method, q.in(left), nil)
	end := func() {
		if w.Ended() == nil {
			w.calls.Add(-1)
		}
		b.slots.Release(turns)
	}
	if o.late, err = w.wait(ctx, call, left, end); err != nil {
		return nil, o, err
	}
	defer end() // deferred: a worker that ran out of memory is retired first
	o.alone = w.began.Load() == 1
	body, err = call.Reply(out)
	if err == nil && q.outOfMemory() {
		b.retire(w)
	}
	return body, o, err
}
