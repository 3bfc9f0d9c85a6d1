//go:build linux

package platforms

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// always is a time that has all of the sample's rows in it.
var always = []string{"since=2020-01-01", "until=2030-01-01"}

// report: a report has the same bytes on both platforms.
func (w *world) report(t *testing.T) {
	here, there := w.linux.user(t, ""), w.windows.user(t, "")
	for _, format := range []string{"text", "json"} {
		args := append([]string{"--sample", "report", "run", "weekly", "--format", format}, always...)
		want, got := here.run(t, args...), there.run(t, args...)
		if len(want) < 1000 || got != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, got, want)
		}
	}
}

// web: pages have as many rows on both platforms.
func (w *world) web(t *testing.T) {
	pages := []string{"/", "/sessions", "/search?q=test", "/queries", "/query/sessions", "/refusals"}
	want := w.linux.user(t, "").pages(t, pages)
	got := w.windows.user(t, "").pages(t, pages)
	for i, page := range pages {
		t.Logf("%-24s %v", page, got[i])
		if got[i] != want[i] || got[i].status != http.StatusOK {
			t.Errorf("%s: %v, want %v", page, got[i], want[i])
		}
	}
	for _, i := range []int{1, 4, 5} {
		if got[i].rows < 10 {
			t.Errorf("%s has %d rows", pages[i], got[i].rows)
		}
	}
}

// page is what is counted of a web page.
type page struct{ status, rows, links int }

// pages serves the sample, asks for pages, and ends the server.
func (u *user) pages(t *testing.T, paths []string) (list []page) {
	t.Helper()
	c := u.command(t.Context(), t, "--sample", "web", "--port", "0")
	_, out := piped(t, c)
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatalf("%s: no address: %v", u.name, err)
	}
	address, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: patience}
	get := func(address string) page {
		answer, err := browser.Get(address)
		if err != nil {
			t.Fatalf("%s: %v", u.name, err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatalf("%s: %v", u.name, err)
		}
		return page{answer.StatusCode, strings.Count(string(text), "<tr"), strings.Count(string(text), "<a ")}
	}
	get(address.String())
	for _, path := range paths {
		list = append(list, get(address.Scheme+"://"+address.Host+path))
	}
	return list
}

// changing matches what differs from run to run: the random word by which an answer
// tells rows from hindsql's own words, and the time of the sync.
var changing = regexp.MustCompile(`recorded-[0-9a-f]{16}|"(fence|synced_at)":"[^"]*"`)

// mcp: an agent gets the same tools and rows on both platforms.
func (w *world) mcp(t *testing.T) {
	want, got := w.linux.user(t, "").converse(t), w.windows.user(t, "").converse(t)
	for i, text := range got {
		t.Logf("%.200s", text)
		if text, want := changing.ReplaceAllString(text, ""), changing.ReplaceAllString(want[i], ""); text != want {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
}

// requests are the calls of a client. The query runs in a process of its own.
var requests = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT agent, count(*) AS sessions FROM sessions GROUP BY ALL ORDER BY ALL"}}}`,
}

// converse sends the requests to hindsql mcp, and returns the answers.
func (u *user) converse(t *testing.T) (answers []string) {
	t.Helper()
	c := u.command(t.Context(), t, "--sample", "mcp", "--all")
	in, lines := piped(t, c)
	slow := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	defer slow.Stop()
	for i, request := range requests {
		if _, err := io.WriteString(in, request+"\n"); err != nil {
			t.Fatalf("%s: %v", u.name, err)
		}
		if i == 0 {
			defer func() { _ = c.Wait() }()
			defer in.Close()
		}
		text, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %s: %v", u.name, request, err)
		}
		var reply struct {
			Result json.RawMessage
			Error  any
		}
		if err := json.Unmarshal([]byte(text), &reply); err != nil || reply.Error != nil || strings.Contains(text, `"isError":true`) {
			t.Errorf("%s: %s: %s", u.name, request, text)
		}
		answers = append(answers, string(reply.Result))
		if i == 0 {
			_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		}
	}
	return answers
}
