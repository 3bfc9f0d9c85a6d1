package tables

import "testing"

// TestArena checks that values of one arena are zero and apart from each other.
func TestArena(t *testing.T) {
	var r Arena[int]
	seen := map[*int]bool{}
	for i := range 100 {
		v := r.New()
		if *v != 0 || seen[v] {
			t.Fatalf("value %d is %d, or one of before", i, *v)
		}
		*v, seen[v] = 1, true
	}
}

// TestLines checks that a uuid names the last line so far, also after a question.
func TestLines(t *testing.T) {
	var l lines
	a, b := &message{index: 1}, &message{index: 2}
	l.add("x", a)
	l.add("", a)
	if l.message("x") != a || l.message("y") != nil || l.message("") != nil {
		t.Error("a line isn't found, or one that isn't there is")
	}
	l.add("x", b)
	l.add("y", a)
	if l.message("x") != b || l.message("y") != a {
		t.Error("lines after the first question aren't found")
	}
}
