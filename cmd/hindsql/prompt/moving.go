package prompt

import (
	"slices"
	"unicode"

	"github.com/rivo/uniseg"
)

// The functions of this file count positions in a line in code points. A character is a grapheme cluster (Unicode Standard Annex 29): what
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

// wordBefore returns the beginning of the word before a position.
func wordBefore(line []rune, at int) int {
	for isInside := false; at > 0; {
		before := characterBefore(line, at)
		if isInside && !isWord(line[before]) {
			break
		}
		isInside = isInside || isWord(line[before])
		at = before
	}
	return at
}

// wordAfter returns the end of the word after a position.
func wordAfter(line []rune, at int) int {
	for isInside := false; at < len(line) && (!isInside || isWord(line[at])); at = characterAfter(line, at) {
		isInside = isInside || isWord(line[at])
	}
	return at
}

// isWord reports whether a character that begins with a letter is part of a word.
func isWord(letter rune) bool {
	return letter == '_' || unicode.IsLetter(letter) || unicode.IsNumber(letter)
}

// columnPlace returns the position at a column of the screen, in the line that begins
// at begin. If a wide character covers the column, it returns the beginning of that
// character. In a shorter line it returns the end.
func columnPlace(line []rune, begin, column int) int {
	at, end := begin, lineEnd(line, begin)
	for at < end {
		next := characterAfter(line, at)
		if columnsOf(string(line[begin:next])) > column {
			break
		}
		at = next
	}
	return at
}
