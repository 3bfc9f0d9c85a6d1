package prompt

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Terminal is the [Editor] of a terminal. The user edits an entry of several lines as
// one text. Between entries, the terminal has its original state.
type Terminal struct {
	ctx       context.Context
	outer     *term.State // original state of the terminal; nil if unknown
	out       io.Writer
	size      func() (columns, lines int) // 0 lines if unknown
	entries   []string
	composing Composing
	input     []byte // bytes that the terminal sent and no key was cut from yet
	isBurst   bool   // input arrives faster than anyone types
	killed    []rune // the text that Ctrl-Y inserts
	entry
	screen
}

// entry is the text that the user edits, and how far the editing has come.
type entry struct {
	text   []rune
	at     int    // the cursor's position in text
	isOver bool   // no more keys are handled
	err    error  // why the entry can't be run: io.EOF or ErrInterrupted
	note   string // shown below the entry until the next key

	undo           []state // earlier states, the oldest first
	change, former string  // kinds of the last two keys' changes; empty for a key that changed nothing

	column, kept int // the columns that Up or Down wants, after the last two keys; -1 after any other key

	prefix   string // a first key that needs a second: Ctrl-X
	isQuoted bool   // the next key is inserted, not obeyed

	recall recall
	menu   menu
	search *search
}

// state is an earlier state of the entry.
type state struct {
	text []rune
	at   int
}

// NewTerminal takes over the process's terminal until Close. If ctx ends, a running
// ReadLine returns.
func NewTerminal(ctx context.Context) *Terminal {
	t := &Terminal{ctx: ctx, out: os.Stdout, size: sizeOfOutput}
	t.outer, _ = term.GetState(int(os.Stdin.Fd()))
	return t
}

func sizeOfOutput() (columns, lines int) {
	columns, lines, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, lines
}

// Compose implements [Composer].
func (t *Terminal) Compose(c Composing) { t.composing = c }

// Remember implements [Editor].
func (t *Terminal) Remember(list []string) { t.entries = list }

// Sequences that make a terminal mark pastes, or stop marking them.
const (
	marksPastes = "\x1b[?2004h"
	noMarks     = "\x1b[?2004l"
)

// ReadLine implements [Editor].
func (t *Terminal) ReadLine(sign string) (string, error) {
	fd := int(os.Stdin.Fd())
	if before, err := term.MakeRaw(fd); err == nil {
		defer func() { _ = term.Restore(fd, before) }()
	}
	t.begin(sign)
	fmt.Fprint(t.out, marksPastes)
	defer fmt.Fprint(t.out, noMarks)
	if err := t.edit(); err != nil {
		return "", err
	}
	return string(t.text), nil
}

// begin begins an empty entry. If the cursor is behind output without a line end, the
// spaces move it to the next line. At the beginning of a line they fill just that line.
func (t *Terminal) begin(sign string) {
	t.entry, t.screen = entry{}, screen{sign: sign}
	columns, _ := t.room()
	fmt.Fprint(t.out, strings.Repeat(" ", columns)+"\r")
}

// resized is the signal SIGWINCH, which has the same number in all Unix systems that
// hindsql is built for. Windows never sends it: there, the next key draws the entry anew.
const resized = syscall.Signal(28)

// longestPause limits the wait for more input before the entry is drawn.
const longestPause = 50 * time.Millisecond

// patience returns how long the rest of an incomplete key is waited for. A lone Escape
// is a key, too, but may begin a sequence. A paste without an end is rare: the
// connection broke.
func patience(key []byte) time.Duration {
	switch {
	case isPaste(key):
		return 10 * time.Second
	case isLetter(key):
		return time.Second
	}
	return 50 * time.Millisecond
}

// edit handles keys until the entry ends. It draws the entry when no input has come for
// as long as the last drawing took, so that a long paste isn't drawn piece by piece. A
// read runs only while the entry needs input: programs that the prompt starts get all
// later input.
func (t *Terminal) edit() error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, resized)
	defer signal.Stop(signals)
	read := make(chan []byte, 1)
	pause, late := time.After(0), (<-chan time.Time)(nil)
	t.handleInput() // of the last entry, after its end
	for isReading := false; !t.isOver; {
		if !isReading {
			isReading = true
			go readInput(read)
		}
		select {
		case input := <-read:
			isReading = false
			t.take(input)
			pause, late = time.After(t.took), nil
		case <-pause:
			pause, t.isBurst = nil, false
			t.handleInput()
			t.draw()
			if len(t.input) > 0 {
				late = time.After(patience(t.input))
			}
		case <-late:
			key := string(t.input)
			t.input = nil
			t.handle(key)
			t.draw()
		case <-signals:
			t.draw()
		case <-t.ctx.Done():
			return t.ctx.Err()
		}
	}
	t.leave()
	return t.err
}

// readInput passes on what the terminal sends next; nothing at the input's end.
func readInput(to chan<- []byte) {
	chunk := make([]byte, 4<<10)
	n, _ := os.Stdin.Read(chunk)
	to <- chunk[:n]
}

// fasterThanTyped is the size of a read that only a paste reaches.
const fasterThanTyped = 64

// take handles input. Input of length 0 is the terminal's end.
func (t *Terminal) take(input []byte) {
	t.isBurst = t.isBurst || len(input) >= fasterThanTyped
	t.input = append(t.input, input...)
	if t.handleInput(); len(input) == 0 {
		t.end(io.EOF)
	}
}

// handleInput handles all whole keys of the input. A Tab at the end of a burst may
// belong to a pasted text, so it waits for the input after it.
func (t *Terminal) handleInput() {
	for !t.isOver {
		key, rest, whole := cutKey(t.input)
		if !whole || t.isBurst && string(key) == "\t" && len(rest) == 0 {
			return
		}
		t.input = rest
		t.handle(string(key))
	}
}

// end ends the entry; err is nil if it can be run.
func (t *Terminal) end(err error) {
	if !t.isOver {
		t.isOver, t.err = true, err
	}
}

// Size implements [Screen].
func (t *Terminal) Size() (columns, lines int) { return t.size() }

// Lend implements [Screen].
func (t *Terminal) Lend() (resume func()) {
	fd := int(os.Stdin.Fd())
	inner, err := term.GetState(fd)
	if t.outer == nil || err != nil {
		return func() {}
	}
	_ = term.Restore(fd, t.outer)
	return func() { _ = term.Restore(fd, inner) }
}

// Close restores the terminal's original state.
func (t *Terminal) Close() error {
	if t.outer == nil {
		return nil
	}
	return term.Restore(int(os.Stdin.Fd()), t.outer)
}
