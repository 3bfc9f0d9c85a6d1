package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A term is a program in a terminal of 140 columns and 50 lines: a server of tmux
// that belongs to the term alone.
type term struct {
	ctx    context.Context
	socket string
}

// exited stands on the screen after the program has ended.
const exited = "PROGRAM EXITED"

// startTerm runs a program in a folder. env is the whole environment.
func startTerm(ctx context.Context, name, folder string, env []string, command []string) (*term, error) {
	t := &term{ctx: ctx, socket: "hindsql-drift-" + name}
	line := "env -i " + quoted(env) + " " + quoted(command) + "; echo; echo " + exited + "; sleep 3600"
	if _, err := t.tmux("new-session", "-d", "-s", "s", "-x", "140", "-y", "50", "-c", folder, line); err != nil {
		return nil, err
	}
	return t, nil
}

func quoted(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}

// tmux runs a command of tmux, even after the term's time is over: close needs it.
func (t *term) tmux(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", append([]string{"-L", t.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// screen returns the text on the screen, and some lines above it.
func (t *term) screen() string {
	out, _ := t.tmux("capture-pane", "-p", "-t", "s", "-S", "-100")
	return out
}

// shown returns the last lines of the screen that aren't empty.
func (t *term) shown(lines int) string {
	var kept []string
	for line := range strings.Lines(t.screen()) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-lines):], "\n")
}

// A stuck error is a wait in vain.
type stuck struct{ wanted, shown string }

func (e *stuck) Error() string { return "no " + e.wanted }

// wait returns when the screen matches. The error is a *stuck after the given time, or
// the context's.
func (t *term) wait(pattern string, patience time.Duration) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	for end := time.Now().Add(patience); ; {
		s := t.screen()
		if re.MatchString(s) {
			return t.rest(300 * time.Millisecond)
		}
		if time.Now().After(end) || strings.Contains(s, exited) {
			return &stuck{"/" + pattern + "/ on the screen", t.shown(12)}
		}
		if err := t.rest(200 * time.Millisecond); err != nil {
			return err
		}
	}
}

