// Package prompt is the interactive face of hindsql: a loop that reads lines,
// runs the SQL and the dot commands in them, and goes on after errors.
//
// In: lines of an [Editor]. Out: what the functions of the [Config] write. The
// package draws no result itself and parses no flag; that is cmd/hindsql's.
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
)

const (
	firstPrompt = "hindsql> "
	nextPrompt  = "    ...> "
	syncPause   = time.Second // between two looks at the logs
)

// Prompt is a running prompt.
type Prompt struct {
	Config
	commands     []command
	history      *history
	buffer       string // a statement that is still being written
	inside       bool   // buffer ends in a string or a comment
	typed        string // what history will hold of it
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
	var err error
	if p.history, err = openHistory(c.History); err != nil {
		p.Complain(err)
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

// note keeps SQL for the history, which takes it when its last statement ends.
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
		p.Complain(err)
	}
	p.Editor.Remember(p.history.lines())
}

// report tells of an error, but of a pager's early end.
func (p *Prompt) report(err error) {
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(p.Err, "interrupted")
	default:
		p.Complain(err)
	}
}

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

// isCommand: SQL may go on with a point, but not with a backslash.
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

func (p *Prompt) statement(ctx context.Context, sql string) error {
	p.last = sql
	return p.show(ctx, func(ctx context.Context, to Target) error { return p.Query(ctx, to, sql) })
}

// show syncs, and writes a result where results go. Ctrl-C cancels both.
func (p *Prompt) show(ctx context.Context, write func(context.Context, Target) error) error {
	ctx, stop := p.interruptible(ctx)
	defer stop()
	if err := p.sync(ctx); err != nil {
		return err
	}
	return p.deliver(func(to Target) error { return write(ctx, to) })
}

func (p *Prompt) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Interruptible == nil {
		return context.WithCancel(ctx)
	}
	return p.Interruptible(ctx)
}

func (p *Prompt) sync(ctx context.Context) error {
	if p.Sync == nil || time.Since(p.synced) < syncPause {
		return nil
	}
	err := p.Sync(ctx)
	p.synced = time.Now()
	return err
}
