package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	defer s.leave()
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

// end quits the program. leave ends a program that doesn't quit, and its logs are
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
	return s.hand()
}

// leave ends all programs and keeps what people look at: the screen after each step,
// and a line for each request of the mock model.
func (s *stage) leave() {
	if s.term != nil {
		screens := strings.Join(append(s.screens, s.term.screen()), "\n"+strings.Repeat("=", 140)+"\n")
		_ = os.WriteFile(filepath.Join(s.folder, "screens.txt"), []byte(screens), 0o644)
		s.term.close()
	}
	_ = os.WriteFile(filepath.Join(s.folder, "requests.jsonl"), []byte(s.mock.requests()), 0o644)
	s.endHelpers()
	kill(strays(s.home()))
}
