package prompt

import (
	"slices"
	"unicode"

	"github.com/rivo/uniseg"
)

// The functions of this file count positions in a line in code points, as the readline
// library does. A character is a grapheme cluster (Unicode Standard Annex 29): what
// users see as one character.

// characterBefore returns the beginning of the character before a place.
func characterBefore(line []rune, at int) int {
	before := lineBegin(line, at)
	if before == at {
		return max(at-1, 0)
	}
	for next := before; next < at; {
		before, next = next, characterAfter(line, next)
	}
	return before
}

// characterAfter returns the end of the character that begins at a place.
func characterAfter(line []rune, at int) int {
	if at >= len(line) {
		return len(line)
	}
	end := at + 1
	for end < len(line) && line[end] != '\n' {
		end++
	}
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(string(line[at:end]), -1)
	return at + len([]rune(first))
}

// lineBegin returns the beginning of the line in which a position is.
func lineBegin(line []rune, at int) int {
	for at > 0 && line[at-1] != '\n' {
		at--
	}
	return at
}

// lineEnd returns the end of the line in which a position is.
func lineEnd(line []rune, at int) int {
	if n := slices.Index(line[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(line)
}

// wordBefore returns the beginning of the word before a position. Space and punctuation
// in between are skipped.
func wordBefore(line []rune, at int) int {
	at = max(at-1, 0)
	for at > 0 && !beginsWord(line, at) {
		at--
	}
	return at
}

// wordAfter returns the end of the word after a position.
func wordAfter(line []rune, at int) int {
	for at < len(line) && unicode.IsSpace(line[at]) {
		at++
	}
	for first := at; at < len(line) && !unicode.IsSpace(line[at]) && (at == first || !beginsWord(line, at)); {
		at++
	}
	return at
}

// beginsWord reports whether a word begins at a position: after space or punctuation,
// or at punctuation that differs from the character before.
func beginsWord(line []rune, at int) bool {
	this, before := line[at], line[at-1]
	switch {
	case unicode.IsPunct(this):
		return this != before
	case unicode.IsSpace(this):
		return this == '\n' && before == '\n'
	}
	return unicode.IsPunct(before) || unicode.IsSpace(before)
}

// columnPlace returns the position at a column of the screen, in the line that begins
// at begin. If a wide character covers the column, it returns the beginning of that
// character. In a shorter line it returns the end.
func columnPlace(line []rune, begin, column int) int {
	at, end := begin, lineEnd(line, begin)
	for at < end {
		next := characterAfter(line, at)
		if uniseg.StringWidth(string(line[begin:next])) > column {
			break
		}
		at = next
	}
	return at
}

// move moves the cursor to the position that to returns, as many times as the user's
// numeric argument says.
func (t *Terminal) move(to func(line []rune, at int) int) {
	t.shell.History.SkipSave()
	for range t.shell.Iterations.Get() {
		t.shell.Cursor().Set(to(*t.shell.Line(), t.shell.Cursor().Pos()))
	}
}

func (t *Terminal) forward() {
	if t.shell.Cursor().Pos() == t.shell.Line().Len() {
		t.library["forward-char"]() // takes a suggestion
		return
	}
	t.move(characterAfter)
}

func (t *Terminal) backward()     { t.move(characterBefore) }
func (t *Terminal) forwardWord()  { t.move(wordAfter) }
func (t *Terminal) backwardWord() { t.move(wordBefore) }

// cut removes and returns the text between the cursor and the position that to returns.
func (t *Terminal) cut(to func(line []rune, at int) int) (text []rune) {
	t.shell.History.Save() // for undo
	for range t.shell.Iterations.Get() {
		line, at := t.shell.Line(), t.shell.Cursor().Pos()
		from, till := at, to(*line, at)
		if till < from {
			from, till = till, from
			text = append(slices.Clone((*line)[from:till]), text...)
		} else {
			text = append(text, (*line)[from:till]...)
		}
		if from < till {
			line.Cut(from, till)
			t.shell.Cursor().Set(from)
		}
	}
	return text
}

func (t *Terminal) remove() { t.cut(characterAfter) }

func (t *Terminal) removeBefore() {
	at := t.shell.Cursor().Pos()
	if single := at - characterBefore(*t.shell.Line(), at); single == 1 && !t.shell.Iterations.IsSet() {
		t.library["backward-delete-char"]() // also handles pairs of brackets
		return
	}
	t.cut(characterBefore)
}

func (t *Terminal) removeEither() {
	if t.shell.Cursor().Pos() == t.shell.Line().Len() {
		t.removeBefore()
		return
	}
	t.remove()
}

func (t *Terminal) removeOrEnd() {
	if t.shell.Line().Len() == 0 {
		t.library["end-of-file"]()
		return
	}
	t.remove()
}

func (t *Terminal) killWord()       { t.shell.Buffers.Write(t.cut(wordAfter)...) }
func (t *Terminal) killWordBefore() { t.shell.Buffers.Write(t.cut(wordBefore)...) }

// transpose swaps the characters before and after the cursor; at the line's end, the
// last two.
func (t *Terminal) transpose() {
	line, at := *t.shell.Line(), t.shell.Cursor().Pos()
	if at == len(line) {
		at = characterBefore(line, at)
	}
	from, till := characterBefore(line, at), characterAfter(line, at)
	if at == 0 || from == at {
		return
	}
	t.shell.History.Save()
	swapped := slices.Concat(line[:from], line[at:till], line[from:at], line[till:])
	t.shell.Line().Set(swapped...)
	t.shell.Cursor().Set(till)
}

// transposeWords swaps the words before and after the cursor; at the line's end, the
// last two.
func (t *Terminal) transposeWords() {
	line := *t.shell.Line()
	second := wordBefore(line, wordAfter(line, t.shell.Cursor().Pos()))
	first := wordBefore(line, second)
	firstEnd, secondEnd := wordAfter(line, first), wordAfter(line, second)
	if first == second || firstEnd > second {
		return
	}
	t.shell.History.Save()
	swapped := slices.Concat(line[:first], line[second:secondEnd], line[firstEnd:second], line[first:firstEnd], line[secondEnd:])
	t.shell.Line().Set(swapped...)
	t.shell.Cursor().Set(secondEnd)
}

// recase returns a command that changes the case of the letters from the cursor to the
// word's end: the first letter by first, all others by others.
func (t *Terminal) recase(first, others func(rune) rune) func() {
	return func() {
		t.shell.History.Save()
		line, at := *t.shell.Line(), t.shell.Cursor().Pos()
		end, change := wordAfter(line, at), first
		for i := at; i < end; i++ {
			if line[i] = change(line[i]); unicode.IsLetter(line[i]) {
				change = others
			}
		}
		t.shell.Cursor().Set(end)
	}
}

// moveLine moves the cursor one line up or down in the entry. It keeps the column on
// the screen.
func (t *Terminal) moveLine(up bool) {
	line, at := *t.shell.Line(), t.shell.Cursor().Pos()
	begin := lineBegin(line, at)
	column := uniseg.StringWidth(string(line[begin:at]))
	target := lineEnd(line, at) + 1
	if up {
		target = lineBegin(line, begin-1)
	}
	t.shell.Cursor().Set(columnPlace(line, target, column))
}
