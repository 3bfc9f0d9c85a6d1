package claude

import (
	"fmt"
	"testing"
)

// TestSkipsShortenTheirWay: a lookup climbs over a thousand lines that are no messages.
// After it, each of these lines points directly at the message above them.
func TestSkipsShortenTheirWay(t *testing.T) {
	s, id := skips{}, func(i int) string { return fmt.Sprint("line ", i) }
	const n = 1000
	for i := n; i > 0; i-- { // from the end, so no line points further than to the next
		s.add(id(i), id(i-1))
	}
	if top := s.top(id(n)); top != id(0) {
		t.Fatalf("%q stands above all, want %q", top, id(0))
	}
	for line, above := range s {
		if above != id(0) {
			t.Errorf("%s: the next walk begins at %s", line, above)
		}
	}
}

// TestSkipsThatFormARing: lines that name each other as parents, in a ring, have no
// message above them. A lookup must end, at the line that closed the ring.
func TestSkipsThatFormARing(t *testing.T) {
	s := skips{}
	s.add("a", "b")
	s.add("b", "c")
	s.add("c", "a")
	s.add("d", "d")
	s.add("a", "e") // the same line again
	for id, want := range map[string]string{"a": "c", "b": "c", "c": "c", "d": "d", "": "", "e": "e"} {
		if top := s.top(id); top != want {
			t.Errorf("above %q stands %q, want %q", id, top, want)
		}
	}
}
