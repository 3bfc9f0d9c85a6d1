package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// agent is a running hindsql mcp, and the side of the agent that asks.
type agent struct {
	cmd  *exec.Cmd
	to   io.WriteCloser
	from *bufio.Reader
	last int // id of a request
}

// agent starts hindsql mcp. Its first answer is still to come.
func (st *store) agent(ctx context.Context, flags ...string) (*agent, error) {
	cmd := st.command(ctx, append([]string{"mcp"}, flags...)...)
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &agent{cmd: cmd, to: to, from: bufio.NewReaderSize(from, 1<<16)}, cmd.Start()
}

func (a *agent) end() {
	_ = a.to.Close()
	late := time.AfterFunc(10*time.Second, func() { _ = a.cmd.Process.Kill() })
	defer late.Stop()
	_ = a.cmd.Wait()
}

// call sends a request, and waits for the answer.
func (a *agent) call(method string, params any) error {
	a.last++
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.last, "method": method, "params": params})
	if err != nil {
		return err
	}
	if _, err := a.to.Write(append(text, '\n')); err != nil {
		return err
	}
	for {
		line, err := a.from.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("hindsql mcp ended: %w", err)
		}
		var answer struct {
			ID     int
			Error  json.RawMessage
			Result struct{ IsError bool }
		}
		if json.Unmarshal(line, &answer) != nil || answer.ID != a.last {
			continue // a notification
		}
		if answer.Error != nil || answer.Result.IsError {
			return fmt.Errorf("hindsql mcp: %s", tail(line, 500))
		}
		return nil
	}
}

// begin greets, and asks a first question.
func (a *agent) begin() error {
	if err := a.greet(); err != nil {
		return err
	}
	return a.query()
}

func (a *agent) greet() error {
	return a.call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "benchpair", "version": "1"}})
}

func (a *agent) query() error {
	return a.call("tools/call", map[string]any{"name": "query", "arguments": map[string]any{"sql": often}})
}

// firstAnswer measures hindsql mcp from its start to its first answer.
func firstAnswer(tree string, flags ...string) single {
	return inStore(tree, func(ctx context.Context, st *store) (usage, error) {
		begin := time.Now()
		a, err := st.agent(ctx, flags...)
		if err != nil {
			return usage{}, err
		}
		defer a.end()
		if err := a.begin(); err != nil {
			return usage{}, err
		}
		used, err := clocks(a.cmd.Process.Pid)
		used.wall = time.Since(begin)
		return used, err
	})
}

// nextAnswer measures an answer of an open hindsql mcp after the asking session grew by a
// line: the case of each agent, whose own log grows before each question.
func nextAnswer(tree string, flags ...string) single {
	return inStore(tree, func(ctx context.Context, st *store) (usage, error) {
		a, err := st.agent(ctx, flags...)
		if err != nil {
			return usage{}, err
		}
		defer a.end()
		if err := a.begin(); err != nil {
			return usage{}, err
		}
		var laps []usage
		for range 3 {
			if err := st.grow("small", 1); err != nil {
				return usage{}, err
			}
			time.Sleep(pause)
			lap, err := during(a.cmd.Process.Pid, a.query)
			if err != nil {
				return usage{}, err
			}
			laps = append(laps, lap)
		}
		return middle(laps), nil
	})
}

// pages lists the measured pages by the row's key. The session is the first of /sessions.
var pages = map[string]string{"home": "/", "refusals": "/refusals", "sessions": "/sessions", "search": "/search?q=helper",
	"interruptions": "/interruptions", "queries": "/queries", "table": "/tables"}

// server is a running hindsql web.
type server struct {
	cmd     *exec.Cmd
	client  *http.Client
	address string
}

