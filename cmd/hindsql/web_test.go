package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"hindsql/internal/posix"
)

// webServed runs hindsql web until stop, and returns the announced address.
func webServed(t *testing.T, e environment) (address string, told *lines, stop func() int) {
	t.Helper()
	told, written := &lines{}, &lines{}
	e.stderr, e.stdout = told, written
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() { ended <- execute(ctx, e) }()
	stop = sync.OnceValue(func() int { cancel(); return <-ended })
	t.Cleanup(func() { stop() })
	form := regexp.MustCompile(`^http://127\.0\.0\.1:\d+/\?token=\w{20,}\n`)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if m := form.FindString(written.String()); m != "" {
			return strings.TrimSpace(m), told, stop
		}
		select {
		case code := <-ended:
			ended <- code
			t.Fatalf("exit code %d: %s", code, told)
		default:
		}
	}
	t.Fatalf("no address: %q, %s", written, told)
	return "", nil, nil
}

// TestWebServes: the announced address lets a browser in, and Ctrl-C ends the server,
// even with open pages.
func TestWebServes(t *testing.T) {
	t.Parallel()
	e, _, _ := onSample(t, "web", "--port", "0")
	address, told, stop := webServed(t, e)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	answer, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(page), "At a glance") || strings.Contains(answer.Request.URL.String(), "token") {
		t.Errorf("%d %s %v: %.500s", answer.StatusCode, answer.Request.URL, err, page)
	}
	open, err := browser.Get(strings.Split(address, "?")[0] + "live")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Body.Close()
	if code := stop(); code != exitOK {
		t.Errorf("exit code %d: %s", code, told)
	}
	if !strings.Contains(told.String(), "Ctrl-C ends it") || strings.Contains(told.String(), "token=") {
		t.Errorf("told %s", told)
	}
}

// TestWebPortTaken: if another program already has the port, the error says so. Two
// servers on one port are the most common mistake.
func TestWebPortTaken(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	e, stdout, stderr := onSample(t, "web", "--port", port)
	if code := execute(context.Background(), e); code != exitFailed || !strings.Contains(stderr.String(), "--port "+port+": is taken") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

// TestWebOpens: the browser gets a file readable only by the user, and no token in its
// arguments.
func TestWebOpens(t *testing.T) {
	t.Parallel()
	posix.Only(t, "the browser is a shell script")
	e, _, _ := onSample(t, "web", "--port", "0", "--open")
	folder := t.TempDir()
	script, log := filepath.Join(folder, "browser"), filepath.Join(folder, "log")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$@\" > "+log+".new && mv "+log+".new "+log+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	given := e.getenv
	e.getenv = func(name string) string {
		switch name {
		case "BROWSER":
			return script
		case "XDG_RUNTIME_DIR":
			return folder
		}
		return given(name)
	}
	address, told, stop := webServed(t, e)
	var text []byte
	for deadline := time.Now().Add(20 * time.Second); text == nil && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, _ = os.ReadFile(log)
	}
	path := strings.TrimPrefix(strings.TrimSpace(string(text)), "file://")
	if path == "" || strings.Contains(string(text), "token") {
		t.Fatalf("the browser got %q: %s", text, told)
	}
	posix.Mode(t, path, 0o600)
	if page, err := os.ReadFile(path); err != nil || !strings.Contains(string(page), address) {
		t.Errorf("%v: %s", err, page)
	}
	stop()
	if _, err := os.Stat(path); err == nil {
		t.Error("the file stays")
	}
}
