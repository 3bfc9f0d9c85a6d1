package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// TestServe speaks to the streams as an old client does, a message a line. The server
// ends with the input.
func TestServe(t *testing.T) {
	whole.Test(t, "starts processes, 0.7 s of processor time")
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

// TestMalformedLines: a line that isn't a message gets an error, and the calls before and
// after the line get their answers.
func TestMalformedLines(t *testing.T) {
	t.Parallel()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error)
	s := sampleHome(t).server()
	go func() { ended <- s.Serve(context.Background(), in, out) }()
	answers := make(chan string, 100)
	go func() {
		lines := bufio.NewReader(fromServer)
		for {
			text, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			answers <- text
		}
	}()
	send := func(text string) {
		_, err := io.WriteString(toServer, text)
		must(t, err)
	}
	want := func(line, id string, code int) {
		t.Helper()
		var answer struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		text := <-answers
		must(t, json.Unmarshal([]byte(text), &answer))
		if string(answer.ID) != id || answer.Error.Code != code {
			t.Errorf("%.60q: %s", line, text)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n")
	want("initialize", "1", 0)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n\n \r\n")
	slow := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT 40 + 2 AS n"}}}`
	s.Hold(func() { // the call is in flight meanwhile
		send(slow + "\n")
		for line, c := range map[string]struct {
			id   string
			code int
		}{
			"{": {"null", -32700}, "\x00\x00": {"null", -32700}, "\xff\xfe{}": {"null", -32700}, strings.Repeat("[", 200_000): {"null", -32700},
			"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"\xff\"}": {"null", -32700},
			"[]": {"null", -32600}, "1": {"null", -32600}, "{}": {"null", -32600}, "null": {"null", -32600},
			`{"jsonrpc":"1.0","id":901,"method":"ping"}`:   {"901", -32600},
			`{"jsonrpc":"1.0","id":2,"result":{}}`:         {"null", -32600},
			`{"jsonrpc":"2.0","id":true,"method":"ping"}`:  {"null", -32600},
			`{"jsonrpc":"2.0","id":{},"method":"ping"}`:    {"null", -32600},
			`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`: {"null", -32600},
			`{"jsonrpc":"2.0","id":"a","method":7}`:        {`"a"`, -32600},
			`{"jsonrpc":"2.0","id":4,"method":"ping","params":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2001): {"4", -32600},
			strings.Repeat("x", 17<<20):                         {"null", -32600},
			`[1,{"jsonrpc":"2.0","id":"b","method":"nothing"}]`: {"null", -32600},
		} {
			send(line + "\n")
			want(line, c.id, c.code)
			if line[0] == '[' && strings.HasPrefix(line, "[1") {
				want(line, `"b"`, -32601)
			}
			send(`{"jsonrpc":"2.0","id":5,"method":"ping"}` + "\n")
			want(line, "5", 0)
		}
	})
	want(slow, "2", 0)
	send("{") // without a line's end
	must(t, toServer.Close())
	want("{", "null", -32700)
	must(t, <-ended)
}
