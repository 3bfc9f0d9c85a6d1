package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/web"
	"hindsql/engine"
	"hindsql/queries"
	"hindsql/queries/report"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
)

const testToken = "made-up-token-of-a-test"

// testFolder goes when the tests end.
var testFolder string

func TestMain(m *testing.M) {
	engine.Worker()
	var err error
	if testFolder, err = os.MkdirTemp("", "web"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(testFolder)
	os.Exit(code)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// home is a folder with logs, and what a server on it is.
type home struct {
	folder string // of the logs
	own    string // of the store, saved queries and reports
	safe   engine.Safe
	every  time.Duration // between two looks at the logs
	name   string        // of NAME.localhost
}

// sampleHome is one whose logs a test may change.
func sampleHome(t testing.TB) *home {
	t.Helper()
	folder, err := sample.Write(t.TempDir())
	must(t, err)
	return &home{folder: folder, own: t.TempDir()}
}

func (h *home) config() engine.Config {
	host := readers.Host{Home: h.folder, OS: "linux", Getenv: func(string) string { return "" }}
	return engine.Config{Store: filepath.Join(h.own, "store.duckdb"), Readers: all.Readers(), Hostname: "here", Host: host, Timezone: "UTC"}
}

// server is one that answers from the home.
func (h *home) server() (*web.Server, error) {
	config := h.config()
	saved := func() ([]*queries.Query, error) { return queries.All(filepath.Join(h.own, "queries"), agents()...) }
	source, err := ask.Open(context.Background(), config, saved)
	if err != nil {
		return nil, err
	}
	config.Safe = &h.safe
	return web.New(web.Config{
		Source: source, Safe: config, Version: "test", Home: h.folder, Agents: agents(), Every: h.every, Name: h.name,
		Reports: func() ([]*report.Report, error) {
			list, err := saved()
			if err != nil {
				return nil, err
			}
			return report.All(filepath.Join(h.own, "reports"), list)
		},
	}), nil
}

func agents() (names []string) {
	for _, r := range all.Readers() {
		names = append(names, r.Agent)
	}
	return names
}

// sampleServer answers from the sample, for all tests that change nothing.
var sampleServer = sync.OnceValue(func() *web.Server {
	folder, err := sample.Write(testFolder)
	if err != nil {
		panic(err)
	}
	s, err := (&home{folder: folder, own: testFolder}).server()
	if err != nil {
		panic(err)
	}
	return s
})

// site is a server at a port of its own, and a browser that it let in.
type site struct {
	testing.TB
	address string // host:port
	browser *http.Client
}

// saysWho sends requests as today's browsers do for pages of the server itself.
type saysWho struct{ http.RoundTripper }

func (s saysWho) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Sec-Fetch-Site") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return s.RoundTripper.RoundTrip(r)
}

// CloseIdleConnections has clients close those of the transport.
func (s saysWho) CloseIdleConnections() {
	if c, ok := s.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// open has a server answer until the test ends.
func open(t testing.TB, s *web.Server) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, testToken) }()
	jar, err := cookiejar.New(nil)
	must(t, err)
	o := &site{t, l.Addr().String(), &http.Client{Jar: jar, Transport: saysWho{http.DefaultTransport}}}
	t.Cleanup(func() {
		o.browser.CloseIdleConnections()
		stop()
		must(t, <-ended)
	})
	if status, text := o.get("/?token=" + testToken); status != http.StatusOK {
		t.Fatalf("not let in: %d %s", status, text)
	}
	return o
}

// onSample is a browser on the sample's pages.
func onSample(t testing.TB) *site { return open(t, sampleServer()) }

// get gives what answers at a path.
func (o *site) get(path string) (status int, text string) {
	o.Helper()
	answer, err := o.browser.Get("http://" + o.address + path)
	must(o, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(o, err)
	return answer.StatusCode, string(body)
}

// stream gives what comes from an address that goes on telling, until the test
// ends.
func (o *site) stream(path string) <-chan string {
	o.Helper()
	ctx, stop := context.WithCancel(context.Background())
	o.Cleanup(stop)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.address+path, nil)
	must(o, err)
	answer, err := o.browser.Do(r) //nolint:bodyclose // who reads it closes it
	must(o, err)
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		o.Errorf("%s: %s", path, kind)
	}
	events := make(chan string, 100)
	go func() {
		defer answer.Body.Close()
		buffer := make([]byte, 4096)
		for {
			n, err := answer.Body.Read(buffer)
			if err != nil {
				close(events)
				return
			}
			events <- string(buffer[:n])
		}
	}()
	return events
}

// shows wants a page at a path that holds the texts.
func (o *site) shows(path string, texts ...string) string {
	o.Helper()
	status, page := o.get(path)
	if status != http.StatusOK {
		o.Fatalf("%s: %d: %.2000s", path, status, page)
	}
	for _, text := range texts {
		if !strings.Contains(page, text) {
			o.Errorf("%s: no %q in %.6000s", path, text, page)
		}
	}
	return page
}

// fails wants a page with another status, that holds the texts.
func (o *site) fails(path string, want int, texts ...string) {
	o.Helper()
	status, page := o.get(path)
	if status != want {
		o.Errorf("%s: %d, want %d", path, status, want)
	}
	for _, text := range texts {
		if !strings.Contains(page, text) {
			o.Errorf("%s: no %q in %.6000s", path, text, page)
		}
	}
}

func TestAddressesThatLeadNowhere(t *testing.T) {
	o := onSample(t)
	for _, path := range []string{"/nowhere", "/report/none", "/static/0/none.js", "/static/0/..%2fdoor.go"} {
		o.fails(path, http.StatusNotFound)
	}
}

// TestLive: an open page is told when a log grows, and not before.
func TestLive(t *testing.T) {
	h := sampleHome(t)
	h.every = 20 * time.Millisecond
	s, err := h.server()
	must(t, err)
	o := open(t, s)
	o.shows("/")
	events := o.stream("/live")
	if first := <-events; !strings.HasPrefix(first, "retry:") {
		t.Fatalf("first %q", first)
	}
	select {
	case e := <-events:
		t.Fatalf("nothing changed, and it tells %q", e)
	case <-time.After(10 * h.every):
	}
	path := filepath.Join(h.folder, ".claude", "projects", "-new", "0f5b1c9e-0000-4000-8000-000000000001.jsonl")
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(fmt.Sprintf(`{"type":"user","uuid":"u1","sessionId":"0f5b1c9e-0000-4000-8000-000000000001","cwd":"/new","version":"2.1.23","userType":"external","timestamp":%q,"message":{"role":"user","content":"brand new"}}`+"\n", time.Now().UTC().Format(time.RFC3339))), 0o600))
	select {
	case e := <-events:
		if !strings.Contains(e, "event: change") {
			t.Errorf("told %q", e)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("not told")
	}
}
