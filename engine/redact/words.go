package redact

// words finds many words in a text in one pass, ignoring the case of ASCII letters. A
// word has at least two bytes.
type words struct {
	next [1 << 16]uint16 // by a word's first two bytes: one plus the index in list where their chain begins; 0 if empty
	list []word
}

type word struct {
	text   string // in lower case
	number int
	next   uint16
	thirds uint32 // set of the third bytes of this and all later words in the chain, see thirdOf
}

func newWords() *words { return &words{} }

func (w *words) add(text string, number int) {
	low := make([]byte, len(text))
	for i := range text {
		low[i] = lower(text[i])
	}
	if len(low) < 2 {
		panic("redact: a keyword of one letter: " + text)
	}
	head := &w.next[uint16(low[0])<<8|uint16(low[1])]
	thirds := thirdOf(string(low))
	if *head != 0 {
		thirds |= w.list[*head-1].thirds
	}
	w.list = append(w.list, word{string(low), number, *head, thirds})
	*head = uint16(len(w.list))
}

// each searches the text. For every occurrence of one of the words it calls found with
// the word's number, and where the occurrence starts and ends in the text.
func (w *words) each(text string, found func(number, start, end int)) {
	w.until(text, func(number, start, end int) bool { found(number, start, end); return true })
}

// any reports whether the text contains one of the words.
func (w *words) any(text string) (found bool) {
	w.until(text, func(int, int, int) bool { found = true; return false })
	return found
}

// until is like each, but stops when found returns false.
func (w *words) until(text string, found func(number, start, end int) bool) {
	if len(text) < 2 {
		return
	}
	pair := uint16(lower(text[0]))
	for i := 1; i < len(text); i++ {
		pair = pair<<8 | uint16(lower(text[i]))
		at := w.next[pair]
		if at == 0 {
			continue
		}
		third := thirdOf(text[i-1:])
		for ; at != 0 && w.list[at-1].thirds&third != 0; at = w.list[at-1].next {
			if c := &w.list[at-1]; begins(text[i-1:], c.text) && !found(c.number, i-1, i-1+len(c.text)) {
				return
			}
		}
	}
}

// thirdOf returns a set with the third byte of a text, or with all bytes for a text of
// two bytes. A chain holds the words with the same first two bytes. The set rules out
// most positions that match only these two.
func thirdOf(text string) uint32 {
	if len(text) < 3 {
		return ^uint32(0)
	}
	return 1 << (lower(text[2]) & 31)
}

// begins reports whether a text begins with a word. The first two bytes must already
// match.
func begins(text, low string) bool {
	if len(text) < len(low) {
		return false
	}
	for i := 2; i < len(low); i++ {
		if lower(text[i]) != low[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
