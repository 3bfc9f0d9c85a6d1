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
	"slices"
	"strings"
	"syscall"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/show"
	"hindsql/readers/files"
)

const (
	firstPrompt = "hindsql> "
	nextPrompt  = "    ...> "
)

// Prompt is a running prompt, or a run of a file as if it was typed.
type Prompt struct {
	Config
	commands []command
	screen   Screen // nil: Out is no terminal, and nothing is paged
	history  *history
	words    ask.Words // what messages propose
	in       input
	source   string // the file that lines are of; empty: they are typed
	sent     string // what was being written when the command came that runs
	typed    string // the history's entry that is still being written
	entry    lines  // of the entry that the Editor has, but the last
	last     string // the last statement that was run
	kept     kept   // its result
	synced   time.Time
	output   *os.File        // of .output; nil: Out
	once     string          // path of .once, or | and a command line
	pagerOff string          // the pager that .pager off turned off
	watching bool            // .watch runs
	asking   bool            // the Editor has the answer to a question
	written  bool            // in a script: a result went to Out, and an empty line parts the next from it
	before   string          // what .line goes back to
	depth    int             // of .read in .read
	quiet    bool            // results are not shown
	made     map[string]bool // tables that a script made and didn't use, in small letters
	failed   int             // errors of a script that goes on after them
	leaving  bool
}

// New makes a prompt. What is wrong with the history file is told on Err.
func New(c Config) *Prompt {
	p := &Prompt{Config: c, synced: time.Now()}
	p.commands = available(&p.Config)
	p.in.find = p.find
	if p.words = c.View.Words; c.Editor != nil {
		p.words = dotWords
		p.View.Words = dotWords
	}
	p.screen, _ = c.Editor.(Screen)
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

// Run reads and runs lines until Ctrl-D, .quit, or the end of ctx. The error is
// that of the Editor.
func (p *Prompt) Run(ctx context.Context) error {
	defer p.closeOutput()
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

func (p *Prompt) complain(err error) {
	if text := p.View.Words.Explain(err); p.Editor == nil {
		p.notice("%s", text)
	} else {
		fmt.Fprintln(p.Err, text)
	}
}

func (p *Prompt) notice(format string, args ...any) { show.Notice(p.Err, format, args...) }

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
			p.sent = s.buffer
			err = p.command(ctx, s.command)
		} else {
			err = p.statement(ctx, s.sql)
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
