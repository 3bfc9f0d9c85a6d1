package web_test

import (
	"cmp"
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

// testFolder is removed when the tests end.
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

// home is a folder with logs, and the settings of a server on the logs.
type home struct {
	folder string // folder of the logs
	own    string // folder of the store, saved queries and reports
	safe   engine.Safe
	every  time.Duration // interval of looks at the logs
	name   string        // NAME in NAME.localhost

	timezone string // empty means UTC
}

// sampleHome returns a home with the sample's logs. A test may change them.
func sampleHome(t testing.TB) *home {
	t.Helper()
	folder, err := sample.Write(t.TempDir())
	must(t, err)
	return &home{folder: folder, own: t.TempDir()}
}

func (h *home) config() engine.Config {
	host := readers.Host{Home: h.folder, OS: "linux", Getenv: func(string) string { return "" }}
	return engine.Config{Store: filepath.Join(h.own, "store.duckdb"), Readers: all.Readers(), Hostname: "here", Host: host, Timezone: cmp.Or(h.timezone, "UTC")}
}

// server returns a server on the home.
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
		Own: ask.Own{Folder: filepath.Join(h.own, "queries"), Commands: []string{"doctor"}},
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

// sampleServer is a server on the sample, for all tests that change nothing.
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

// site is a server at a port of its own, and a browser with its cookie.
type site struct {
	testing.TB
	address string // host:port
	browser *http.Client
}

// saysWho sends requests with the header of today's browsers for the server's own
// pages.
type saysWho struct{ http.RoundTripper }

func (s saysWho) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Sec-Fetch-Site") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return s.RoundTripper.RoundTrip(r)
}

// CloseIdleConnections lets clients close the transport's idle connections.
func (s saysWho) CloseIdleConnections() {
	if c, ok := s.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// open starts a server until the test ends.
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

// onSample returns a browser on the sample's pages.
func onSample(t testing.TB) *site { return open(t, sampleServer()) }

// get returns the response at a path.
func (o *site) get(path string) (status int, text string) {
	o.Helper()
	answer, err := o.browser.Get("http://" + o.address + path)
	must(o, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(o, err)
	return answer.StatusCode, string(body)
}

// stream returns the events from an endless response, until the test ends.
func (o *site) stream(path string) <-chan string {
	o.Helper()
	ctx, stop := context.WithCancel(context.Background())
	o.Cleanup(stop)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.address+path, nil)
	must(o, err)
	answer, err := o.browser.Do(r) //nolint:bodyclose // the goroutine closes it
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

// shows checks that a page has the texts.
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

// fails checks that a page has an error's status and the texts.
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

// TestLive checks that an open page is notified when a log grows, and not before.
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
