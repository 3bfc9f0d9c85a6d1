package redact

import (
	"iter"
	"strings"
)

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

func wordsOf(list ...string) *words {
	var w words
	for _, text := range list {
		w.add(text, 0)
	}
	return &w
}

func (w *words) add(text string, number int) {
	text = strings.ToLower(text)
	first := (uint(text[0])&31<<5 | uint(text[1])&31) << 5
	last := first + 31
	if len(text) > 2 {
		first |= uint(text[2]) & 31
		last = first
	}
	for place := first; place <= last; place++ {
		w.list = append(w.list, word{text, number, w.head[place]})
		w.head[place] = uint16(len(w.list))
	}
}

// any reports whether the text contains one of the words.
func (w *words) any(text string) bool {
	for range w.in(text) {
		return true
	}
	return false
}

// in yields the word's number and the place of every occurrence of one of the words.
func (w *words) in(text string) iter.Seq2[int, span] {
	return func(yield func(int, span) bool) {
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
				if c := &w.list[at-1]; begins(text[i-2:], c.text) && !yield(c.number, span{i - 2, i - 2 + len(c.text)}) {
					return
				}
			}
		}
	}
}

// begins reports whether a text begins with a word.
func begins(text, low string) bool {
	for i := range min(len(text), len(low)) {
		if lower(text[i]) != low[i] {
			return false
		}
	}
	return len(text) >= len(low)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
