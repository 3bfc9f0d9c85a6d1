package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"
)

// usage is the cost of a run, or of a part of one.
type usage struct {
	cpu    time.Duration // of all processors, user and system
	wall   time.Duration
	memory int64 // bytes, at the peak; 0 if it isn't measured
}

// finish runs a program to its end.
func finish(ctx context.Context, cmd *exec.Cmd) (usage, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	if cmd.Stdout == nil {
		cmd.Stdout = &said
	}
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin)
	if ctx.Err() != nil {
		return usage{}, ctx.Err()
	}
	if err != nil {
		return usage{}, fmt.Errorf("%v: %w\n%s", cmd.Args, err, tail(said.Bytes(), 2000))
	}
	return usage{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall, peak(cmd.ProcessState)}, nil
}

// tail returns the last bytes of a text, at most n.
func tail(text []byte, n int) []byte { return text[max(0, len(text)-n):] }

// process is a running program and the programs that it started.
type process struct {
	pid   int
	cpu   time.Duration
	begin time.Time
}

// watch begins to count.
func watch(pid int) (*process, error) {
	used, err := clocks(pid)
	return &process{pid, used.cpu, time.Now()}, err
}

// lap returns the usage since the last lap, and begins the next one.
func (p *process) lap() (usage, error) {
	now := time.Now()
	used, err := clocks(p.pid)
	lap := usage{used.cpu - p.cpu, now.Sub(p.begin), used.memory}
	p.cpu, p.begin = used.cpu, time.Now()
	return lap, err
}

// during returns the usage of a running program while work runs.
func during(pid int, work func() error) (usage, error) {
	p, err := watch(pid)
	if err != nil {
		return usage{}, err
	}
	if err := work(); err != nil {
		return usage{}, err
	}
	return p.lap()
}
