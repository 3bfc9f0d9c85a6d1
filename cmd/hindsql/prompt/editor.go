package prompt

import "errors"

// Editor is where lines come from: a terminal, or a test.
type Editor interface {
	// ReadLine shows a prompt and gives the line typed behind it, without its
	// end. The error is ErrInterrupted for Ctrl-C, and io.EOF for Ctrl-D.
	ReadLine(prompt string) (string, error)
	// Remember replaces the lines that can be called back, the oldest first.
	Remember(lines []string)
}

// ErrInterrupted says that the line was given up with Ctrl-C.
var ErrInterrupted = errors.New("interrupted")
