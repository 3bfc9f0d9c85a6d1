package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve answers on a pair of streams, a message a line, until the input ends or
// the context does. What was asked before the input's end is answered, if that
// takes no longer than grace.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	err := s.sdk.Run(ctx, stream{&sdk.IOTransport{Reader: in, Writer: out}})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// grace is how long an ended input waits for answers. A client that ends by
// closing it doesn't want to wait for a long statement.
const grace = 10 * time.Second

// stream is a transport whose input ends when all is answered.
type stream struct{ sdk.Transport }

// Connect opens the transport.
func (s stream) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := s.Transport.Connect(ctx)
	return &answered{Connection: c, done: make(chan struct{}, 1)}, err
}

// answered counts the requests without an answer.
type answered struct {
	sdk.Connection
	mutex   sync.Mutex
	pending int
	done    chan struct{} // an answer went out
}

// Read gives the next message. The error of the input's end comes when all
// requests are answered, or grace is over.
func (a *answered) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := a.Connection.Read(ctx)
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
		default: // who waits looks at the number
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