// serve starts hindsql web, and signs in.
func (st *store) serve(ctx context.Context) (*server, error) {
	cmd := st.command(ctx, "web", "--port", "0")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	first, err := bufio.NewReader(pipe).ReadString('\n')
	jar, _ := cookiejar.New(nil) // never fails
	s := &server{cmd: cmd, client: &http.Client{Jar: jar, Timeout: 5 * time.Minute}}
	if err == nil {
		s.address, _, _ = strings.Cut(strings.TrimSpace(first), "/?")
		_, err = s.get(ctx, strings.TrimPrefix(strings.TrimSpace(first), s.address))
	}
	if err != nil {
		s.end()
		return nil, fmt.Errorf("hindsql web: %w", err)
	}
	return s, nil
}

func (s *server) end() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *server) get(ctx context.Context, path string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+path, nil)
	if err != nil {
		return "", err
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s\n%s", path, answer.Status, tail(text, 500))
	}
	return string(text), err
}

var sessionLink = regexp.MustCompile(`href="(/session/[^"]+)"`)

// served returns a measurement with a running hindsql web.
func served[T usage | figures](tree string, measure func(context.Context, *store, *server) (T, error)) func(context.Context, *side) (T, error) {
	return inStore(tree, func(ctx context.Context, st *store) (used T, err error) {
		web, err := st.serve(ctx)
		if err != nil {
			return used, err
		}
		defer web.end()
		return measure(ctx, st, web)
	})
}

// visited measures each page: the median of three requests after a first.
func visited(tree string) func(context.Context, *side) (figures, error) {
	return served(tree, func(ctx context.Context, _ *store, web *server) (figures, error) {
		list, err := web.get(ctx, "/sessions")
		if err != nil {
			return nil, err
		}
		paths := maps.Clone(pages)
		if m := sessionLink.FindStringSubmatch(list); m != nil {
			paths["session"] = html.UnescapeString(m[1])
		}
		found := figures{}
		for key, path := range paths {
			if found[key], err = web.visit(ctx, path); err != nil {
				return nil, err
			}
		}
		return found, nil
	})
}

func (s *server) visit(ctx context.Context, path string) (usage, error) {
	get := func() error {
		_, err := s.get(ctx, path)
		return err
	}
	if err := get(); err != nil {
		return usage{}, err
	}
	var laps []usage
	for range 3 {
		lap, err := during(s.cmd.Process.Pid, get)
		if err != nil {
			return usage{}, err
		}
		laps = append(laps, lap)
	}
	return middle(laps), nil
}

// crowded measures eight clients for some seconds, while a log grows by a line each half
// second. Elapsed time is what 95 of 100 answers stayed below. make bench-web compares rows.
func crowded(tree string) single {
	return served(tree, func(ctx context.Context, st *store, web *server) (usage, error) {
		var walls []time.Duration
		lap, err := during(web.cmd.Process.Pid, func() (err error) {
			walls, err = web.crowd(ctx, st, 10*time.Second)
			return err
		})
		if err != nil {
			return usage{}, err
		}
		lap.cpu /= time.Duration(len(walls))
		lap.wall = slices.Sorted(slices.Values(walls))[len(walls)*95/100]
		return lap, nil
	})
}

// crowd returns the durations of the answers.
func (s *server) crowd(ctx context.Context, st *store, long time.Duration) ([]time.Duration, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	var wait sync.WaitGroup
	var walls []time.Duration
	var failed error
	begin := time.Now()
	add := func(wall time.Duration, err error) {
		mu.Lock()
		defer mu.Unlock()
		walls = append(walls, wall)
		if err != nil && failed == nil {
			failed = err
			stop()
		}
	}
	paths := []string{"/", "/refusals", "/sessions", "/search?q=helper"}
	for client := range 8 {
		wait.Go(func() {
			for i := client; time.Since(begin) < long && ctx.Err() == nil; i++ {
				asked := time.Now()
				_, err := s.get(ctx, paths[i%len(paths)])
				add(time.Since(asked), err)
			}
		})
	}
	for time.Since(begin) < long && ctx.Err() == nil {
		time.Sleep(500 * time.Millisecond)
		if err := st.grow("small", 1); err != nil {
			add(0, err)
		}
	}
	wait.Wait()
	return walls, failed
}
