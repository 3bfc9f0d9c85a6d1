package prompt

import "errors"

// Editor is a source of lines: a terminal or a test.
type Editor interface {
	// ReadLine shows a prompt and returns the line, or several lines, that the user types
	// behind it, without the last line's end. The error is ErrInterrupted for Ctrl-C, and
	// io.EOF for Ctrl-D.
	ReadLine(prompt string) (string, error)
	// Remember replaces the entries that the user can call back, the oldest first. An
	// entry may have several lines.
	Remember(lines []string)
}

// Screen is an Editor on a terminal. A result can be longer than the terminal, and the
// terminal can be lent to another program.
type Screen interface {
	// Size returns the terminal's present size; 0 lines if unknown.
	Size() (columns, lines int)
	// Lend gives the terminal to another program, until the caller calls resume.
	Lend() (resume func())
}

// Completer is an Editor that asks for words on Tab. complete returns the words that
// may stand at a place of the line, and the line's text before and behind them. at
// counts characters.
type Completer interface {
	CompleteWith(complete func(line string, at int) (head string, words []string, tail string))
}

// Composer is an Editor that lets the user edit an entry of several lines as one text.
type Composer interface {
	Compose(Composing)
}

// Composing holds the functions of the prompt that a [Composer] applies to the typed
// text.
type Composing struct {
	Whole func(text string) bool                       // reports whether the text can be run: then Enter ends the entry, and begins no line
	Paint func(text string) string                     // returns the same text, with colours
	Edit  func(text string) (edited string, err error) // has the user edit the text in $EDITOR
}

// ErrInterrupted says that the user gave up the line with Ctrl-C.
var ErrInterrupted = errors.New("interrupted")
