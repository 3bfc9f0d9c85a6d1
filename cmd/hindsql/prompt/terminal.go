package prompt

import (
	"context"
	"errors"
	"os"

	"github.com/peterh/liner"
	"golang.org/x/term"
)

// Terminal is the line editor of a terminal. Between its lines the terminal
// sends signals, and doesn't echo.
type Terminal struct {
	ctx   context.Context
	state *liner.State
	outer liner.ModeApplier // as the terminal was found; nil if that is not known
	inner liner.ModeApplier
}

// NewTerminal takes over the terminal that the process runs in, until Close.
// When ctx ends, reading a line does.
func NewTerminal(ctx context.Context) *Terminal {
	t := &Terminal{ctx: ctx}
	t.outer, _ = liner.TerminalMode()
	t.state = liner.NewLiner()
	t.inner, _ = liner.TerminalMode()
	t.state.SetCtrlCAborts(true)
	t.state.SetMultiLineMode(true)
	t.state.SetTabCompletionStyle(liner.TabPrints)
	t.state.SetBeep(false)
	return t
}

// CompleteWith is that of [Completer].
func (t *Terminal) CompleteWith(complete func(line string, at int) (head string, words []string, tail string)) {
	t.state.SetWordCompleter(complete)
}

// ReadLine is that of [Editor].
func (t *Terminal) ReadLine(prompt string) (string, error) {
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		line, err := t.state.Prompt(prompt)
		done <- read{line, err}
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, liner.ErrPromptAborted) {
			return "", ErrInterrupted
		}
		return r.line, r.err
	case <-t.ctx.Done():
		return "", t.ctx.Err()
	}
}

// Remember is that of [Editor].
func (t *Terminal) Remember(lines []string) {
	t.state.ClearHistory()
	for _, line := range lines {
		t.state.AppendHistory(line)
	}
}

// Size is that of [Screen].
func (t *Terminal) Size() (columns, lines int) {
	columns, lines, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, lines
}

// Lend is that of [Screen].
func (t *Terminal) Lend() (resume func()) {
	if t.outer == nil || t.inner == nil {
		return func() {}
	}
	_ = t.outer.ApplyMode()
	return func() { _ = t.inner.ApplyMode() }
}

// Close gives the terminal back as it was found.
func (t *Terminal) Close() error { return t.state.Close() }
