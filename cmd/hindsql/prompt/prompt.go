// Package prompt is hindsql's interactive interface: a loop that reads lines, and runs
// the SQL and the dot commands in them. After an error it goes on.
//
// In: lines of an [Editor]. Out: the session's results, written by package term to the
// terminal or to files. The package parses no flag.
package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"hindsql/internal/words"
)

const (
	firstPrompt = "hindsql> "
	nextPrompt  = "      …> "
)

// Prompt is a running prompt, or a run of a file as if the user typed it. It has three
// main parts. The reader splits lines into statements and commands. The runner runs
// statements. The sink writes results.
type Prompt struct {
	*Config
	commands commandList
	reader   *reader
	runner   *runner
	sink     *sink
	history  *history
	look     *look
}

// New makes a prompt. It reports errors of the history file on Err.
func New(c Config) *Prompt {
	p := &Prompt{Config: &c, sink: newSink(&c), look: &look{Config: &c}}
	p.runner = &runner{Config: &c, sink: p.sink, synced: time.Now()}
	p.commands = available(&c)
	p.reader = &reader{Config: &c, run: p.run, in: input{find: p.commands.find, named: p.runner.named}}
	if c.Editor != nil {
		c.View.Words = dotWords
	}
	if e, ok := c.Editor.(Composer); ok {
		e.Compose(Composing{
			Whole:    p.reader.whole,
			Paint:    p.reader.paint,
			Edit:     func(text string) (string, error) { return inEditor(p.sink, text) },
			Complete: (&completer{&c, p.commands, &p.reader.in}).complete,
		})
	}
	var err error
	if p.history, err = openHistory(c.History); err != nil {
		p.complain(err)
	}
	return p
}

// OutputTo directs results to a file, until .output names another.
func (p *Prompt) OutputTo(path string) error { return p.sink.open(path) }

// Run reads and runs lines until Ctrl-D, .quit, or the end of ctx. It returns the
// Editor's error.
func (p *Prompt) Run(ctx context.Context) error {
	defer p.sink.close()
	p.Editor.Remember(slices.Clone(p.history.entries))
	for !p.reader.leaving {
		line, err := p.Editor.ReadLine(p.reader.sign())
		switch {
		case errors.Is(err, ErrInterrupted):
			p.reader.giveUp()
			p.history.giveUp()
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(p.Out)
			return nil
		case err != nil:
			return err
		}
		p.note(line)
		p.report(p.reader.feed(ctx, line))
	}
	return nil
}

// Script runs a text as the lines of a file. Results go to Out as those of a one-shot
// command, with an empty line between two. Script asks no questions and writes no
// history. The first error ends the script. An error in a file begins with file:line.
func (p *Prompt) Script(ctx context.Context, source, text string) error {
	defer p.sink.close()
	if err := cmp.Or(p.reader.file(ctx, source, text), p.runner.tellTables(ctx)); err != nil || p.reader.failed == 0 {
		return err
	}
	return fmt.Errorf("%s: %s", cmp.Or(source, "SQL"), words.Quantity(p.reader.failed, "error"))
}

// run runs one step.
func (p *Prompt) run(ctx context.Context, s step) error {
	if s.command == "" {
		return p.runner.statement(ctx, s.sql)
	}
	p.runner.writing = s.buffer
	return p.command(ctx, s.command)
}

// note adds the typed text to the history before the text is run.
func (p *Prompt) note(text string) {
	if err := p.history.note(p.reader.in, text); err != nil {
		p.complain(err)
	}
	p.Editor.Remember(slices.Clone(p.history.entries))
}
