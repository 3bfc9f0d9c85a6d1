// Package suggest guesses the meaning of a misspelt word.
//
// In: a word, and the known words. Out: the known words with a similar spelling, for
// messages. The package imports no room of hindsql, so any room may use it, and all
// guesses are made the same way.
package suggest

import (
	"cmp"
	"slices"
	"strings"

	"hindsql/internal/words"
)

const most = 3 // words proposed in a message

// To returns at most three known words that are spelt like word, the nearest first.
// These words differ from word in a letter or two (ignoring case), or begin with word,
// or are a beginning of it, like week and weekly. word itself is left out. The result
// is nil if no known word is similar.
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

// Ask returns the end of a message about an unknown word, with proposals and the next
// step: "; did you mean a or b? NEXT", or "; NEXT" if no known word is alike.
func Ask(word string, known []string, next string) string {
	alike := To(word, known)
	if len(alike) == 0 {
		return "; " + next
	}
	return "; did you mean " + words.List(alike, "or") + "? " + next
}

// shortestBeginning is the number of letters needed to treat a word as the beginning of
// another.
const shortestBeginning = 3

// compare returns the distance of two words, and whether a may be a misspelt b. If a
// word begins with the other, the distance is two letters at most.
func compare(a, b string) (far int, alike bool) {
	far = distance(a, b)
	shorter := min(len(a), len(b))
	if shorter >= shortestBeginning && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
		return min(far, 2), true
	}
	return far, far <= max(1, shorter/3) && 2*far < shorter
}

// distance returns the number of letters to insert, drop, change or swap with their
// neighbour to turn a into b.
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
