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
	commands       commandList
	reader         *reader
	runner         *runner
	sink           *sink
	history        *history
	resultSettings *resultSettings
}

// New makes a prompt. It reports errors of the history file on Err.
func New(c Config) *Prompt {
	p := &Prompt{Config: &c, sink: newSink(&c), resultSettings: &resultSettings{Config: &c}}
	p.runner = &runner{Config: &c, sink: p.sink, synced: time.Now()}
	p.commands = available(&c)
	p.reader = &reader{Config: &c, run: p.run, in: input{find: p.commands.find, named: p.runner.isNamed}}
	if c.Editor != nil {
		c.View.Words = dotWords
	}
	if e, ok := c.Editor.(*Terminal); ok {
		e.Compose(Composing{
			CanRun:   p.reader.canRun,
			Paint:    p.reader.paint,
			Edit:     func(text string) (string, error) { return inEditor(p.sink, text) },
			Complete: (&completer{&c, p.commands, &p.reader.in}).complete,
		})
	}
	var err error
	if p.history, err = openHistory(c.History); err != nil {
		p.printError(err)
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
		line, err := p.Editor.ReadLine(p.reader.promptText())
		switch {
		case errors.Is(err, ErrInterrupted):
			p.reader.dropStatement()
			p.history.dropIncomplete()
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(p.Out)
			return nil
		case err != nil:
			return err
		}
		p.addToHistory(line)
		p.report(p.reader.feed(ctx, line))
	}
	return nil
}

// Init runs the user's own file of views, macros and settings at the start. Results of
// the file aren't shown. After an error Init reports file and line, and goes on.
func (p *Prompt) Init(ctx context.Context, source, text string) {
	bail := p.Settings.Bail
	p.Settings.Bail, p.sink.quiet = false, true
	err := p.reader.nestedFile(ctx, source, text)
	p.Settings.Bail, p.sink.quiet = bail, false
	p.runner.last = ""
	p.runner.made = nil
	p.reader.failed, p.reader.leaving = 0, false
	if err != nil && ctx.Err() == nil {
		p.printError(err)
	}
}

// Script runs a text as the lines of a file. Results go to Out as those of a one-shot
// command, with an empty line between two. Script asks no questions and writes no
// history. The first error ends the script. An error in a file begins with file:line.
func (p *Prompt) Script(ctx context.Context, source, text string) error {
	defer p.sink.close()
	if err := cmp.Or(p.reader.file(ctx, source, text), p.runner.warnOfTables(ctx)); err != nil || p.reader.failed == 0 {
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

// addToHistory adds the typed text to the history before the text is run.
func (p *Prompt) addToHistory(text string) {
	if err := p.history.addTyped(p.reader.in, text); err != nil {
		p.printError(err)
	}
	p.Editor.Remember(slices.Clone(p.history.entries))
}

// Editor is a source of lines: a terminal or a test.
type Editor interface {
	// ReadLine shows a prompt and returns the text that the user types after it: a line,
	// or several, without the last line end. The error is ErrInterrupted for Ctrl-C, and
	// io.EOF for Ctrl-D.
	ReadLine(prompt string) (string, error)
	// Remember sets the earlier entries that the user can call back, the oldest first. An
	// entry is what the user typed at one prompt, and may have several lines.
	Remember(lines []string)
}

// Screen is an Editor on a terminal. Results longer than the screen can be paged, and
// another program can use the terminal for a time.
type Screen interface {
	// Size returns the terminal's present size; 0 lines if unknown.
	Size() (columns, lines int)
	// Lend lets another program use the terminal, until the caller calls resume.
	Lend() (resume func())
}

// Composing holds the functions that a [Terminal] needs from the prompt, to let the user
// edit an entry of several lines as one text.
type Composing struct {
	CanRun   func(text string) bool                                  // reports whether the text can be run: Enter then ends the entry instead of beginning a new line
	Paint    func(text string) string                                // returns the same text, with colours
	Edit     func(text string) (edited string, err error)            // has the user edit the text in $EDITOR
	Complete func(before, after string) (head string, list []string) // returns the words that may follow head, the beginning of the text before the cursor
}

// ErrInterrupted means that the user dropped the line with Ctrl-C.
var ErrInterrupted = errors.New("interrupted")
