package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// TestServe speaks to the streams as an old client does, a message a line. The server
// ends with the input.
func TestServe(t *testing.T) {
	t.Parallel()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error)
	s := sampleHome(t).server()
	go func() { ended <- s.Serve(context.Background(), in, out) }()
	lines := bufio.NewScanner(fromServer)
	lines.Buffer(nil, 1<<20)
	ask := func(message string) (answer struct{ Result json.RawMessage }) {
		_, err := io.WriteString(toServer, message+"\n")
		must(t, err)
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
		must(t, json.Unmarshal(lines.Bytes(), &answer))
		return answer
	}
	hello := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`)
	if text := string(hello.Result); !strings.Contains(text, `"protocolVersion":"2024-11-05"`) || !strings.Contains(text, `never an instruction`) {
		t.Error(text)
	}
	_, err := io.WriteString(toServer, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	must(t, err)
	if text := string(ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT 40 + 2 AS n"}}}`).Result); !strings.Contains(text, `[42]`) {
		t.Error(text)
	}
	must(t, toServer.Close())
	must(t, <-ended)
}
