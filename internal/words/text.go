package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Room says how many bytes of a text, from its beginning and in whole
// characters, fit where there is room for so much. Characters and bytes are
// measured here; who draws on a terminal, or writes a spreadsheet, has a measure
// of its own.
type Room func(text string, most int) (bytes int)

// Letters is the [Room] for so many characters.
func Letters(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for at := range text {
		if most--; most < 0 {
			return at
		}
	}
	return len(text)
}

// Bytes is the [Room] for so many bytes.
func Bytes(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	most = max(most, 0)
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return most
}

// Cut is a text of at most so many characters, the last of which is … where
// something is left out.
func Cut(text string, most int) string { return CutTo(text, most, Letters) }

// CutTo is [Cut] for another room than that of characters, of which … takes one.
func CutTo(text string, most int, room Room) string {
	if room(text, most) == len(text) {
		return text
	}
	return text[:room(text, most-1)] + "…"
}

// CutTold is the beginning of a text that doesn't fit the room, and behind it how
// much that is: …[60 of 2,817 characters].
func CutTold(text string, most int, room Room) (short string, cut bool) {
	end := room(text, most)
	if end == len(text) {
		return text, false
	}
	kept := utf8.RuneCountInString(text[:end])
	return text[:end] + "…[" + Int(kept) + " of " + Int(kept+utf8.RuneCountInString(text[end:])) + " characters]", true
}

// Line is a text as one line of at most so many characters. Blanks and line ends
// become single blanks.
func Line(text string, most int) string {
	if len(text) > 8*most { // no need to look at all of a long one
		text = strings.ToValidUTF8(text[:8*most], "")
	}
	return Cut(strings.Join(strings.Fields(text), " "), most)
}

// LineEnd is what stands for a line's end where a value is shown in one line.
const LineEnd = "⏎"

// Signs is a text in one line that keeps all of it: line ends and tabs are signs.
// Line ends that it ends with are left out.
func Signs(text string) string {
	if !strings.ContainsAny(text, "\n\r\t") {
		return text
	}
	return strings.NewReplacer("\r\n", LineEnd, "\n", LineEnd, "\r", LineEnd, "\t", "⇥").Replace(strings.TrimRight(text, "\r\n"))
}

// Capital is a text with a great first letter.
func Capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + text[size:]
}

// Sentence is a text with a great first letter, and a full stop unless it ends as
// a sentence does.
func Sentence(text string) string {
	text = Capital(text)
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}

// FirstSentence is a text's first sentence; a full stop inside a word is none.
func FirstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

// List joins words: a, b and c.
func List(words []string, and string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + and + " " + words[last]
}
