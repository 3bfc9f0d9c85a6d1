package redact

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// TestWords: the search in one pass finds each word wherever it stands, in any case.
func TestWords(t *testing.T) {
	list := []string{"ab", "a_", "abc", "abd", "bcd", "key", "keys", "_-", "a\x00b", "tok:", "token"}
	var w words
	for n, text := range list {
		w.add(text, n)
	}
	random := rand.New(rand.NewSource(rand.Int63()))
	for range 20_000 {
		var b strings.Builder
		for range random.Intn(6) {
			part := list[random.Intn(len(list))]
			b.WriteString(part[:random.Intn(len(part)+1)])
		}
		text := b.String()
		if random.Intn(2) == 0 {
			text = strings.ToUpper(text)
		}
		var want, got []string
		for at := range len(text) {
			for n, word := range list {
				if end := at + len(word); end <= len(text) && asciiLower(text[at:end]) == word {
					want = append(want, fmt.Sprint(n, at, end))
				}
			}
		}
		for number, at := range w.in(text) {
			got = append(got, fmt.Sprint(number, at.start, at.end))
		}
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(want, got) || w.any(text) != (len(want) > 0) {
			t.Fatalf("%q: found %v, want %v", text, got, want)
		}
	}
}

func asciiLower(text string) string {
	low := []byte(text)
	for i, c := range low {
		low[i] = lower(c)
	}
	return string(low)
}
