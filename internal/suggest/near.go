// Package suggest finds what a misspelt word was meant to be.
//
// In: a word, and those that are known. Out: the known ones that are spelt
// alike, for messages. It is a leaf, which every room may use, so that each
// mistake is guessed at in one way.
package suggest

import (
	"cmp"
	"slices"
	"strings"

	"hindsql/internal/words"
)

const most = 3 // words that one message proposes

// To lists the known words that a word may have been meant for, the nearest
// first, three at most: those that differ in a letter or two, in any case, and
// those of which one begins with the other, such as week and weekly. The
// word itself is none of them. None where nothing is alike.
func To(word string, known []string) []string {
	type guess struct {
		word string
		far  int
	}
	var guesses []guess
	for _, k := range known {
		if far, alike := compare(strings.ToLower(word), strings.ToLower(k)); alike && k != word {
			guesses = append(guesses, guess{k, far})
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(a.far, b.far) })
	var alike []string
	for _, g := range guesses {
		if len(alike) < most && !slices.Contains(alike, g.word) {
			alike = append(alike, g.word)
		}
	}
	return alike
}

// Ask is the end of a message about an unknown word: what it may have been meant
// for, and what else to do. "; did you mean a or b? NEXT", or "; NEXT" where no
// known word is alike.
func Ask(word string, known []string, next string) string {
	alike := To(word, known)
	if len(alike) == 0 {
		return "; " + next
	}
	return "; did you mean " + words.List(alike, "or") + "? " + next
}

// shortestBeginning is how many letters tell that one word begins another.
const shortestBeginning = 3

// compare says how far two words are apart, and whether one may stand for the
// other. A beginning counts as far as two letters do.
func compare(a, b string) (far int, alike bool) {
	far = distance(a, b)
	shorter := min(len(a), len(b))
	if shorter >= shortestBeginning && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
		return min(far, 2), true
	}
	return far, far <= max(1, shorter/3) && 2*far < shorter
}

// distance is the number of letters to insert, drop, change or swap with their
// neighbour between two words.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int // the row before last
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			change := last[j]
			if x[i] != y[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
