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
	// The SDK gets a context without end. At the end of ctx, the SDK would wait for all
	// statements.
	err := s.sdk.Run(context.WithoutCancel(ctx), stream{&sdk.IOTransport{Reader: in, Writer: out}, ctx})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return cmp.Or(ctx.Err(), err)
}

// grace is how long Serve waits for answers after the end of the input. The whole
// program must end within 2 seconds, even if a statement is running.
const grace = 1200 * time.Millisecond

// stream is a transport whose input ends only once all requests are answered.
type stream struct {
	sdk.Transport
	life context.Context // when this context ends, the input ends
}

// Connect opens the transport.
func (s stream) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := s.Transport.Connect(ctx)
	return &answered{Connection: c, life: s.life, done: make(chan struct{}, 1)}, err
}

// answered is a connection that counts the unanswered requests.
type answered struct {
	sdk.Connection
	life    context.Context
	mutex   sync.Mutex
	pending int
	done    chan struct{} // gets a value when an answer went out
}

// Read returns the next message. At the end of the input, it first waits until all
// requests are answered, or grace is over, and then returns the error.
func (a *answered) Read(ctx context.Context) (jsonrpc.Message, error) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(a.life, stop)()
	m, err := a.Connection.Read(reading)
	if err != nil && a.life.Err() != nil {
		err = io.EOF
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		a.count(1)
	}
	if errors.Is(err, io.EOF) {
		a.wait(ctx)
	}
	return m, err
}

// Write sends a message.
func (a *answered) Write(ctx context.Context, m jsonrpc.Message) error {
	err := a.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		a.count(-1)
		select {
		case a.done <- struct{}{}:
		default: // a value is already waiting, and wait checks pending anyway
		}
	}
	return err
}

func (a *answered) count(n int) (pending int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pending += n
	return a.pending
}

func (a *answered) wait(ctx context.Context) {
	end := time.NewTimer(grace)
	defer end.Stop()
	for a.count(0) > 0 {
		select {
		case <-a.done:
		case <-end.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
