package prompt

import "errors"

// Editor is where lines come from: a terminal, or a test.
type Editor interface {
	// ReadLine shows a prompt and gives the line typed behind it, without its
	// end, or several. The error is ErrInterrupted for Ctrl-C, and io.EOF for Ctrl-D.
	ReadLine(prompt string) (string, error)
	// Remember replaces the entries that can be called back, the oldest first. One
	// may have several lines.
	Remember(lines []string)
}

// Screen is an Editor on a terminal, which can be larger than a result or lent
// to another program.
type Screen interface {
	// Size is that of the terminal now; 0 lines where it doesn't know.
	Size() (columns, lines int)
	// Lend gives the terminal to another program, until resume is called.
	Lend() (resume func())
}

// Completer is an Editor that asks for words on Tab: those that may stand at a place of
// the line, counted in characters, with what comes before and behind them.
type Completer interface {
	CompleteWith(complete func(line string, at int) (head string, words []string, tail string))
}

// Composer is an Editor on which an entry of several lines is edited as one.
type Composer interface {
	Compose(Composing)
}

// Composing is what a [Composer] asks the prompt about the text that is typed.
type Composing struct {
	Whole func(text string) bool                       // it can be run: Enter ends the entry, and begins no line
	Paint func(text string) string                     // the same text, with colours
	Edit  func(text string) (edited string, err error) // has the user edit it in $EDITOR
}

// ErrInterrupted says that the line was given up with Ctrl-C.
var ErrInterrupted = errors.New("interrupted")
