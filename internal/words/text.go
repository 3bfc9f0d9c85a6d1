package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Room measures which part of a text fits. It returns the length in bytes of the
// longest beginning of text that takes at most most units; characters are never split.
// This package has Letters and Bytes; terminal and spreadsheet code have measures of
// their own.
type Room func(text string, most int) (bytes int)

// Letters is the [Room] for most characters.
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

// Bytes is the [Room] for most bytes.
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

// Cut shortens a text to at most most characters. The last is … if text was left out.
func Cut(text string, most int) string { return CutTo(text, most, Letters) }

// CutTo is [Cut] for any Room. The … counts as 1.
func CutTo(text string, most int, room Room) string {
	if room(text, most) == len(text) {
		return text
	}
	return text[:room(text, most-1)] + "…"
}

// CutTold shortens a text as room measures, and appends how much was kept: …[60 of
// 2,817 characters].
func CutTold(text string, most int, room Room) (short string, cut bool) {
	end := room(text, most)
	if end == len(text) {
		return text, false
	}
	kept := utf8.RuneCountInString(text[:end])
	return text[:end] + "…[" + Int(kept) + " of " + Int(kept+utf8.RuneCountInString(text[end:])) + " characters]", true
}

// Line returns a text as one line of at most most characters. Blanks and line ends
// become single blanks.
func Line(text string, most int) string {
	if len(text) > 8*most { // the rest of a long text is cut anyway
		text = strings.ToValidUTF8(text[:8*most], "")
	}
	return Cut(strings.Join(strings.Fields(text), " "), most)
}

// NoProject stands for the project of a session that has none.
const NoProject = "(no project)"

// LineEnd stands for a line's end in a value shown on one line.
const LineEnd = "⏎"

// Signs returns the whole text on one line, with signs for line ends and tabs. Final
// line ends are left out.
func Signs(text string) string {
	if !strings.ContainsAny(text, "\n\r\t") {
		return text
	}
	return strings.NewReplacer("\r\n", LineEnd, "\n", LineEnd, "\r", LineEnd, "\t", "⇥").Replace(strings.TrimRight(text, "\r\n"))
}

// Capital returns a text with a capital first letter.
func Capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + text[size:]
}

// Sentence returns a text with a capital first letter, and a full stop unless it
// already ends as a sentence.
func Sentence(text string) string {
	text = Capital(text)
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}

// FirstSentence returns a text's first sentence. A full stop inside a word doesn't end
// a sentence.
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

// Joined joins the parts that aren't empty.
func Joined(between string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "" }), between)
}
