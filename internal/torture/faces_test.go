package torture_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// face is a way to send SQL to the program.
type face struct {
	name string
	open func(w *world) *running
}

// faces returns the faces that run strangers' SQL.
func faces() []face {
	return []face{{"mcp", openMCP}, {"mcp --http", func(w *world) *running { return openHTTP(w) }}, {"web", openWeb}, {"--safe", openSafe}}
}

// running is a face that answers. An answer may be a page with an error. An error of
// ask itself means no answer.
type running struct {
	ask    func(ctx context.Context, sql string) (string, error)
	cmd    *exec.Cmd // nil if each question has its own process
	stdin  io.Closer // closing stdin ends the program; nil if unused
	ended  chan struct{}
	told   *told
	begins func(*exec.Cmd) // called with each process; may be nil
}

// told collects a program's output.
type told struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (s *told) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.Write(p)
}

func (s *told) String() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.String()
}

// begin starts a long-running program and ends it with the test.
func (w *world) begin(args ...string) *running {
	w.t.Helper()
	r := &running{cmd: w.command(args...), ended: make(chan struct{}), told: &told{}}
	r.cmd.Stderr = r.told
	w.t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.ended
	})
	return r
}

func (r *running) start(t *testing.T) {
	t.Helper()
	must(t, r.cmd.Start())
	done.add("processes", 1)
	go func() {
		_ = r.cmd.Wait()
		close(r.ended)
	}()
}

// says waits until the program's output matches a pattern and returns the groups.
func (r *running) says(t *testing.T, form string) []string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if m := regexp.MustCompile(form).FindStringSubmatch(r.told.String()); m != nil {
			return m
		}
	}
	t.Fatalf("%v: it never says %s: %s", r.cmd.Args, form, r.told)
	return nil
}

// callOf returns a request to run SQL with the tool query.
func callOf(id int, sql string) []byte {
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{
		"name": "query", "arguments": map[string]any{"sql": sql, "max_chars": 2000},
	}})
	return append(text, '\n')
}

// openMCP starts mcp over stdio. Parallel questions share a pipe.
func openMCP(w *world) *running {
	w.t.Helper()
	r := w.begin("mcp", "--all")
	in, err := r.cmd.StdinPipe()
	must(w.t, err)
	out, err := r.cmd.StdoutPipe()
	must(w.t, err)
	r.stdin = in
	r.start(w.t)
	var mutex sync.Mutex
	next := 1
	waiting := map[int]chan string{}
	send := func(text []byte) error {
		_, err := in.Write(text)
		return err
	}
	must(w.t, send([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"torture","version":"1"}}}`+"\n")))
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); err != nil {
		w.t.Fatalf("mcp: %v %s: %s", err, line, r.told)
	}
	must(w.t, send([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")))
	go func() {
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			var answer struct{ ID int }
			_ = json.Unmarshal([]byte(line), &answer)
			mutex.Lock()
			if to := waiting[answer.ID]; to != nil {
				to <- line
				delete(waiting, answer.ID)
			}
			mutex.Unlock()
		}
	}()
	r.ask = func(ctx context.Context, sql string) (string, error) {
		to := make(chan string, 1)
		mutex.Lock()
		id := next
		next++
		waiting[id] = to
		err := send(callOf(id, sql))
		mutex.Unlock()
		if err != nil {
			return "", err
		}
		select {
		case answer := <-to:
			return answer, nil
		case <-r.ended:
			return "", fmt.Errorf("the program ended: %.100s", r.told)
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return r
}

// openHTTP starts mcp over HTTP.
func openHTTP(w *world, flags ...string) *running {
	w.t.Helper()
	r := w.begin(append([]string{"mcp", "--all", "--http", "127.0.0.1:0"}, flags...)...)
	r.cmd.Env = append(r.cmd.Env, "HINDSQL_TOKEN=a-token-of-the-torture")
	r.start(w.t)
	address := r.says(w.t, `http://127\.0\.0\.1:\d+/mcp`)[0]
	r.ask = func(ctx context.Context, sql string) (string, error) {
		return fetched(ctx, http.DefaultClient, http.MethodPost, address, callOf(1, sql), http.Header{
			"Authorization": {"Bearer a-token-of-the-torture"}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		})
	}
	return r
}

// openWeb starts the pages and signs a browser in.
func openWeb(w *world) *running {
	w.t.Helper()
	r := w.begin("web", "--port", "0")
	r.cmd.Stdout = r.told
	r.start(w.t)
	address := r.says(w.t, `(http://127\.0\.0\.1:\d+)/\?token=\w{20,}`)
	jar, err := cookiejar.New(nil)
	must(w.t, err)
	browser := &http.Client{Jar: jar}
	typed := http.Header{"Sec-Fetch-Site": {"none"}}
	_, err = fetched(context.Background(), browser, http.MethodGet, address[0], nil, typed)
	must(w.t, err)
	r.ask = func(ctx context.Context, sql string) (string, error) {
		text, err := fetched(ctx, browser, http.MethodGet, address[1]+"/sql?sql="+url.QueryEscape(sql), nil, typed)
		return html.UnescapeString(text), err
	}
	return r
}

// openSafe runs a process for each statement.
func openSafe(w *world) *running {
	r := &running{}
	r.ask = func(ctx context.Context, sql string) (string, error) {
		cmd := w.command("--safe", "--format", "csv")
		cmd.Stdin = strings.NewReader(sql)
		all := &told{}
		cmd.Stdout, cmd.Stderr = all, all
		if err := cmd.Start(); err != nil {
			return "", err
		}
		done.add("processes", 1)
		if r.begins != nil {
			r.begins(cmd)
		}
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		defer stop()
		err := cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 {
			return "", fmt.Errorf("exit code %d, %w: %.100s", code, errors.Join(err, ctx.Err()), all)
		}
		return all.String(), nil
	}
	return r
}

func fetched(ctx context.Context, client *http.Client, method, address string, body []byte, header http.Header) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header = header.Clone()
	answer, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

// process is a process of this machine, according to Linux.
type process struct {
	id, parent int
	over       bool // ended, but not yet waited for
	worker     bool
}

// processes returns all processes by id.
func processes() map[int]process {
	all := map[int]process{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		var p process
		var state string
		stat, _ := os.ReadFile(filepath.Join(folder, "stat"))
		if _, err := fmt.Sscanf(string(stat[bytes.LastIndexByte(stat, ')')+1:]), "%s %d", &state, &p.parent); err != nil {
			continue
		}
		_, _ = fmt.Sscan(filepath.Base(folder), &p.id)
		name, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		p.over, p.worker = state == "Z" || state == "X", bytes.HasPrefix(name, []byte("hindsql-worker"))
		all[p.id] = p
	}
	return all
}

// largest returns the peak memory of a process, in bytes.
func largest(id int) (peak int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
	if _, found, ok := strings.Cut(string(text), "VmHWM:"); ok {
		_, _ = fmt.Sscan(found, &peak)
	}
	return peak * 1024
}
