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

// serve starts the agent's server, and returns when the server answers. leave ends the
// server.
func (s *stage) serve(ctx context.Context) error {
	output := filepath.Join(s.folder, "server.txt")
	if err := s.help(output, s.command(s.agent.server.args)); err != nil {
		return err
	}
	ready := regexp.MustCompile(s.agent.server.ready)
	for end := time.Now().Add(2 * s.patience); ; {
		text, err := os.ReadFile(output)
		switch {
		case err != nil:
			return err
		case ready.Match(text):
			return nil
		case time.Now().After(end):
			return &stuck{"/" + s.agent.server.ready + "/ of the server", string(text[max(0, len(text)-1000):])}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// help starts a program beside the terminal, with its output in a file.
func (s *stage) help(output string, command []string) error {
	file, err := os.Create(output)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.work(), s.environment(), file, file
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	s.helpers = append(s.helpers, cmd)
	return nil
}

// endHelpers ends the helpers and their child processes.
func (s *stage) endHelpers() {
	for _, cmd := range s.helpers {
		family := descendants(cmd.Process.Pid)
		_ = cmd.Process.Signal(os.Interrupt)
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
		}
		kill(family)
		<-done
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
		if err := s.help(filepath.Join(s.folder, "script.txt"), s.lowered(command)); err != nil {
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
