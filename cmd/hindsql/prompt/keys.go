package prompt

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Marks that a terminal sends around a paste.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// Keys that more than one place knows.
const (
	ctrlC     = "\x03"
	ctrlG     = "\x07"
	ctrlH     = "\x08"
	ctrlR     = "\x12"
	ctrlV     = "\x16"
	ctrlX     = "\x18"
	shiftTab  = "\x1b[Z"
	backspace = "\x7f"
)

// cutKey splits the first key off a terminal's input: a character, a paste, or the
// sequence of a special key such as Up. whole is false if more bytes of the key may
// follow.
func cutKey(input []byte) (key, rest []byte, whole bool) {
	n, whole := keyLength(input)
	return input[:n], input[n:], whole
}

func keyLength(input []byte) (n int, whole bool) {
	switch {
	case !utf8.FullRune(input):
		return min(len(input), 1), false
	case input[0] != '\x1b':
		_, n := utf8.DecodeRune(input)
		return n, true
	case bytes.HasPrefix(input, []byte(pasteBegins)):
		end := bytes.Index(input, []byte(pasteEnds))
		if end < 0 {
			return len(input), false
		}
		return end + len(pasteEnds), true
	case len(input) > 1 && input[1] == '[':
		return controlLength(input)
	case len(input) > 1 && input[1] == 'O':
		return min(len(input), 3), len(input) >= 3
	}
	n, whole = keyLength(input[1:]) // with Alt
	return 1 + n, whole
}

// controlLength returns the length of a control sequence (ECMA-48, 5.4): ESC [,
// parameters, a final byte. Only the Linux console sends F1 to F5 as ESC [ [ and a
// letter.
func controlLength(input []byte) (n int, whole bool) {
	for i := 2; i < len(input); i++ {
		switch c := input[i]; {
		case i == 2 && c == '[' && len(input) == 3:
			return 3, false
		case i == 2 && c == '[':
			return 4, true
		case c >= 0x40 && c <= 0x7e:
			return i + 1, true
		case c < 0x20 || c > 0x3f: // a broken sequence
			return i, true
		}
	}
	return len(input), false
}

// isPaste reports whether a key is a paste marked by the terminal.
func isPaste(key []byte) bool { return bytes.HasPrefix(key, []byte(pasteBegins)) }

// pastedText returns the text of a paste. Terminals send CR for a line end.
func pastedText(key []byte) string {
	text := strings.TrimSuffix(strings.TrimPrefix(string(key), pasteBegins), pasteEnds)
	return validText(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
}

// validText replaces each byte that isn't UTF-8 by U+FFFD. SQL must be UTF-8, and the
// user should see the place of the byte.
func validText(text string) string { return string([]rune(text)) }

// isLetter reports whether a key is text, as opposed to a control key.
func isLetter(key []byte) bool { return len(key) > 0 && key[0] >= ' ' && key[0] != 0x7f }
