package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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
			if !c.hand(l) {
				return
			}
			l = line{err: rest}
		}
		if !c.hand(l) || l.err != nil {
			return
		}
	}
}

// hand passes a line to Read; false if the connection is closed.
func (c *stream) hand(l line) bool {
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

// messages returns the messages of a line: one, or those of a batch. It answers what
// isn't a message.
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
