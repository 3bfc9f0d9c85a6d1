package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Bounds of a worker's calls that run in the parent at the same time: their number and
// bytes. A real worker waits for replies long before these bounds. A worker that
// exceeds a bound is ended.
const (
	mostCalls = 1024
	mostBytes = 4 * longestFrame
)

// Peer is the other end of the pipe. Several goroutines may call its methods at once.
type Peer struct {
	handle Handler
	strict bool            // calls from the other end have bounds
	ctx    context.Context // for calls from the other end; ends with the pipe
	end    context.CancelFunc

	mutex   sync.Mutex
	more    sync.Cond                     // signals frames to write, or the end
	queue   []frame                       // frames to write, in order
	last    uint64                        // id of the last call
	pending map[uint64]*Pending           // calls to the other end, by id
	serving map[uint64]context.CancelFunc // calls from the other end, by id
	bytes   int                           // of the calls in serving
	over    error                         // reason why no more replies will come
}

func newPeer(handle Handler, strict bool) *Peer {
	p := &Peer{handle: handle, strict: strict, pending: map[uint64]*Pending{}, serving: map[uint64]context.CancelFunc{}}
	p.more.L = &p.mutex
	p.ctx, p.end = context.WithCancel(context.Background())
	return p
}

// Pending is a call without a reply yet.
type Pending struct {
	peer *Peer
	id   uint64
	done chan struct{}

	value json.RawMessage
	body  []byte
	err   error
}

// Go starts a call and returns at once, even before the call is written. So body must
// stay unchanged until the reply. Calls are sent in the order of Go, and run
// concurrently.
func (p *Peer) Go(method string, in any, body []byte) *Pending {
	q := &Pending{peer: p, done: make(chan struct{})}
	value, err := json.Marshal(in)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err == nil {
		err = p.over
	}
	if err != nil {
		q.err = err
		close(q.done)
		return q
	}
	p.last++
	q.id = p.last
	p.pending[q.id] = q
	p.send(frame{head{Kind: kindCall, ID: q.id, Method: method, Value: value}, body})
	return q
}

// Done returns a channel that closes when Reply can return.
func (q *Pending) Done() <-chan struct{} { return q.done }

// Cancel ends the context of the call's handler. Reply still waits for the reply.
func (q *Pending) Cancel() {
	q.peer.mutex.Lock()
	defer q.peer.mutex.Unlock()
	if q.peer.pending[q.id] == q {
		q.peer.send(frame{head: head{Kind: kindCancel, ID: q.id}})
	}
}

// Reply waits for the reply and reads its value into out, unless out is nil. The error
// has the text of the handler's error. It is an *Ended if the worker ended before the
// reply.
func (q *Pending) Reply(out any) (body []byte, err error) {
	<-q.done
	if q.err != nil {
		return nil, q.err
	}
	if out != nil && q.value != nil {
		if err := json.Unmarshal(q.value, out); err != nil {
			return nil, fmt.Errorf("reply: %w", err)
		}
	}
	return q.body, nil
}

// send queues a frame. The caller holds the mutex. The writer takes the whole queue, so
// no caller waits for a full pipe.
func (p *Peer) send(f frame) {
	if p.over == nil {
		p.queue = append(p.queue, f)
		p.more.Signal()
	}
}

// write writes queued frames until a write fails, or the peer is over.
func (p *Peer) write(w io.Writer) error {
	for {
		batch := p.nextBatch()
		if batch == nil {
			return nil
		}
		for i := range batch {
			if err := batch[i].write(w); err != nil {
				return err
			}
			batch[i] = frame{} // releases the frame's body
		}
	}
}

// nextBatch waits for frames to write, and takes all of them. It returns nil once the
// peer is over.
func (p *Peer) nextBatch() []frame {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for len(p.queue) == 0 && p.over == nil {
		p.more.Wait()
	}
	batch := p.queue
	p.queue = nil
	return batch
}

// read handles incoming frames until reading fails, and returns the error.
func (p *Peer) read(in *frames) error {
	for {
		f, err := in.next()
		if err != nil {
			return err
		}
		switch f.Kind {
		case kindCall:
			err = p.serve(&f)
		case kindReply:
			p.reply(&f)
		case kindCancel:
			p.cancel(f.ID)
		default:
			err = fmt.Errorf("message of kind %q", f.Kind)
		}
		if err != nil {
			return err
		}
	}
}

// serve starts a goroutine that answers a call.
func (p *Peer) serve(f *frame) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	size := len(f.body) + len(f.Value)
	if p.strict && (len(p.serving) >= mostCalls || p.bytes+size > mostBytes) || p.serving[f.ID] != nil {
		return fmt.Errorf("call %d while %d run, of %d bytes", f.ID, len(p.serving), p.bytes)
	}
	p.bytes += size
	ctx, cancel := context.WithCancel(p.ctx)
	p.serving[f.ID] = cancel
	call := &Call{Method: f.Method, In: f.Value, Body: f.body, Peer: p}
	id := f.ID
	go func() {
		defer cancel()
		answer := p.answer(ctx, call)
		answer.Kind, answer.ID = kindReply, id
		p.mutex.Lock()
		defer p.mutex.Unlock()
		delete(p.serving, id)
		p.bytes -= size
		p.send(answer)
	}()
	return nil
}

// answer returns the handler's reply. A panic becomes the call's error, because a
// worker's bytes may have caused the panic.
func (p *Peer) answer(ctx context.Context, c *Call) (f frame) {
	fail := func(text string) { f = frame{head: head{Err: &text}} }
	defer func() {
		if r := recover(); r != nil {
			fail(fmt.Sprintf("%s: panic: %v", c.Method, r))
		}
	}()
	out, body, err := p.handle(ctx, c)
	if err != nil {
		fail(err.Error())
		return f
	}
	if f.body = body; out != nil {
		if f.Value, err = json.Marshal(out); err != nil {
			fail(fmt.Sprintf("%s: %v", c.Method, err))
		}
	}
	return f
}

// reply delivers a reply to its pending call. It ignores a reply with an unknown id.
func (p *Peer) reply(f *frame) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	q := p.pending[f.ID]
	if q == nil {
		return
	}
	delete(p.pending, f.ID)
	if q.value, q.body = f.Value, f.body; f.Err != nil {
		q.err = errors.New(*f.Err)
	}
	close(q.done)
}

func (p *Peer) cancel(id uint64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if cancel := p.serving[id]; cancel != nil {
		cancel()
	}
}

// finish ends all calls. Calls to the other end fail with why.
func (p *Peer) finish(why error) {
	p.end()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.over = why
	for _, q := range p.pending {
		q.err = why
		close(q.done)
	}
	p.pending, p.queue = map[uint64]*Pending{}, nil
	p.more.Broadcast()
}
