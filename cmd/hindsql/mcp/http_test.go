package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/loopback"
	"hindsql/cmd/hindsql/mcp"
	"hindsql/internal/whole"
)

const testToken = "made-up-token-of-a-test"

// overHTTP makes a server answer at a free port, until the test ends.
func overHTTP(t *testing.T, s *mcp.Server) (address string) {
	t.Helper()
	l, err := loopback.Listen("127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeHTTP(ctx, l, testToken) }()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
	})
	return l.Addr().String()
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t *testing.T, address, token string) (*client, error) {
	t.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: "http://" + address + mcp.Path, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), transport, nil)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = session.Close() })
	return &client{session, t}, nil
}

func TestOverHTTP(t *testing.T) {
	t.Parallel()
	address := overHTTP(t, sampleServer())
	c, err := dial(t, address, testToken)
	must(t, err)
	a := c.query("SELECT count(*) AS n FROM sessions")
	b := onSample(t).query("SELECT count(*) AS n FROM sessions")
	if fmt.Sprint(a.Rows) != fmt.Sprint(b.Rows) || len(a.Rows) != 1 {
		t.Errorf("%v, and without HTTP %v", a.Rows, b.Rows)
	}
	for _, token := range []string{"", "made-up-token-of-a-tesT", testToken + "x"} {
		if _, err := dial(t, address, token); err == nil {
			t.Errorf("token %q is let in", token)
		}
	}
}

// TestDoorOverHTTP checks which requests the server lets in, and the status of the
// others.
func TestDoorOverHTTP(t *testing.T) {
	t.Parallel()
	address := overHTTP(t, sampleServer())
	_, port, err := net.SplitHostPort(address)
	must(t, err)
	type header = map[string]string
	right := "Bearer " + testToken
	for what, test := range map[string]struct {
		header header
		want   int
	}{
		"right":                             {header{"Authorization": right}, 200},
		"small letters":                     {header{"Authorization": "bearer " + testToken}, 200},
		"its own origin":                    {header{"Authorization": right, "Origin": "http://" + address, "Sec-Fetch-Site": "same-origin"}, 200},
		"by name":                           {header{"Authorization": right, "Host": "localhost:" + port}, 200},
		"by its new number":                 {header{"Authorization": right, "Host": "[::1]:" + port}, 200},
		"no token":                          {header{}, 401},
		"an empty token":                    {header{"Authorization": "Bearer "}, 401},
		"another scheme":                    {header{"Authorization": "Basic " + testToken}, 401},
		"a wrong token":                     {header{"Authorization": "Bearer x"}, 401},
		"a name that was made to lead here": {header{"Authorization": right, "Host": "evil.example:" + port}, 403},
		"the same, with its page":           {header{"Authorization": right, "Host": "evil.example:" + port, "Origin": "http://evil.example:" + port}, 403},
		"another port":                      {header{"Authorization": right, "Host": "127.0.0.1:1"}, 403},
		"no port":                           {header{"Authorization": right, "Host": "127.0.0.1"}, 403},
		"a page":                            {header{"Authorization": right, "Origin": "https://evil.example"}, 403},
		"a page of this machine":            {header{"Authorization": right, "Origin": "http://localhost:3000"}, 403},
		"a file":                            {header{"Authorization": right, "Origin": "null"}, 403},
		"a page, by https":                  {header{"Authorization": right, "Origin": "https://" + address}, 403},
		"a page, by what fetch says":        {header{"Authorization": right, "Sec-Fetch-Site": "cross-site"}, 403},
		"elsewhere":                         {header{"Authorization": right, "path": "/"}, 404},
		"a form":                            {header{"Authorization": right, "Content-Type": "text/plain"}, 415},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			answer, text := post(t, address, test.header, strings.NewReader(ping))
			if answer.StatusCode != test.want {
				t.Errorf("%d, want %d: %s", answer.StatusCode, test.want, text)
			}
			if challenge := answer.Header.Get("WWW-Authenticate"); (test.want == 401) != strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
			if strings.Contains(text, testToken) || answer.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("told too much: %s %v", text, answer.Header)
			}
		})
	}
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// posted is a response without its body.
type posted struct {
	StatusCode int
	Header     http.Header
}

func post(t *testing.T, address string, header map[string]string, body io.Reader) (posted, string) {
	t.Helper()
	path := mcp.Path
	if header["path"] != "" {
		path = header["path"]
	}
	r, err := http.NewRequest(http.MethodPost, "http://"+address+path, body)
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range header {
		if name == "Host" {
			r.Host = value
		} else if name != "path" {
			r.Header.Set(name, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	return posted{answer.StatusCode, answer.Header}, string(text)
}

// TestLargeRequest checks that the server refuses a body larger than a megabyte, and
// answers the next request.
func TestLargeRequest(t *testing.T) {
	t.Parallel()
	address := overHTTP(t, sampleServer())
	header := map[string]string{"Authorization": "Bearer " + testToken}
	if answer, text := post(t, address, header, bytes.NewReader(make([]byte, 2<<20))); answer.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%d: %s", answer.StatusCode, text)
	}
	if answer, text := post(t, address, header, strings.NewReader(ping)); answer.StatusCode != 200 {
		t.Errorf("afterwards: %d: %s", answer.StatusCode, text)
	}
}

// TestClosedRequestEndsItsStatement checks that a closed request's statement ends, in
// both versions of the protocol.
func TestClosedRequestEndsItsStatement(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.1 s of processor time")
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := sampleHome(t).server()
			address := overHTTP(t, s)
			meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`, version)
			if version < "2026" {
				meta = ""
			}
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + meta + `"name":"query","arguments":{"sql":"SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"}}}`
			ctx, hangUp := context.WithCancel(context.Background())
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+mcp.Path, strings.NewReader(body))
			must(t, err)
			for name, value := range map[string]string{"Authorization": "Bearer " + testToken, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"Mcp-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "query"} {
				r.Header.Set(name, value)
			}
			answered := make(chan string, 1)
			go func() {
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					answered <- err.Error()
					return
				}
				defer answer.Body.Close()
				text, err := io.ReadAll(answer.Body)
				answered <- fmt.Sprint(answer.Status, string(text), err)
			}()
			await(t, "it runs", answered, func() bool { return s.Running() > 0 })
			hangUp()
			await(t, "it ended", nil, func() bool { return s.Running() == 0 })
		})
	}
}

// await waits until a condition is true, much shorter than a statement's time limit.
func await(t *testing.T, what string, instead <-chan string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		select {
		case text := <-instead:
			t.Fatalf("%s: not, but %s", what, text)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not yet", what)
		}
	}
}
