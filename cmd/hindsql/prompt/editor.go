package prompt

import "errors"

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

// Composer is an Editor that lets the user edit an entry of several lines as one text.
type Composer interface {
	Compose(Composing)
}

// Composing holds the functions that a [Composer] needs from the prompt, to handle the
// text being typed.
type Composing struct {
	Whole    func(text string) bool                                   // reports whether the text can be run: Enter then ends the entry instead of beginning a new line
	Paint    func(text string) string                                 // returns the same text, with colours
	Edit     func(text string) (edited string, err error)             // has the user edit the text in $EDITOR
	Complete func(before, after string) (head string, words []string) // returns the words that may follow head, the beginning of the text before the cursor
}

// ErrInterrupted means that the user dropped the line with Ctrl-C.
var ErrInterrupted = errors.New("interrupted")
