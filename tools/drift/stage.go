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
	"strings"
	"time"
)

// A stage is one run of a program: an empty home folder with a project in it, a mock
// model, and a terminal.
type stage struct {
	agent    *agent
	pack     string // folder of the fetched package
	node     string // folder of Node's binary
	folder   string // holds home, screens.txt and requests.jsonl
	patience time.Duration

	mock    *mock
	term    *term
	port    string    // of the agent's server
	helpers []*helper // the agent's server, and scripts
	screens []string  // after each step
}

func (s *stage) home() string { return filepath.Join(s.folder, "home") }

func (s *stage) work() string { return filepath.Join(s.home(), "shop") }

// expand replaces the names of places in a text.
func (s *stage) expand(text string) string {
	return strings.NewReplacer("$HOME", s.home(), "$WORK", s.work(), "$MOCK", s.mock.url, "$PACKAGE", s.pack, "$PORT", s.port).Replace(text)
}

// environment returns the program's whole environment.
func (s *stage) environment() []string {
	env := []string{"HOME=" + s.home(), "PATH=" + s.node + ":/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/bash", "TERM=xterm-256color", "LANG=C.UTF-8",
		"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "TMPDIR=" + filepath.Join(s.folder, "tmp")}
	for _, v := range s.agent.env {
		env = append(env, s.expand(v))
	}
	return env
}

// command returns the command that runs the agent's program.
func (s *stage) command(args []string) []string {
	program := filepath.Join(s.pack, filepath.FromSlash(s.agent.program))
	command := []string{program}
	if !s.agent.native {
		command = []string{filepath.Join(s.node, "node"), program}
	}
	for _, arg := range args {
		command = append(command, s.expand(arg))
	}
	return s.lowered(command)
}

// play runs a scenario: the program starts, a person types, the program ends. The
// error is a *stuck, the context's, or of this machine.
func (s *stage) play(ctx context.Context, scenario string) (err error) {
	script, err := newScript(scriptText)
	if err != nil {
		return err
	}
	if s.mock, err = startMock(script, s.agent.shell); err != nil {
		return err
	}
	defer s.mock.close()
	if s.port, err = freePort(); err != nil {
		return err
	}
	if err := s.furnish(); err != nil {
		return err
	}
	defer s.cleanUp()
	if s.agent.server != nil {
		if err := s.serve(ctx); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("%d-%s-%s", os.Getpid(), s.agent.name, scenario)
	if s.term, err = startTerm(ctx, name, s.work(), s.environment(), s.command(s.agent.args)); err != nil {
		return err
	}
	// Programs draw the input line a moment before they read keys.
	for _, step := range append([]step{see(s.agent.ready), rest(1.5)}, s.agent.keys[scenario]...) {
		if err := step(s); err != nil {
			return err
		}
		s.screens = append(s.screens, s.term.screen())
	}
	return s.end()
}

// end quits the program. cleanUp ends a program that doesn't quit, and its logs are
// compared all the same.
func (s *stage) end() error {
	for _, step := range s.agent.quit {
		if err := step(s); err != nil {
			return err
		}
	}
	_ = s.term.wait(exited, 15*time.Second)
	return s.term.ctx.Err()
}

// furnish makes the home folder, with the project and the agent's files.
func (s *stage) furnish() error {
	for _, folder := range []string{s.work(), filepath.Join(s.folder, "tmp")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	files := map[string]string{"shop/shop.js": "export const price = 10;\n", "shop/build/out.js": "export const price = 10;\n",
		"shop/Makefile": ".PHONY: file\nfile:\n\ttouch file.txt\n"}
	for path, text := range s.agent.files {
		files[path] = s.expand(text)
	}
	for path, text := range files {
		path = filepath.Join(s.home(), filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return s.chownToNobody()
}

// cleanUp ends all programs and keeps what people look at: the screen after each step,
// and a line for each request of the mock model.
func (s *stage) cleanUp() {
	if s.term != nil {
		screens := strings.Join(append(s.screens, s.term.screen()), "\n"+strings.Repeat("=", 140)+"\n")
		_ = os.WriteFile(filepath.Join(s.folder, "screens.txt"), []byte(screens), 0o644)
		s.term.close()
	}
	_ = os.WriteFile(filepath.Join(s.folder, "requests.jsonl"), []byte(s.mock.requests()), 0o644)
	s.endHelpers()
	kill(strays(s.home()))
}

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
// ends before is started again. cleanUp ends the server.
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

// chownToNobody gives the folders of a stage to the account of lowered.
func (s *stage) chownToNobody() error {
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
