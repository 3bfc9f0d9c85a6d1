package prompt

import "strings"

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
		"\x1f \x18\x15":        (*Terminal).takeBack,
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
