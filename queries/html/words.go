package html

import (
	"unicode"
	"unicode/utf8"
)

// markChanges finds the changed words between removed and added lines. Equally many
// lines are paired in order; otherwise no words are marked.
func markChanges(rows []diffRow) {
	for i := 0; i < len(rows); {
		removed := run(rows[i:], '-')
		added := run(rows[i+removed:], '+')
		if removed > 0 && removed == added {
			for k := i; k < i+removed; k++ {
				old, new := &rows[k], &rows[k+removed]
				old.changed, new.changed = changedWords(old.text, new.text)
			}
		}
		i += max(1, removed+added)
	}
}

// run counts the rows of a kind at the start.
func run(rows []diffRow, kind byte) (n int) {
	for n < len(rows) && rows[n].kind == kind {
		n++
	}
	return n
}

// mostWords is the limit for compared words of a line, because the time grows with the
// square.
const mostWords = 200

// changedWords returns the byte ranges of two lines that differ. The result is empty if
// little is common: then the whole line has changed.
func changedWords(old, new string) (olds, news [][2]int) {
	a, b := wordsOf(old), wordsOf(new)
	if len(a) > mostWords || len(b) > mostWords {
		return nil, nil
	}
	common := make([][]int, len(a)+1) // length of the common part from here on
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if a[i] == b[k] {
				common[i][k] = common[i+1][k+1] + 1
			} else {
				common[i][k] = max(common[i+1][k], common[i][k+1])
			}
		}
	}
	kept, i, k, atOld, atNew := 0, 0, 0, 0, 0
	for i < len(a) || k < len(b) {
		switch {
		case i < len(a) && k < len(b) && a[i] == b[k]:
			if a[i][0] > ' ' {
				kept += len(a[i])
			}
			atOld, atNew, i, k = atOld+len(a[i]), atNew+len(b[k]), i+1, k+1
		case k == len(b) || i < len(a) && common[i+1][k] >= common[i][k+1]:
			olds, atOld, i = grown(olds, atOld, len(a[i])), atOld+len(a[i]), i+1
		default:
			news, atNew, k = grown(news, atNew, len(b[k])), atNew+len(b[k]), k+1
		}
	}
	if kept*3 < min(len(old), len(new)) {
		return nil, nil
	}
	return olds, news
}

// grown adds a range, by extending the last range if adjacent.
func grown(parts [][2]int, at, size int) [][2]int {
	if n := len(parts); n > 0 && parts[n-1][1] == at {
		parts[n-1][1] += size
		return parts
	}
	return append(parts, [2]int{at, at + size})
}

// wordsOf splits a line into words, runs of spaces, and single other characters.
func wordsOf(s string) (list []string) {
	class := func(r rune) int {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	for s != "" && len(list) <= mostWords {
		r, n := utf8.DecodeRuneInString(s)
		for of := class(r); of > 0 && n < len(s); {
			next, size := utf8.DecodeRuneInString(s[n:])
			if class(next) != of {
				break
			}
			n += size
		}
		list, s = append(list, s[:n]), s[n:]
	}
	return list
}
