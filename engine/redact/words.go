package redact

// words finds many words in a text in one pass, ignoring the case of ASCII letters. A
// word has at least two bytes.
type words struct {
	// head has, by the lower five bits of a word's first three bytes, one plus the index in
	// list where the words' chain begins; 0 if there are none. The bits are equal for
	// letters of either case. A word of two bytes is in the chains of all third bytes.
	head [triples]uint16
	list []word
}

const triples = 1 << 15

type word struct {
	text   string // in lower case
	number int
	next   uint16 // in the chain, like head
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
	first := (uint(low[0])&31<<5 | uint(low[1])&31) << 5
	if len(low) > 2 {
		w.chain(first|uint(low[2])&31, word{text: string(low), number: number})
		return
	}
	for third := range uint(32) {
		w.chain(first|third, word{text: string(low), number: number})
	}
}

func (w *words) chain(place uint, c word) {
	c.next = w.head[place]
	w.list = append(w.list, c)
	w.head[place] = uint16(len(w.list))
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
	place := uint(text[0])&31<<5 | uint(text[1])&31
	for i := 2; i <= len(text); i++ {
		place = place << 5 % triples
		if i < len(text) { // a word of two bytes may end the text
			place |= uint(text[i]) & 31
		}
		for at := w.head[place]; at != 0; at = w.list[at-1].next {
			if c := &w.list[at-1]; begins(text[i-2:], c.text) && !found(c.number, i-2, i-2+len(c.text)) {
				return
			}
		}
	}
}

// begins reports whether a text begins with a word.
func begins(text, low string) bool {
	if len(text) < len(low) {
		return false
	}
	for i := range len(low) {
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
