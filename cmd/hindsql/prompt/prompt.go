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
	"slices"
	"strings"
	"time"
)

const (
	firstPrompt = "hindsql> "
	nextPrompt  = "    ...> "
)

// Prompt is a running prompt, or a run of a file as if it was typed.
type Prompt struct {
	*Config
	commands []command
	sink     *sink
	runner   *runner
	history  *history
	in       input
	source   string // the file that lines are of; empty: they are typed
	typed    string // the history's entry that is still being written
	entry    lines  // of the entry that the Editor has, but the last
	pagerOff string // the pager that .pager off turned off
	asking   bool   // the Editor has the answer to a question
	before   string // what .line goes back to
	depth    int    // of .read in .read
	failed   int    // errors of a script that goes on after them
	leaving  bool
}

// New makes a prompt. What is wrong with the history file is told on Err.
func New(c Config) *Prompt {
	p := &Prompt{Config: &c, sink: newSink(&c)}
	p.runner = &runner{Config: &c, sink: p.sink, synced: time.Now()}
	p.commands = available(&c)
	p.in.find = p.find
	if c.Editor != nil {
		c.View.Words = dotWords
	}
	if e, ok := c.Editor.(Completer); ok {
		e.CompleteWith(p.Complete)
	}
	if e, ok := c.Editor.(Composer); ok {
		e.Compose(Composing{Whole: p.whole, Paint: p.paint, Edit: p.inEditor})
	}
	var err error
	if p.history, err = openHistory(c.History); err != nil {
		p.complain(err)
	}
	return p
}

// OutputTo has results written to a file, until .output says otherwise.
func (p *Prompt) OutputTo(path string) error { return p.sink.open(path) }

// Run reads and runs lines until Ctrl-D, .quit, or the end of ctx. The error is
// that of the Editor.
func (p *Prompt) Run(ctx context.Context) error {
	defer p.sink.close()
	p.Editor.Remember(slices.Clone(p.history.entries))
	for !p.leaving {
		line, err := p.Editor.ReadLine(p.sign())
		switch {
		case errors.Is(err, ErrInterrupted):
			p.in.buffer, p.in.inside, p.typed = "", false, ""
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(p.Out)
			return nil
		case err != nil:
			return err
		}
		p.enter(ctx, line)
	}
	return nil
}

// whole says whether a text ends what it begins, or is an answer to a question.
func (p *Prompt) whole(text string) bool {
	last := strings.LastIndexByte(text, '\n') + 1
	after := p.entry.behind(p.in, text[:last])
	after.take(text[last:])
	return p.asking || after.buffer == ""
}

func (p *Prompt) sign() string {
	if p.in.buffer == "" {
		return firstPrompt
	}
	return nextPrompt
}

// enter takes what was typed, keeps it in the history, and tells of errors.
func (p *Prompt) enter(ctx context.Context, text string) {
	p.note(text)
	p.report(p.feed(ctx, text))
}

// note collects what is typed for the history. It becomes one entry when its last
// statement ends; a command that comes in between, and leaves the statement as it
// is, is an entry of its own.
func (p *Prompt) note(text string) {
	after := p.in
	for line := range strings.Lines(text) {
		after.take(strings.TrimRight(line, "\r\n"))
	}
	line := strings.TrimSpace(text)
	switch {
	case p.in.isCommand(line) && after.buffer == p.in.buffer:
		p.remember(line)
	case after.buffer != "":
		p.typed += text + "\n"
	default:
		p.remember(p.typed + text)
		p.typed = ""
	}
}

func (p *Prompt) remember(entry string) {
	if entry = strings.TrimRight(entry, " \t\r\n"); entry == "" {
		return
	}
	if err := p.history.add(entry); err != nil {
		p.complain(err)
	}
	p.Editor.Remember(slices.Clone(p.history.entries))
}

// feed takes one line, or several, and runs what they complete.
func (p *Prompt) feed(ctx context.Context, text string) error {
	for line := range strings.SplitSeq(text, "\n") {
		if err := p.do(ctx, p.in.take(strings.TrimRight(line, "\r"))); err != nil || p.leaving {
			return err
		}
	}
	return nil
}

// do runs steps up to the first error, which says where in a file it is.
func (p *Prompt) do(ctx context.Context, steps []step) (err error) {
	for _, s := range steps {
		if err = ctx.Err(); err != nil {
			return err
		}
		if p.Settings.Echo && p.scripted() {
			fmt.Fprintln(p.Out, strings.TrimSpace(s.sql+s.command))
		}
		if s.command != "" {
			p.runner.writing = s.buffer
			err = p.command(ctx, s.command)
		} else {
			err = p.runner.statement(ctx, s.sql)
		}
		if err = p.placed(err, s.line); err != nil && p.scripted() && !p.Settings.Bail && ctx.Err() == nil {
			p.complain(err)
			p.failed++
			err = nil
		}
		if err != nil || p.leaving {
			return err
		}
	}
	return nil
}

// scripted says that lines come from a file.
func (p *Prompt) scripted() bool { return p.Editor == nil || p.depth > 0 }
