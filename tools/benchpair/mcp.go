package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
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
	return func(ctx context.Context, s *side) (usage, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return usage{}, err
		}
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
	}
}

// nextAnswer measures an answer of an open hindsql mcp after the asking session grew by a
// line: the case of each agent, whose own log grows before each question.
func nextAnswer(tree string, flags ...string) single {
	return func(ctx context.Context, s *side) (usage, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return usage{}, err
		}
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
	}
}
