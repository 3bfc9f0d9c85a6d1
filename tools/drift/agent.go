package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// scenarios are the names of the scenarios, in the order of runs. Each is a file
// scenarios/AGENT/NAME.txt.
var scenarios = []string{"once", "session", "refuse", "esc", "compact", "clear"}

// An agent says how a program is fetched, pointed at the mock model, and driven.
//
// In files, env and args stand $HOME (the empty home folder), $WORK (the project
// folder in it), $PORT (a free port), $MOCK (the address of the mock model) and $PACKAGE (the folder of the
// fetched package).
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

// say types a text, and Enter once the text stands on the screen: an Enter right behind
// is taken for a part of a paste.
func say(text string) step {
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
		if err := say(prompt)(s); err != nil {
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
