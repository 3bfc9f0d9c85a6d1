package rowdiff

import "testing"

// TestCountTrimmed: each text has the lines that a log once had, with a bar after those
// lost before, and the lines that it has now. Capitals have no time.
func TestCountTrimmed(t *testing.T) {
	for _, test := range []struct {
		all, now string
		want     int
	}{
		{"|abc", "abcd", 0},
		{"|abcd", "cd", 2},
		{"|abcd", "cdef", 2},
		{"ab|cd", "cde", 2},
		{"ab|cde", "ef", 4},
		{"|aab", "abc", 1},  // equal lines
		{"|abcd", "abd", 0}, // from the middle
		{"|abcde", "ce", 2}, // and from the beginning
		{"ab|cde", "ce", 2},
		{"ab|cd", "bcd", 1}, // a line is back
		{"bc|d", "abcd", 0}, // with older lines
		{"ab|cd", "abd", 0},
		{"|abc", "", 3},    // emptied
		{"|abc", "de", 3},  // all went
		{"|bcd", "aef", 0}, // another log
		{"ab|cde", "cfe", 2},
		{"|ABC", "BCD", 1}, // without times
		{"|ABC", "D", 0},
		{"|cab", "abd", 1}, // not in the order of the times
		{"|", "a", 0},
		{"ab|", "c", 2},
	} {
		var all, now []Line
		before := 0
		for i, c := range test.all {
			if c == '|' {
				before = i
			} else {
				all = append(all, lineOf(c))
			}
		}
		for _, c := range test.now {
			now = append(now, lineOf(c))
		}
		if got := CountTrimmed(all, now, before); got != test.want {
			t.Errorf("%s, now %s: %d, want %d", test.all, test.now, got, test.want)
		}
	}
}

func lineOf(c rune) (line Line) {
	if line.Key = uint64(c); c >= 'a' {
		line.At = uint64(c)
	}
	return line
}
