package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// A server is a second process of the agent's program, beside the terminal, with its own
// arguments. $PORT stands for a free port.
type server struct {
	args  []string
	ready string // pattern in its output when it answers
}

// freePort returns an unused port.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

// starts is how often a server is started: OpenClaw's gives up if a busy machine lets it
// wait for five seconds.
const starts = 3

// serve starts the agent's server, and returns when the server answers. A server that
// ends before is started again. leave ends the server.
func (s *stage) serve(ctx context.Context) error {
	var err error
	for range starts {
		var ended bool
		if ended, err = s.start(ctx); !ended {
			break
		}
	}
	return err
}

// start starts the agent's server, and returns when the server answers, or has ended.
func (s *stage) start(ctx context.Context) (ended bool, err error) {
	output := filepath.Join(s.folder, "server.txt")
	h, err := s.help(output, s.command(s.agent.server.args))
	if err != nil {
		return false, err
	}
	ready := regexp.MustCompile(s.agent.server.ready)
	for end := time.Now().Add(2 * s.patience); ; {
		text, err := os.ReadFile(output)
		missed := &stuck{"/" + s.agent.server.ready + "/ of the server", string(text[max(0, len(text)-1000):])}
		switch {
		case err != nil:
			return false, err
		case ready.Match(text):
			return false, nil
		case time.Now().After(end):
			return false, missed
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-h.ended:
			return true, missed
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// A helper is a program beside the terminal.
type helper struct {
	process *os.Process
	ended   chan struct{} // closed when the program has ended
}

// help starts a program beside the terminal, with its output in a file.
func (s *stage) help(output string, command []string) (*helper, error) {
	file, err := os.Create(output)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.work(), s.environment(), file, file
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", command[0], err)
	}
	h := &helper{cmd.Process, make(chan struct{})}
	go func() { _ = cmd.Wait(); close(h.ended) }()
	s.helpers = append(s.helpers, h)
	return h, nil
}

// endHelpers ends the helpers and their child processes.
func (s *stage) endHelpers() {
	for _, h := range s.helpers {
		select {
		case <-h.ended:
			continue // its number may be another program's by now
		default:
		}
		family := descendants(h.process.Pid)
		_ = h.process.Signal(os.Interrupt)
		select {
		case <-h.ended:
		case <-time.After(10 * time.Second):
		}
		kill(family)
		<-h.ended
	}
}

// background starts a script for Node in the background, with arguments. Its text is a
// file of the agent.
func background(name string, args ...string) step {
	return func(s *stage) error {
		command := []string{filepath.Join(s.node, "node"), filepath.Join(s.home(), name)}
		for _, arg := range args {
			command = append(command, s.expand(arg))
		}
		if _, err := s.help(filepath.Join(s.folder, "script.txt"), s.lowered(command)); err != nil {
			return err
		}
		return s.term.rest(2 * time.Second)
	}
}

// nobody is the id of the account for agents with noRoot.
const nobody = 65534

// lowered returns a command that runs as nobody, if the agent has noRoot and the user is
// root.
func (s *stage) lowered(command []string) []string {
	if !s.agent.noRoot || os.Getuid() != 0 {
		return command
	}
	id := strconv.Itoa(nobody)
	return append([]string{"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"}, command...)
}

// hand gives the folders of a stage to the account of lowered.
func (s *stage) hand() error {
	if !s.agent.noRoot || os.Getuid() != 0 {
		return nil
	}
	return filepath.WalkDir(s.folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, nobody, nobody)
	})
}
