package lists_test

import (
	"slices"
	"strconv"
	"testing"

	"hindsql/internal/lists"
)

func TestMap(t *testing.T) {
	if got := lists.Map([]int{3, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Errorf("Map of 3, 1 and 2 is %q", got)
	}
	if got := lists.Map([]int{}, strconv.Itoa); got != nil {
		t.Errorf("Map of an empty list is %#v, and not nil", got)
	}
}

func TestFilter(t *testing.T) {
	isOdd := func(n int) bool { return n%2 != 0 }
	if got := lists.Filter([]int{3, 1, 2}, isOdd); !slices.Equal(got, []int{3, 1}) {
		t.Errorf("the odd ones of 3, 1 and 2 are %d", got)
	}
	if got := lists.Filter([]int{2}, isOdd); got != nil {
		t.Errorf("the odd ones of 2 are %#v, and not nil", got)
	}
}

func TestJoin(t *testing.T) {
	if got := lists.Join([]int{3, 1, 2}, ", ", strconv.Itoa); got != "3, 1, 2" {
		t.Errorf("Join of 3, 1 and 2 is %q", got)
	}
}
