package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

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

// line is a line of the input.
type line struct {
	text []byte
	long bool  // the line is longer than mostLine, and text is empty
	err  error // the end of the input
}

// mostLine is the length of the longest line.
const mostLine = sdk.DefaultMaxLineLength

// listen reads lines until the input or the connection ends.
func (c *stream) listen() {
	in := bufio.NewReader(c.in)
	for {
		l := readLine(in)
		if len(l.text) > 0 && l.err != nil { // a last line without an end
			rest := l.err
			l.err = nil
			if !c.sendLine(l) {
				return
			}
			l = line{err: rest}
		}
		if !c.sendLine(l) || l.err != nil {
			return
		}
	}
}

// sendLine passes a line to Read; false if the connection is closed.
func (c *stream) sendLine(l line) bool {
	select {
	case c.lines <- l:
		return true
	case <-c.closed:
		return false
	}
}

func readLine(in *bufio.Reader) (l line) {
	for {
		part, err := in.ReadSlice('\n')
		if l.long = l.long || len(l.text)+len(part) > mostLine; l.long {
			l.text = nil
		} else {
			l.text = append(l.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.err = err
			return l
		}
	}
}

// messages returns the messages of a line: one, or all of a batch. For a text that
// isn't a message it sends an error.
func (c *stream) messages(l line) (list []jsonrpc.Message) {
	text := bytes.TrimSpace(l.text)
	switch {
	case l.long:
		c.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("longer than %d bytes", mostLine))
		return nil
	case len(text) == 0:
		return nil
	case !utf8.Valid(text), !json.Valid(text):
		c.refuse(nil, jsonrpc.CodeParseError, "not JSON; send one message a line")
		return nil
	}
	batch := []json.RawMessage{text}
	if text[0] == '[' {
		_ = json.Unmarshal(text, &batch) // it is valid
	}
	for _, one := range batch {
		m, err := jsonrpc.DecodeMessage(one)
		if err != nil {
			c.refuse(one, jsonrpc.CodeInvalidRequest, "not a message of JSON-RPC 2.0")
			continue
		}
		list = append(list, m)
	}
	if len(batch) == 0 {
		c.refuse(nil, jsonrpc.CodeInvalidRequest, "a batch without messages")
	}
	return list
}

// refuse answers a text that isn't a message. The answer has the id of a request, and
// null if the text has none that could be used.
func (c *stream) refuse(text json.RawMessage, code int64, why string) {
	var asked struct {
		ID     any     `json:"id"`
		Method *string `json:"method"`
	}
	_ = json.Unmarshal(text, &asked)
	var id any
	if _, err := jsonrpc.MakeID(asked.ID); err == nil && asked.Method != nil {
		id = asked.ID
	}
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": jsonrpc.Error{Code: code, Message: why}}) // texts and numbers only
	_ = c.send(answer)                                                                                                      // the SDK's next answer meets the same error
}
