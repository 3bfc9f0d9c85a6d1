// Package prompt is the interactive face of hindsql: a loop that reads lines,
// runs the SQL and the dot commands in them, and goes on after errors.
//
// In: lines of an [Editor]. Out: what package show writes of the session, to
// the terminal or to files. The package parses no flag.
package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"hindsql/engine"
	"hindsql/readers/files"
)

const (
	firstPrompt = "hindsql> "
	nextPrompt  = "    ...> "
)

// Prompt is a running prompt.
type Prompt struct {
	Config
	commands     []command
	screen       Screen // nil: Out is no terminal, and nothing is paged
	history      *history
	buffer       string // a statement that is still being written
	inside       bool   // buffer ends in a string or a comment
	typed        string // the history's entry that is still being written
	last         string // the last statement that was run
	synced       time.Time
	output       *os.File // of .output; nil: Out
	once         string   // path of .once
	formatBefore string   // what .line goes back to
	depth        int      // of .read in .read
	leaving      bool
}

// New makes a prompt. What is wrong with the history file is told on Err.
func New(c Config) *Prompt {
	p := &Prompt{Config: c, synced: time.Now()}
	p.commands = available(&p.Config)
	p.View.Words = dotWords
	p.screen, _ = c.Editor.(Screen)
	if e, ok := c.Editor.(Completer); ok {
		e.CompleteWith(p.Complete)
	}
	var err error
	if p.history, err = openHistory(c.History); err != nil {
		p.complain(err)
	}
	return p
}

// Run reads and runs lines until Ctrl-D, .quit, or the end of ctx. The error is
// that of the Editor.
func (p *Prompt) Run(ctx context.Context) error {
	defer p.closeOutput()
	p.Editor.Remember(p.history.lines())
	for !p.leaving {
		line, err := p.Editor.ReadLine(p.sign())
		switch {
		case errors.Is(err, ErrInterrupted):
			p.buffer, p.typed = "", ""
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(p.Out)
			return nil
		case err != nil:
			return err
		}
		p.enter(ctx, p.history.original(line))
	}
	return nil
}

func (p *Prompt) sign() string {
	if p.buffer == "" {
		return firstPrompt
	}
	return nextPrompt
}

// enter takes what was typed, keeps it in the history, and tells of errors.
func (p *Prompt) enter(ctx context.Context, text string) {
	if line := strings.TrimSpace(text); p.isCommand(line) {
		p.remember(line)
	} else {
		p.note(text)
	}
	p.report(p.feed(ctx, text))
}

// note collects SQL for the history. It becomes one entry when its last statement
// ends.
func (p *Prompt) note(text string) {
	p.typed += text
	if _, rest, _ := engine.Split(p.buffer + text + "\n"); rest != "" {
		p.typed += "\n"
		return
	}
	p.remember(p.typed)
	p.typed = ""
}

func (p *Prompt) remember(entry string) {
	if strings.TrimSpace(entry) == "" {
		return
	}
	if err := p.history.add(entry); err != nil {
		p.complain(err)
	}
	p.Editor.Remember(p.history.lines())
}

// report writes an error for the user, except that a pager was left early.
func (p *Prompt) report(err error) {
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(p.Err, "interrupted")
	default:
		p.complain(err)
	}
}

// long is the path that an argument names.
func (p *Prompt) long(path string) string { return files.Long(p.View.Home, path) }

func (p *Prompt) complain(err error) { fmt.Fprintln(p.Err, p.View.Words.Explain(err)) }

// feed takes one line, or several, and runs what they complete.
func (p *Prompt) feed(ctx context.Context, text string) error {
	line := strings.TrimSpace(text)
	if p.buffer == "" && line == "" {
		return nil
	}
	if p.isCommand(line) {
		return p.command(ctx, line)
	}
	p.buffer += text + "\n"
	return p.runBuffer(ctx)
}

// isCommand says whether a line is a dot command. Inside a statement only a line
// with a backslash is one: SQL may continue with a dot.
func (p *Prompt) isCommand(line string) bool {
	switch {
	case p.buffer == "":
		return startsCommand.MatchString(line)
	case p.inside:
		return false
	}
	return strings.HasPrefix(line, `\`)
}

var startsCommand = regexp.MustCompile(`^(\.[a-zA-Z]|\\|(quit|exit|help);?$)`)

func (p *Prompt) runBuffer(ctx context.Context) error {
	var done []string
	done, p.buffer, p.inside = engine.Split(p.buffer)
	for _, sql := range done {
		if err := p.statement(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}