func (t *term) rest(d time.Duration) error {
	select {
	case <-t.ctx.Done():
		return t.ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// keys presses keys by tmux's names: Enter, Escape, C-c, Down.
func (t *term) keys(names ...string) error {
	for _, name := range names {
		if _, err := t.tmux("send-keys", "-t", "s", name); err != nil {
			return err
		}
		if err := t.rest(400 * time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// write types a text.
func (t *term) write(text string) error {
	if _, err := t.tmux("send-keys", "-t", "s", "-l", text); err != nil {
		return err
	}
	return t.rest(600 * time.Millisecond)
}

// close ends the program, the processes below it, and the terminal.
func (t *term) close() {
	pane, err := t.tmux("list-panes", "-t", "s", "-F", "#{pane_pid}")
	var family []int
	if pid, wrong := strconv.Atoi(strings.TrimSpace(pane)); err == nil && wrong == nil {
		family = descendants(pid)
	}
	socket, err := t.tmux("display-message", "-p", "#{socket_path}")
	_, _ = t.tmux("kill-server")
	kill(family)
	if err == nil {
		_ = os.Remove(strings.TrimSpace(socket))
	}
}

func kill(pids []int) {
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

// strays returns the processes with this home folder in their environment: daemons
// that a program left. Only Linux tells.
func strays(home string) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, file := range files {
		env, _ := os.ReadFile(file)
		if slices.Contains(strings.Split(string(env), "\x00"), "HOME="+home) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// descendants returns a process and all processes below, as ps lists them.
func descendants(pid int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		var child, parent int
		if n, _ := fmt.Sscan(line, &child, &parent); n == 2 {
			children[parent] = append(children[parent], child)
		}
	}
	family := []int{pid}
	for i := 0; i < len(family); i++ {
		family = append(family, children[family[i]]...)
	}
	return family
}

// scenarios are the names of the scenarios, in the order of runs. Each is a file
// scenarios/AGENT/NAME.txt.
var scenarios = []string{"once", "session", "refuse", "esc", "compact", "clear"}

// An agent says how a program is fetched, pointed at the mock model, and driven.
//
// In files, env and args stand $HOME (the empty home folder), $WORK (the project folder
// in it), $PORT (a free port), $MOCK (the address of the mock model) and $PACKAGE (the
// folder of the fetched package).
type agent struct {
	name     string   // as in the column agent
	title    string   // chapter of docs/agents.md
	packages []string // names on npm, the newest last: a program that moves gets another name
	pack     []string // if npm install fails: further packages, unpacked beside the program's
	program  string   // file below $PACKAGE
	native   bool     // the program runs without node; its package's scripts run after npm install
	scripts  bool     // so do the scripts of a program that needs node
	args     []string
	env      []string
	files    map[string]string // files in the home folder by path, written before the start
	shell    shell
	ready    string            // pattern on the screen when the program takes a prompt
	keys     map[string][]step // what is typed, by scenario
	quit     []step
	server   *server // nil for a program that needs none
	noRoot   bool    // under root, it runs as nobody

	// Of agents without a terminal.
	newest   string // newest known version; empty if npm tells
	compared string // what was compared, and with which version
}

// A step is an act of a person at a terminal, or a wait.
type step func(t *stage) error

// enter types a text, and Enter once the text stands on the screen: an Enter right behind
// is taken for a part of a paste.
func enter(text string) step {
	return func(s *stage) error {
		if err := s.term.write(text); err != nil {
			return err
		}
		_ = s.term.wait(regexp.QuoteMeta(text), 10*time.Second)
		return s.term.keys("Enter")
	}
}

// see waits for a pattern on the screen.
func see(pattern string) step {
	return func(s *stage) error { return s.term.wait(pattern, s.patience) }
}

// press presses keys by tmux's names.
func press(keys ...string) step { return func(s *stage) error { return s.term.keys(keys...) } }

// until presses a key until a pattern is on the screen.
func until(pattern, key string) step {
	return func(s *stage) error {
		for end := time.Now().Add(s.patience); ; {
			if err := s.term.keys(key); err != nil {
				return err
			}
			if err := s.term.wait(pattern, 100*time.Millisecond); err == nil || time.Now().After(end) {
				return err
			}
		}
	}
}

// rest waits for seconds.
func rest(seconds float64) step {
	return func(s *stage) error { return s.term.rest(time.Duration(seconds * float64(time.Second))) }
}

// ask says a prompt and waits for a pattern.
func ask(prompt, pattern string) step {
	return func(s *stage) error {
		if err := enter(prompt)(s); err != nil {
			return err
		}
		return see(pattern)(s)
	}
}

// maybe takes steps if the screen matches a pattern within some seconds: questions that
// a program asks at some starts.
func maybe(pattern string, seconds float64, steps ...step) step {
	return func(s *stage) error {
		if s.term.wait(pattern, time.Duration(seconds*float64(time.Second))) != nil {
			return s.term.ctx.Err()
		}
		for _, step := range steps {
			if err := step(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// tested returns the tested versions of an agent, by the page docs/agents.md.
func tested(repository, title string) (string, error) {
	text, err := os.ReadFile(filepath.Join(repository, "docs/agents.md"))
	if err != nil {
		return "", err
	}
	_, chapter, ok := strings.Cut(string(text), "\n## "+title+"\n")
	if ok {
		chapter, _, _ = strings.Cut(chapter, "\n## ")
		if row := regexp.MustCompile(`(?m)^\| tested \| (.*) \|$`).FindStringSubmatch(chapter); row != nil {
			return row[1], nil
		}
	}
	return "", fmt.Errorf("docs/agents.md: no tested versions of %s", title)
}

// find returns the agent of a name, or nil.
func find(name string) *agent {
	for _, a := range agents {
		if a.name == name {
			return a
		}
	}
	return nil
}
