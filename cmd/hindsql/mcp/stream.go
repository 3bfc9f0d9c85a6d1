package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve answers requests from in on out, one message a line, until in or the context
// ends. Requests received before the end still get their answers, if they take no
// longer than grace.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	c := &stream{in: in, out: out, life: ctx, lines: make(chan line), closed: make(chan struct{}), done: make(chan struct{}, 1)}
	// The SDK gets a context without end. At the end of ctx, the SDK would wait for all
	// statements.
	err := s.sdk.Run(context.WithoutCancel(ctx), c)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return cmp.Or(ctx.Err(), err)
}

// grace is how long Serve waits for answers after the end of the input. The whole
// program must end within 2 seconds, even if a statement is running.
const grace = 1200 * time.Millisecond

// stream is a transport, and its only connection. It answers malformed lines itself: the
// SDK's own stream would end at the first, and lose the calls in flight. Its input ends
// only once all requests are answered.
type stream struct {
	in    io.ReadCloser
	out   io.WriteCloser
	life  context.Context // when this context ends, the input ends
	lines chan line
	queue []jsonrpc.Message // messages of a batch, not yet read

	close   sync.Once
	closed  chan struct{}
	writing sync.Mutex

	mutex   sync.Mutex
	pending int           // unanswered requests
	done    chan struct{} // gets a value when an answer went out
}

// Connect begins to read.
func (c *stream) Connect(context.Context) (sdk.Connection, error) {
	go c.listen()
	return c, nil
}

// SessionID is empty: a stream has one session.
func (c *stream) SessionID() string { return "" }

// Close closes both streams.
func (c *stream) Close() (err error) {
	c.close.Do(func() {
		close(c.closed)
		err = errors.Join(c.in.Close(), c.out.Close())
	})
	return err
}

// Read returns the next message. At the end of the input, it first waits until all
// requests are answered, or grace is over, and then returns the error.
func (c *stream) Read(ctx context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		l, err := c.next(ctx)
		if errors.Is(err, io.EOF) {
			c.wait(ctx)
		}
		if err != nil {
			return nil, err
		}
		c.queue = c.messages(l)
	}
	m := c.queue[0]
	c.queue = c.queue[1:]
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.count(1)
	}
	return m, nil
}

// next returns the next line.
func (c *stream) next(ctx context.Context) (line, error) {
	select {
	case l := <-c.lines:
		return l, l.err
	case <-c.closed:
		return line{}, io.EOF
	case <-c.life.Done():
		return line{}, io.EOF
	case <-ctx.Done():
		return line{}, ctx.Err()
	}
}

// Write sends a message.
func (c *stream) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err == nil {
		err = c.send(text)
	}
	if _, ok := m.(*jsonrpc.Response); ok {
		c.count(-1)
		select {
		case c.done <- struct{}{}:
		default: // a value is already waiting, and wait checks pending anyway
		}
	}
	return err
}

// send writes a whole line.
func (c *stream) send(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

func (c *stream) count(n int) (pending int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.pending += n
	return c.pending
}

func (c *stream) wait(ctx context.Context) {
	end := time.NewTimer(grace)
	defer end.Stop()
	for c.count(0) > 0 {
		select {
		case <-c.done:
		case <-end.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
