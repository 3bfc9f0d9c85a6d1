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

// bound maps keys to commands. Terminals send different sequences for a key.
var bound = func() map[string]func(*Terminal) {
	keys := map[string]func(*Terminal){}
	for sequences, command := range map[string]func(*Terminal){
		"\r \n":                (*Terminal).enter,
		"\t":                   func(t *Terminal) { t.tab(1) },
		shiftTab:               func(t *Terminal) { t.tab(-1) },
		ctrlC:                  func(t *Terminal) { t.end(ErrInterrupted) },
		"\x04":                 (*Terminal).removeOrEnd,
		ctrlR:                  (*Terminal).beginSearch,
		"\x0c":                 (*Terminal).clear,
		"\x1f \x18\x15":        (*Terminal).undoLast,
		"\x19":                 func(t *Terminal) { t.paste(string(t.killed)) },
		ctrlV:                  func(t *Terminal) { t.isQuoted = true },
		ctrlX:                  func(t *Terminal) { t.prefix = ctrlX },
		"\x1be \x1bE \x18\x05": (*Terminal).editOutside,

		"\x1b[A \x1bOA \x10":                 (*Terminal).up,
		"\x1b[B \x1bOB \x0e":                 (*Terminal).down,
		"\x1b[D \x1bOD \x02":                 moves(characterBefore),
		"\x1b[C \x1bOC \x06":                 moves(characterAfter),
		"\x1bb \x1b[1;5D \x1b[1;3D":          moves(wordBefore),
		"\x1bf \x1b[1;5C \x1b[1;3C":          moves(wordAfter),
		"\x1b[H \x1bOH \x1b[1~ \x1b[7~ \x01": moves(lineBegin),
		"\x1b[F \x1bOF \x1b[4~ \x1b[8~ \x05": moves(lineEnd),
		"\x1b< \x1b[1;5H":                    moves(func([]rune, int) int { return 0 }),
		"\x1b> \x1b[1;5F":                    moves(func(line []rune, _ int) int { return len(line) }),

		backspace + " " + ctrlH:  removes(characterBefore),
		"\x1b[3~":                removes(characterAfter),
		"\x17 \x1b\x7f \x1b\x08": kills(wordBefore),
		"\x1bd \x1b[3;5~":        kills(wordAfter),
		"\x15":                   kills(lineBegin),
		"\x0b":                   kills(lineEnd),
	} {
		for sequence := range strings.SplitSeq(sequences, " ") {
			keys[sequence] = command
		}
	}
	return keys
}()

// handle obeys a key.
func (t *Terminal) handle(key string) {
	key, t.prefix = t.prefix+key, ""
	quoted := t.isQuoted
	t.isQuoted, t.note = false, ""
	t.former, t.change = t.change, ""
	t.kept, t.column = t.column, -1
	if t.search != nil && t.searchKey(key) {
		return
	}
	if key != "\t" && key != shiftTab {
		t.menu = menu{}
	}
	command := bound[key]
	switch {
	case isPaste([]byte(key)):
		t.paste(pastedText([]byte(key)))
	case quoted && !isLetter([]byte(key)) && key != "\t":
		t.insert("^" + string(key[len(key)-1]^0x40))
	case quoted:
		t.insert(validText(key))
	case command != nil:
		command(t)
	case isLetter([]byte(key)):
		t.insert(validText(key))
	}
}
